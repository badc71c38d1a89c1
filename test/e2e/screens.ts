/** Screens of a project and tabs of a device: no menu of the console leads to them. */
export const projectScreens = [
  ...[
    'devicesurvey',
    'lines',
    'alarmstatistics',
    'alarmquality',
    'energydetail',
    'policestatistics',
    'epstatistics',
  ],
  ...['loadstatistics', 'maintenancerecord', 'earlywarning', 'warningnotice', 'operationlog'],
] as const;
export const deviceTabs = [
  'lines',
  'info',
  'sim',
  'alarms',
  'readings',
  'parameters',
  'history',
  'timers',
] as const;
