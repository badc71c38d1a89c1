import type { Language } from './languages.ts';
import type { maintenanceKinds } from './maintenance.ts';

type Words = Readonly<Record<Language, string>>;
const words = (chinese: string, english: string, russian: string): Words => ({
  'zh-CN': chinese,
  'en-US': english,
  'ru-RU': russian,
});

export const maintenanceKindWords: Readonly<Record<(typeof maintenanceKinds)[number], Words>> = {
  routine: words('例行维护', 'Routine maintenance', 'Плановое обслуживание'),
  inspection: words('检查', 'Inspection', 'Осмотр'),
  repair: words('维修', 'Repair', 'Ремонт'),
  replacement: words('更换', 'Replacement', 'Замена'),
};
/** Header cells of the exported table. */
export const maintenanceColumns = {
  maintenance_time: words('维护时间', 'Maintenance time', 'Время обслуживания'),
  kind: words('类型', 'Kind', 'Вид'),
  project_name: words('项目', 'Project', 'Объект'),
  device_number: words('设备编号', 'Device number', 'Номер устройства'),
  device_name: words('设备名称', 'Device name', 'Название устройства'),
  lines: words('线路', 'Lines', 'Линии'),
  address: words('地址', 'Address', 'Адрес'),
  handler_name: words('处理人', 'Handler', 'Исполнитель'),
  handler_phone: words('联系电话', 'Phone', 'Телефон'),
  content: words('维护内容', 'Maintenance content', 'Выполненные работы'),
  fault_content: words('故障内容', 'Fault', 'Неисправность'),
  result: words('处理结果', 'Result', 'Результат'),
  suggestion: words('建议', 'Suggestion', 'Рекомендации'),
  alarms: words('关联报警', 'Alarms', 'Сигналы'),
  author: words('记录人', 'Recorded by', 'Записал'),
} as const;
export const maintenanceSheetName = words('维护记录', 'Maintenance records', 'Записи обслуживания');
