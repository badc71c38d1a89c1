import type * as z from 'zod';
import { words } from './languages.ts';
import type { TableSheet } from './sheet.ts';
import type { tagRow } from './tags.ts';

type TagRow = z.output<typeof tagRow>;
const places = {
  line: words('线路', 'line', 'линия'),
  device: words('设备', 'device', 'устройство'),
  project: words('项目', 'project', 'объект'),
};
const instantOf = (at: string | null): Date | null => (at === null ? null : new Date(at));

export const tagSheet: TableSheet<TagRow> = {
  name: words('挂牌', 'Lock-out tags', 'Плакаты'),
  columns: [
    { header: words('编号', 'No.', '№'), kind: 'number', cell: ({ tag_id }) => tag_id },
    { header: words('挂于', 'Applied to', 'Где'), cell: ({ on }, language) => places[on][language] },
    { header: words('所属项目', 'Project', 'Объект'), cell: ({ project_name }) => project_name },
    {
      header: words('设备编号', 'Device number', 'Номер устройства'),
      cell: ({ device_number }) => device_number,
    },
    { header: words('线路', 'Line', 'Линия'), cell: ({ line_name }) => line_name },
    { header: words('原因', 'Reason', 'Причина'), cell: ({ reason }) => reason },
    { header: words('挂牌人', 'Applied by', 'Установил'), cell: ({ owner }) => owner },
    {
      header: words('挂牌时间', 'Applied', 'Установлен'),
      kind: 'instant',
      cell: ({ set_at }) => instantOf(set_at),
    },
    {
      header: words('复核时间', 'Review due', 'Проверить до'),
      kind: 'instant',
      cell: ({ review_at }) => instantOf(review_at),
    },
    {
      header: words('摘牌时间', 'Removed', 'Снят'),
      kind: 'instant',
      cell: ({ removed_at }) => instantOf(removed_at),
    },
    { header: words('摘牌人', 'Removed by', 'Снял'), cell: ({ removed_by }) => removed_by },
    {
      header: words('摘牌原因', 'Reason of removal', 'Причина снятия'),
      cell: ({ removal_reason }) => removal_reason,
    },
  ],
};
