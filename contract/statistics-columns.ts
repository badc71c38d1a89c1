import type { ReplyOf } from './endpoint.ts';
import { type Words, words } from './languages.ts';
import type { TableSheet } from './sheet.ts';
import type { EnergyMark, statisticsEndpoints } from './statistics.ts';
import type { TariffBand } from './tariffs.ts';

/** Header cells of exported statistics. */
export const statisticsColumns = {
  from: words('开始', 'From', 'Начало'),
  to: words('结束', 'To', 'Конец'),
  name: words('名称', 'Name', 'Название'),
  kwh: words('电量 (kWh)', 'Energy (kWh)', 'Энергия (кВт·ч)'),
  estimated_kwh: words('其中估算 (kWh)', 'Estimated part (kWh)', 'В т. ч. оценка (кВт·ч)'),
  corrected_kwh: words('其中人工更正 (kWh)', 'Corrected part (kWh)', 'В т. ч. исправлено (кВт·ч)'),
  share: words('占比 (%)', 'Share (%)', 'Доля (%)'),
  coverage: words('数据覆盖率 (%)', 'Coverage (%)', 'Полнота данных (%)'),
  marks: words('说明', 'Notes', 'Примечания'),
  cost: words('电费', 'Cost', 'Стоимость'),
  previous_kwh: words('上期 (kWh)', 'Previous period (kWh)', 'Прошлый период (кВт·ч)'),
  year_before_kwh: words('上年同期 (kWh)', 'Year before (kWh)', 'Год назад (кВт·ч)'),
  avg_w: words('平均负荷 (W)', 'Mean load (W)', 'Средняя нагрузка (Вт)'),
  max_w: words('最大负荷 (W)', 'Highest load (W)', 'Макс. нагрузка (Вт)'),
  min_w: words('最小负荷 (W)', 'Lowest load (W)', 'Мин. нагрузка (Вт)'),
} as const;

export const statisticsSheetNames = {
  energy: words('用电明细', 'Energy details', 'Расход энергии'),
  electricity: words('电量统计', 'Electricity statistics', 'Статистика электроэнергии'),
  load: words('负荷统计', 'Load statistics', 'Статистика нагрузки'),
} as const;

export const totalWord = words('合计', 'Total', 'Итого');
export const withoutPartWord = words('未分区域', 'Without a part', 'Без участка');
export const leftWord = words('已移出的设备', 'Devices that have left', 'Убывшие устройства');

export const tariffBandWords: Readonly<Record<TariffBand, Words>> = {
  sharp: words('尖', 'Critical peak', 'Острый пик'),
  peak: words('峰', 'Peak', 'Пик'),
  flat: words('平', 'Shoulder', 'Полупик'),
  valley: words('谷', 'Off-peak', 'Ночь'),
};

/** How the energy of a bucket was determined. */
export const energyMarkWords: Readonly<Record<EnergyMark, Words>> = {
  estimated: words('缺数估算', 'Estimated over a gap', 'Оценка за пропуск'),
  reset: words('电表清零', 'Register reset', 'Сброс счётчика'),
  integrated: words('由功率计算', 'Calculated from power', 'Расчёт по мощности'),
  spike: words('剔除异常读数', 'Implausible reading left out', 'Недостоверное показание отброшено'),
  unallocated: words(
    '长时间缺数，按日分摊',
    'Long gap, divided by days',
    'Длинный пропуск, разнесён по дням',
  ),
  aboveRating: words('超过额定容量', 'Above the rating', 'Выше номинала'),
  corrected: words('人工更正', 'Corrected by hand', 'Исправлено вручную'),
};

type Correction = ReplyOf<typeof statisticsEndpoints.corrections>['list'][number];
export const correctionSheet: TableSheet<Correction> = {
  name: words('更正台账', 'Corrections', 'Исправления'),
  columns: [
    { header: words('编号', 'No.', '№'), kind: 'number', cell: ({ id }) => id },
    {
      header: words('设备编号', 'Device number', 'Номер устройства'),
      cell: ({ device_number }) => device_number,
    },
    { header: words('线路', 'Line', 'Линия'), cell: ({ line_name }) => line_name },
    { header: statisticsColumns.from, kind: 'instant', cell: ({ from }) => new Date(from) },
    { header: statisticsColumns.to, kind: 'instant', cell: ({ to }) => new Date(to) },
    {
      header: words('更正前 (kWh)', 'Before (kWh)', 'До (кВт·ч)'),
      kind: 'number',
      cell: ({ before_kwh }) => before_kwh,
    },
    {
      header: words('更正后 (kWh)', 'After (kWh)', 'После (кВт·ч)'),
      kind: 'number',
      cell: ({ after_kwh }) => after_kwh,
    },
    { header: words('原因', 'Reason', 'Причина'), cell: ({ reason }) => reason },
    { header: words('撤销的编号', 'Undoes no.', 'Отменяет №'), kind: 'number', cell: ({ undoes }) => undoes },
    {
      header: words('被撤销于编号', 'Undone by no.', 'Отменено записью №'),
      kind: 'number',
      cell: ({ undone_by }) => undone_by,
    },
    { header: words('更正人', 'Corrected by', 'Исправил'), cell: ({ operator }) => operator },
    {
      header: words('更正时间', 'Corrected on', 'Время исправления'),
      kind: 'instant',
      cell: ({ time }) => new Date(time),
    },
  ],
};
