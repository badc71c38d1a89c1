/** The files of a first view: each screen with its late parts that are visible at once. */
const dates = ['parts/DateFieldPicker.tsx'];
const withRange = (page: string): string[] => [page, 'parts/RangeFilter.tsx'];
/** Screens that a project shows in its own frame. */
const ofProjects: readonly (readonly string[])[] = [
  ['features/projects/SitePage.tsx'],
  ['features/lines/LineTablePage.tsx'],
  ['features/alarms/AlarmListPage.tsx'],
  ['features/notices/NoticeListPage.tsx'],
  withRange('features/maintenance/MaintenancePage.tsx'),
  withRange('features/operation-log/OperationLogPage.tsx'),
  ['features/alarm-statistics/AlarmStatisticsPage.tsx', ...dates],
  ['features/alarm-statistics/AlarmQualityPage.tsx', ...dates],
  ['features/statistics/EnergyPage.tsx', ...dates],
  ['features/statistics/LoadPage.tsx', ...dates],
];
const tabsOfDevice: readonly (readonly string[])[] = [
  ['features/lines/NominalVoltage.tsx'],
  ['features/devices/SimTab.tsx'],
  ['features/alarms/DeviceAlarms.tsx'],
  ['features/devices/HistoryTab.tsx'],
  ['features/devices/ContactsTab.tsx'],
  ['features/devices/MapTab.tsx'],
  ['features/control/ControlTab.tsx'],
  ['features/tags/DeviceTags.tsx'],
  ['features/device-settings/EnablesTab.tsx'],
  ['features/device-settings/CustomTab.tsx'],
  ['features/timers/TimersView.tsx'],
];
const onDevice = (parts: readonly string[]): string[] => [
  'app/pages/DevicePage.tsx',
  'features/demo/DemoPanel.tsx',
  ...parts,
];

export const firstViews: readonly (readonly string[])[] = [
  ['features/projects/ProjectListPage.tsx', 'parts/RegionField.tsx', 'parts/BatchResult.tsx'],
  withRange('features/feedback/FeedbackRecordPage.tsx'),
  ['features/users/UserListPage.tsx', 'parts/RegionField.tsx'],
  ['app/pages/LineListPage.tsx', 'features/lines/NominalVoltage.tsx'],
  ...ofProjects,
  ...ofProjects.map((parts) => [...parts, 'app/pages/ProjectFrame.tsx']),
];
/** The screens that would need the most files. */
export const manyParts: readonly (readonly string[])[] = [
  ['app/pages/ProjectAnalysis.tsx', ...dates],
  ['app/pages/ProjectAnalysis.tsx', ...dates, 'app/pages/ProjectFrame.tsx'],
  ['features/statistics/ElectricityPage.tsx', ...dates],
  ['features/statistics/ElectricityPage.tsx', ...dates, 'app/pages/ProjectFrame.tsx'],
  ['features/statistics/EnergyPage.tsx', ...dates, 'app/pages/ProjectFrame.tsx'],
  ...tabsOfDevice.map(onDevice),
];
/** The screens of `manyParts` that need the most files. */
export const mostParts: readonly (readonly string[])[] = [
  ['features/lines/ReadingsChart.tsx', 'features/trends/TrendsPanel.tsx', 'parts/chart/engine.ts'],
  ['features/lines/ReadingsChart.tsx', 'parts/chart/engine.ts'],
  ['features/devices/InfoTab.tsx'],
  ['features/device-settings/ParametersTab.tsx'],
].map(onDevice);
/** Screens with a budget for all their parts: see test/bundle.test.ts. */
export const tightViews: readonly (readonly string[])[] = [
  ['features/dashboard/DatascreenPage.tsx', 'parts/chart/CategoryChart.tsx', 'parts/map/offline-ground.ts'],
];
