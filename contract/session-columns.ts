import { yesWords } from './columns.ts';
import type { ReplyOf } from './endpoint.ts';
import { words } from './languages.ts';
import type { operationLogEndpoints } from './operation-log.ts';
import type { sessionEndpoints } from './session.ts';
import type { TableSheet } from './sheet.ts';

type SessionRow = ReplyOf<typeof sessionEndpoints.sessions>[number];
export const sessionSheet: TableSheet<SessionRow> = {
  name: words('会话', 'Sessions', 'Сеансы'),
  columns: [
    { header: words('网络地址', 'Network address', 'Сетевой адрес'), cell: ({ address }) => address },
    { header: words('浏览器', 'Browser', 'Браузер'), cell: ({ agent }) => agent },
    {
      header: words('登录时间', 'Signed in', 'Вход'),
      kind: 'instant',
      cell: ({ created_at }) => new Date(created_at),
    },
    {
      header: words('最后活动', 'Last active', 'Последняя активность'),
      kind: 'instant',
      cell: ({ seen_at }) => new Date(seen_at),
    },
    {
      header: words('当前会话', 'This session', 'Этот сеанс'),
      cell: ({ current }, language) => yesWords[current ? 'yes' : 'no'][language],
    },
  ],
};

type FailedSignIn = ReplyOf<typeof operationLogEndpoints.failedSignIns>['list'][number];
export const failedSignInSheet: TableSheet<FailedSignIn> = {
  name: words('登录失败', 'Failed sign-ins', 'Неудачные входы'),
  columns: [
    { header: words('账号', 'Account', 'Учётная запись'), cell: ({ account }) => account },
    { header: words('网络', 'Network', 'Сеть'), cell: ({ network }) => network },
    { header: words('失败次数', 'Failures', 'Неудач'), kind: 'number', cell: ({ failures }) => failures },
    { header: words('首次', 'First', 'Первая'), kind: 'instant', cell: ({ first_at }) => new Date(first_at) },
    { header: words('最近', 'Last', 'Последняя'), kind: 'instant', cell: ({ last_at }) => new Date(last_at) },
  ],
};
