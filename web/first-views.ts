/** What a first view loads: each screen with the parts that come late, yet at once. */
const charts = ['parts/DateFieldPicker.tsx', 'parts/chart/engine.ts'];
const withRange = (page: string): string[] => [page, 'parts/RangeFilter.tsx'];
/** Screens that a project shows in a frame of its own. */
const ofProjects: readonly (readonly string[])[] = [
  ['features/projects/SitePage.tsx'],
  ['features/lines/LineTablePage.tsx'],
  ['features/alarms/AlarmListPage.tsx'],
  ['features/notices/NoticeListPage.tsx'],
  withRange('features/maintenance/MaintenancePage.tsx'),
  withRange('features/operation-log/OperationLogPage.tsx'),
  ['features/alarm-statistics/AlarmStatisticsPage.tsx', ...charts],
  ['features/alarm-statistics/AlarmQualityPage.tsx', ...charts],
  ['features/statistics/EnergyPage.tsx', ...charts],
  ['features/statistics/ElectricityPage.tsx', ...charts],
  ['features/statistics/LoadPage.tsx', ...charts],
  ['app/pages/ProjectAnalysis.tsx', ...charts],
];
const tabsOfDevice: readonly (readonly string[])[] = [
  ['features/lines/NominalVoltage.tsx'],
  ['features/devices/InfoTab.tsx'],
  ['features/devices/SimTab.tsx'],
  ['features/alarms/DeviceAlarms.tsx'],
  ['features/lines/ReadingsChart.tsx', 'features/trends/TrendsPanel.tsx', 'parts/chart/engine.ts'],
  ['features/devices/HistoryTab.tsx'],
];

export const firstViews: readonly (readonly string[])[] = [
  ['features/dashboard/DatascreenPage.tsx', 'parts/chart/CategoryChart.tsx', 'parts/map/offline-ground.ts'],
  ['features/projects/ProjectListPage.tsx', 'parts/RegionField.tsx', 'parts/BatchResult.tsx'],
  withRange('features/feedback/FeedbackRecordPage.tsx'),
  ['app/pages/LineListPage.tsx', 'features/lines/NominalVoltage.tsx'],
  ...ofProjects,
  ...ofProjects.map((parts) => [...parts, 'app/pages/ProjectFrame.tsx']),
  ...tabsOfDevice.map((parts) => ['app/pages/DevicePage.tsx', 'features/demo/DemoPanel.tsx', ...parts]),
];
