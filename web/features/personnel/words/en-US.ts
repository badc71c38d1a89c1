export const personnel = {
  title: 'Personnel',
  text: 'The first two people of a project are called about its alarms after the project’s own contact. The app reaches them by the account that has their confirmed phone number.',
  empty:
    'No people yet. Add those who are called about a project: electricians, duty officers, property managers.',
  add: 'Add person',
  act: 'Edit',
  edit: 'Edit person',
  saved: 'Saved',
  search: 'Name, mobile or position',
  shared: 'Also named by projects outside your scope',
  column: {
    name: 'Name',
    mobile: 'Mobile',
    position: 'Position',
    projects: 'Projects',
    note: 'Note',
    created: 'Created',
  },
  remove: {
    act: 'Delete',
    title: 'Delete {{name}}?',
    text: 'Deleted people are no longer called about alarms of your projects.',
    several_one: 'Delete {{count}} person?',
    several_other: 'Delete {{count}} people?',
    done_one: '{{count}} person deleted',
    done_other: '{{count}} people deleted',
  },
};
