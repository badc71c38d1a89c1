/** A screen: its source below `web/`, the component that it shows, and the features whose words it needs. */
export interface Screen {
  file: string;
  shows: string;
  words: readonly string[];
}

const screen = (
  file: string,
  words: readonly string[],
  shows = /(\w+)\.tsx$/.exec(file)?.[1] ?? '',
): Screen => ({ file, shows, words });

/**
 * The screens by their address below /home. The build reads them as well, so that the page of an address asks for the
 * files of its screen at once.
 */
export const screens = {
  datascreen: screen('features/dashboard/DatascreenPage.tsx', ['dashboard']),
  alarmList: screen('features/alarms/AlarmListPage.tsx', ['alarms']),
  projectlist: screen('features/projects/ProjectListPage.tsx', ['projects']),
  devicelist: screen('features/devices/DeviceListPage.tsx', ['devices']),
  devicedetails: screen('app/pages/DevicePage.tsx', ['access', 'devices', 'lines', 'one-key', 'tags']),
  linelist: screen('app/pages/LineListPage.tsx', ['lines', 'one-key', 'tags']),
  timingconfig: screen('features/timers/TimersPage.tsx', ['timers']),
  system: screen('features/system/SystemPage.tsx', ['system']),
  access: screen('features/access/AccessPage.tsx', ['access']),
  whatif: screen('features/what-if/WhatIfPage.tsx', ['what-if']),
  panelcodes: screen('features/devices/PanelCodesPage.tsx', ['devices']),
  search: screen('features/search/SearchPage.tsx', ['search']),
  maintenanceRecord: screen('features/maintenance/MaintenancePage.tsx', ['maintenance']),
  news: screen('features/messages/NewsPage.tsx', []),
  information: screen('features/content/InformationPage.tsx', ['content']),
  firststeps: screen('features/first-steps/FirstStepsPage.tsx', ['first-steps']),
  feedback: screen('features/feedback/FeedbackPage.tsx', ['feedback']),
  'configinfo/devicesurvey': screen('features/projects/SitePage.tsx', ['projects']),
  'configinfo/lines': screen('features/lines/LineTablePage.tsx', ['lines']),
  'configinfo/alarmstatistics': screen('features/alarm-statistics/AlarmStatisticsPage.tsx', [
    'alarm-statistics',
  ]),
  'configinfo/alarmquality': screen('features/alarm-statistics/AlarmQualityPage.tsx', ['alarm-statistics']),
  'configinfo/energydetail': screen('features/statistics/EnergyPage.tsx', ['statistics']),
  'configinfo/policestatistics': screen('app/pages/ProjectAnalysis.tsx', ['alarm-statistics', 'trends']),
  'configinfo/epstatistics': screen('features/statistics/ElectricityPage.tsx', ['statistics']),
  'configinfo/loadstatistics': screen('features/statistics/LoadPage.tsx', ['statistics']),
  'configinfo/maintenancerecord': screen('features/maintenance/MaintenancePage.tsx', ['maintenance']),
  'configinfo/earlywarning': screen('features/alarms/AlarmListPage.tsx', ['alarms'], 'EarlyWarningPage'),
  'configinfo/warningnotice': screen('features/notices/NoticeListPage.tsx', ['notices']),
  'configinfo/operationlog': screen('features/operation-log/OperationLogPage.tsx', ['operation-log']),
  'configinfos/alarmstatisticsShezhi': screen('features/alarm-statistics/AlarmStatisticsPage.tsx', [
    'alarm-statistics',
  ]),
  'configinfos/alarmquality': screen('features/alarm-statistics/AlarmQualityPage.tsx', ['alarm-statistics']),
  'configinfos/energydetail': screen('features/statistics/EnergyPage.tsx', ['statistics']),
  'configinfos/policestatistics': screen(
    'features/alarm-statistics/AlarmStatisticsPage.tsx',
    ['alarm-statistics'],
    'AlarmAnalysisPage',
  ),
  'configinfos/epstatistics': screen('features/statistics/ElectricityPage.tsx', ['statistics']),
  'configinfos/loadstatistics': screen('features/statistics/LoadPage.tsx', ['statistics']),
  'configinfos/earlywarning': screen('features/alarms/AlarmListPage.tsx', ['alarms'], 'EarlyWarningPage'),
  'configinfos/alarmtype': screen('features/alarm-types/AlarmTypesPage.tsx', ['alarm-types']),
  'configinfos/bouncednotice': screen('features/notices/NoticeListPage.tsx', ['notices']),
  'configinfos/contentmanage': screen('features/content/ContentPage.tsx', ['content']),
  'configinfos/permanage': screen('features/personnel/PersonListPage.tsx', ['personnel']),
  'configinfos/rolemanage': screen('features/roles/RoleListPage.tsx', ['roles']),
  'configinfos/USERManage': screen('features/users/UserListPage.tsx', ['users']),
  'configinfos/devicemanage': screen('features/categories/CategoriesPage.tsx', ['categories']),
  'configinfos/dataUpgrade': screen('features/firmware/FirmwarePage.tsx', ['firmware']),
  'configinfos/databasemanage': screen('features/backups/DatabasePage.tsx', ['backups']),
  'configinfos/FeedbackRecord': screen('features/feedback/FeedbackRecordPage.tsx', ['feedback']),
  'configinfos/operationlog': screen('features/operation-log/OperationLogPage.tsx', ['operation-log']),
} satisfies Readonly<Record<string, Screen>>;
export type ScreenAddress = keyof typeof screens;
