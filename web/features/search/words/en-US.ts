export const search = {
  title: 'Search',
  hint: 'Name, number, IMEI, phone, work order',
  how: 'Enter at least two characters. Chinese names are also found by pinyin or its first letters. Arrow keys move through the hits.',
  none: 'Nothing found for “{{text}}” in your projects.',
  more_one: 'There are more: only {{count}} is shown. Enter more of the name.',
  more_other: 'There are more: {{count}} are shown. Enter more of the name.',
  group: {
    projects: 'Projects',
    devices: 'Devices',
    lines: 'Lines',
    alarms: 'Alarms',
    people: 'People',
  },
};
