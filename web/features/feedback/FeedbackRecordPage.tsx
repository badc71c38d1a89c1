import { useQuery } from '@tanstack/react-query';
import { App } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { type FeedbackRow, feedbackEndpoints, feedbackTypes } from '#contract/feedback.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { filled } from '#web/api/filled.ts';
import { keptQuery, useReload } from '#web/api/query.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import { RowActs } from '#web/parts/table/RowActs.tsx';
import type { DataColumn } from '#web/parts/table/types.ts';
import { listShape, optionalOf, optionalText, useUrlState } from '#web/parts/url-state.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import './feedback.css';
import { choiceOf } from '#web/parts/filter-types.ts';
import { RemoveSelected, removeAct } from '#web/parts/table/remove.tsx';

const ReplyForm = lateDialog(async () => (await import('./ReplyForm.tsx')).ReplyForm);

const search = z.object({
  ...listShape,
  sort: optionalOf(['time', '-time']),
  nickname: optionalText,
  type: optionalOf(feedbackTypes),
  answered: optionalOf(['yes', 'no']),
  from: optionalText,
  to: optionalText,
});

/** Feedback of users, with the answers. */
const shortName = ({ content }: FeedbackRow) => content.slice(0, 40);

export const FeedbackRecordPage = () => {
  const { t } = useTranslation('feedback');
  useDialogsAhead(ReplyForm);
  const { message } = App.useApp();
  const changed = useReload(feedbackEndpoints.list);
  const confirm = useConfirm();
  const [state, setState] = useUrlState(search);
  const [open, setOpen] = useState<FeedbackRow | null>(null);
  const { page, limit, sort, nickname, type, answered, from, to } = state;
  const filter = filled({ nickname, type, answered, from, to });
  const query = useQuery(keptQuery(feedbackEndpoints.list, { page, limit, ...filled({ sort }), ...filter }));
  const remove = async (ids: readonly number[]) => {
    const sure = await confirm({
      title: t(($) => $.remove.title, { count: ids.length }),
      content: t(($) => $.remove.text),
      okText: t(($) => $.remove.act),
      danger: true,
    });
    if (!sure) return;
    await attempt(async () => {
      const { done } = await call(feedbackEndpoints.remove, { ids: [...ids] });
      void message.success(t(($) => $.remove.done, { count: done }));
      await changed();
    });
  };
  return (
    <>
      <PageHeader title={t(($) => $.title)}>
        <ExportButton endpoint={feedbackEndpoints.export} body={filter} fileName={t(($) => $.title)} />
      </PageHeader>
      <DataTable
        id="feedback"
        label={t(($) => $.title)}
        columns={useFeedbackColumns(setOpen)}
        rowId={({ id }) => id}
        rowName={shortName}
        query={query}
        state={state}
        onState={setState}
        filters={[
          { kind: 'text', name: 'nickname', label: t(($) => $.column.nickname), primary: true },
          choiceOf(
            'type',
            t(($) => $.column.type),
            feedbackTypes,
            (value) => t(($) => $.type[value]),
          ),
          choiceOf(
            'answered',
            t(($) => $.column.reply),
            ['no', 'yes'] as const,
            (value) => t(($) => $.answered[value]),
          ),
          {
            kind: 'range',
            from: 'from',
            to: 'to',
            label: [t(($) => $.from), t(($) => $.to)],
          },
        ]}
        empty={t(($) => $.empty)}
        actions={(row) => (
          <RowActs
            name={shortName(row)}
            first={{ key: 'reply', label: t(($) => $.reply.act), onClick: () => setOpen(row) }}
            rest={[
              removeAct(
                t(($) => $.remove.act),
                () => void remove([row.id]),
              ),
            ]}
          />
        )}
        bulk={(selection, clear) => (
          <RemoveSelected
            selection={selection}
            clear={clear}
            label={t(($) => $.remove.act)}
            onRemove={remove}
          />
        )}
      />
      {open && <ReplyForm row={open} onClose={() => setOpen(null)} onSaved={changed} />}
    </>
  );
};

const useFeedbackColumns = (onOpen: (row: FeedbackRow) => void): readonly DataColumn<FeedbackRow>[] => {
  const { t } = useTranslation('feedback');
  return [
    {
      key: 'content',
      title: t(($) => $.column.content),
      wraps: 'text',
      required: true,
      card: 'title',
      render: (row) => (
        <button type="button" className="link-button feedback-open" onClick={() => onOpen(row)}>
          {row.content}
        </button>
      ),
    },
    { key: 'type', title: t(($) => $.column.type), render: ({ type }) => t(($) => $.type[type]) },
    {
      key: 'nickname',
      title: t(($) => $.column.nickname),
      wraps: 'name',
      render: ({ nickname, project_name }) => (
        <>
          {nickname}
          {project_name && <span className="soft"> · {project_name}</span>}
        </>
      ),
    },
    {
      key: 'contact',
      title: t(($) => $.column.contact),
      wraps: 'name',
      render: ({ contact }) => contact || <span className="soft">—</span>,
    },
    {
      key: 'time',
      title: t(($) => $.column.time),
      sort: 'time',
      render: ({ time }) => <TimeText at={time} />,
    },
    {
      key: 'reply',
      title: t(($) => $.column.reply),
      wraps: 'text',
      card: 'state',
      render: ({ reply }) =>
        reply === null ? t(($) => $.answered.no) : <span className="feedback-text">{reply}</span>,
    },
  ];
};
