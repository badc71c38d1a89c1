import type { Language } from './languages.ts';

type Words = Readonly<Record<Language, string>>;
const words = (chinese: string, english: string, russian: string): Words => ({
  'zh-CN': chinese,
  'en-US': english,
  'ru-RU': russian,
});

export const alarmStatisticsSheet = words('报警统计', 'Alarm statistics', 'Статистика сигналов');
/** Header cells of the exported statistics. */
export const alarmStatisticsColumns = {
  section: words('统计维度', 'By', 'Разрез'),
  name: words('名称', 'Name', 'Название'),
  raised: words('合计', 'Raised', 'Всего'),
  alarms: words('报警', 'Alarms', 'Аварийные'),
  early_warnings: words('预警', 'Early warnings', 'Предупредительные'),
  processed: words('已处理', 'Processed', 'Обработано'),
  rate: words('处理率 (%)', 'Handling rate (%)', 'Доля обработанных (%)'),
  median: words('处理用时中位数（分钟）', 'Median time to handle (min)', 'Медиана времени обработки (мин)'),
  p90: words('处理用时 P90（分钟）', 'Time to handle, p90 (min)', 'Время обработки, p90 (мин)'),
} as const;
export const alarmStatisticsSections = {
  total: words('全部', 'All', 'Всего'),
  day: words('日期', 'Day', 'День'),
  type: words('报警类型', 'Alarm type', 'Тип сигнала'),
  severity: words('严重度', 'Severity', 'Важность'),
  hour: words('星期与小时', 'Hour of the week', 'Час недели'),
  project: words('项目', 'Project', 'Объект'),
  device: words('设备', 'Device', 'Устройство'),
} as const;
/** Label for alarms of devices that belong to no project. */
export const noProjectWords = words('未绑定项目', 'No project', 'Без объекта');
/** By severity, 1 critical to 4 low. */
export const severityWords: Readonly<Record<number, Words>> = {
  1: words('紧急', 'Critical', 'Критическая'),
  2: words('高', 'High', 'Высокая'),
  3: words('中', 'Medium', 'Средняя'),
  4: words('低', 'Low', 'Низкая'),
};
