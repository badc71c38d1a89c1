export const projects = {
  title: 'Projects',
  empty: 'No projects within your scope. Your administrator assigns them.',
  quiet: 'nothing to do',
  unprocessed_one: '{{count}} unprocessed',
  unprocessed_other: '{{count}} unprocessed',
  column: {
    name: 'Project',
    worst: 'Alarms',
    online: 'Devices online',
    handled: 'Handled this month',
    region: 'Region',
    address: 'Address',
    contact: 'Contact',
    area: 'Area',
    code: 'Code',
    joined: 'Joined',
  },
};
