import type { CategoryRow } from './categories.ts';
import type { ContentRow } from './content.ts';
import type { FeedbackRow, FeedbackType } from './feedback.ts';
import { type Words, words } from './languages.ts';
import type { TableSheet } from './sheet.ts';

const statusWords = {
  enabled: words('启用', 'Enabled', 'Включено'),
  disabled: words('停用', 'Disabled', 'Отключено'),
} as const;
const status = words('状态', 'Status', 'Состояние');
const created = words('创建时间', 'Created', 'Создано');
const dateOf = (at: string | null): Date | null => (at === null ? null : new Date(at));

export const contentSheet: TableSheet<ContentRow> = {
  name: words('内容', 'Content', 'Материалы'),
  columns: [
    { header: words('标题', 'Title', 'Заголовок'), cell: ({ title }) => title },
    { header: words('内容', 'Content', 'Текст'), cell: ({ content }) => content },
    { header: status, cell: (row, language) => statusWords[row.status][language] },
    { header: words('作者', 'Author', 'Автор'), cell: ({ author }) => author },
    { header: created, kind: 'instant', cell: ({ created_at }) => dateOf(created_at) },
    {
      header: words('更新时间', 'Changed', 'Изменено'),
      kind: 'instant',
      cell: ({ updated_at }) => dateOf(updated_at),
    },
  ],
};

export const categorySheet: TableSheet<CategoryRow> = {
  name: words('类别', 'Categories', 'Категории'),
  columns: [
    { header: words('类别名称', 'Name', 'Название'), cell: ({ name }) => name },
    { header: words('描述', 'Description', 'Описание'), cell: ({ description }) => description },
    { header: words('设备数', 'Devices', 'Устройств'), kind: 'number', cell: ({ devices }) => devices },
    { header: status, cell: (row, language) => statusWords[row.status][language] },
    { header: created, kind: 'instant', cell: ({ created_at }) => dateOf(created_at) },
  ],
};

const feedbackTypeWords: Readonly<Record<FeedbackType, Words>> = {
  problem: words('故障问题', 'Problem', 'Проблема'),
  suggestion: words('功能建议', 'Suggestion', 'Предложение'),
  question: words('使用咨询', 'Question', 'Вопрос'),
  other: words('其他', 'Other', 'Другое'),
};

export const feedbackSheet: TableSheet<FeedbackRow> = {
  name: words('反馈记录', 'Feedback', 'Обратная связь'),
  columns: [
    { header: words('用户昵称', 'Nickname', 'Имя пользователя'), cell: ({ nickname }) => nickname },
    { header: words('联系方式', 'Contact', 'Контакт'), cell: ({ contact }) => contact },
    { header: words('反馈时间', 'Time', 'Время'), kind: 'instant', cell: ({ time }) => dateOf(time) },
    { header: words('类型', 'Type', 'Тип'), cell: (row, language) => feedbackTypeWords[row.type][language] },
    { header: words('反馈内容', 'Content', 'Текст обращения'), cell: ({ content }) => content },
    { header: words('所属项目', 'Project', 'Объект'), cell: ({ project_name }) => project_name },
    { header: words('回复', 'Answer', 'Ответ'), cell: ({ reply }) => reply },
    {
      header: words('回复时间', 'Answered', 'Время ответа'),
      kind: 'instant',
      cell: ({ replied_at }) => dateOf(replied_at),
    },
    { header: words('回复人', 'Answered by', 'Ответил'), cell: ({ replied_by }) => replied_by },
  ],
};
