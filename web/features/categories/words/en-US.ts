export const categories = {
  title: 'Categories',
  empty: 'No categories yet. Group devices as this installation needs it: pumps, lifts, server rooms.',
  add: 'Add a category',
  act: 'Edit',
  edit: 'Edit the category',
  enabled: 'Enabled',
  column: {
    name: 'Name',
    icon: 'Icon',
    description: 'Description',
    devices: 'Devices',
    status: 'Status',
    created: 'Created',
  },
  status: { enabled: 'enabled', disabled: 'disabled' },
  remove: {
    act: 'Delete',
    title: 'Delete “{{name}}”?',
    text: 'A category that contains devices cannot be deleted.',
    done: 'Category deleted',
  },
};
