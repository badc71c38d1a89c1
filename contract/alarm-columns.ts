import { words } from './languages.ts';

/** Header cells of the exported alarm list. */
export const alarmColumns = {
  work_order: words('工单号', 'Work order', 'Заявка'),
  time: words('时间', 'Time', 'Время'),
  type: words('报警类型', 'Alarm type', 'Тип сигнала'),
  level: words('级别', 'Level', 'Уровень'),
  status: words('处理状态', 'Status', 'Обработка'),
  condition: words('当前状态', 'Condition', 'Состояние'),
  project_name: words('所属项目', 'Project', 'Объект'),
  device_number: words('设备编号', 'Device number', 'Номер устройства'),
  line_name: words('线路', 'Line', 'Линия'),
  phase: words('相别', 'Phase', 'Фаза'),
  address: words('地址', 'Address', 'Адрес'),
  value: words('报警值', 'Value', 'Значение'),
  peak: words('峰值', 'Peak', 'Пик'),
  threshold: words('阈值', 'Threshold', 'Уставка'),
  unit: words('单位', 'Unit', 'Единица'),
  count: words('次数', 'Occurrences', 'Повторений'),
  cleared_time: words('消除时间', 'Cleared', 'Снят'),
  processing_content: words('处理内容', 'Handling', 'Обработка: что сделано'),
  processed_by: words('处理人', 'Handled by', 'Обработал'),
  processed_at: words('处理时间', 'Handled at', 'Время обработки'),
} as const;
export const alarmSheetName = words('报警记录', 'Alarms', 'Сигналы');

export const alarmStatusWords = {
  unprocessed: words('未处理', 'Unprocessed', 'Не обработан'),
  processed: words('已处理', 'Processed', 'Обработан'),
} as const;
export const alarmConditionWords = {
  active: words('未消除', 'Active', 'Активен'),
  reset_needed: words('待复位', 'Reset needed', 'Требуется сброс'),
  ended: words('已消除', 'Cleared', 'Снят'),
} as const;
