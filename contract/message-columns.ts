import { words } from './languages.ts';
import { messageTypeNames } from './message-words.ts';
import type { MessageRow } from './messages.ts';
import type { TableSheet } from './sheet.ts';

const states = { read: words('已读', 'read', 'прочитано'), unread: words('未读', 'unread', 'не прочитано') };

export const messageSheet: TableSheet<MessageRow> = {
  name: words('消息', 'Messages', 'Сообщения'),
  columns: [
    { header: words('时间', 'Time', 'Время'), kind: 'instant', cell: ({ time }) => new Date(time) },
    { header: words('类型', 'Type', 'Тип'), cell: ({ type }, language) => messageTypeNames[language][type] },
    { header: words('标题', 'Title', 'Заголовок'), cell: ({ title }) => title },
    { header: words('内容', 'Text', 'Текст'), cell: ({ text }) => text },
    {
      header: words('状态', 'Status', 'Состояние'),
      cell: ({ read }, language) => states[read ? 'read' : 'unread'][language],
    },
  ],
};
