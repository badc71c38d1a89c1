/** Project screens and device tabs, which no menu of the console leads to. */
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
