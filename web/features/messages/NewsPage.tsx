import { useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { type RefObject, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type MessageRow, messageEndpoints, messageTypes } from '#contract/messages.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { filled } from '#web/api/filled.ts';
import { useLive } from '#web/api/live.ts';
import { useKnown } from '#web/api/use-known.ts';
import { ExportButton } from '#web/parts/ExportButton.tsx';
import { FilterBar } from '#web/parts/FilterBar.tsx';
import { lateDialog, useDialogsAhead } from '#web/parts/late-dialog.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { TabBar } from '#web/parts/TabBar.tsx';
import { DataTable } from '#web/parts/table/DataTable.tsx';
import type { DataColumn, Selection } from '#web/parts/table/types.ts';
import { type SetUrl, useUrlState } from '#web/parts/url-state.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { CountBadge } from '#web/values/CountBadge.tsx';
import { LastSeen } from '#web/values/LastSeen.tsx';
import {
  type MessageSearch,
  messageSearch,
  messagesQuery,
  useMessagesChanged,
  useMessageTypes,
} from './messages.query.ts';
import './messages.css';
import { choiceOf } from '#web/parts/filter-types.ts';
import { useUnreadText } from './UnreadBadge.tsx';

const MessageDrawer = lateDialog(
  async () => (await import('./MessageDrawer.tsx')).MessageDrawer,
  ({ id }) => id !== null,
);

/** Marks messages as read, or deletes them. `known`: the number of unread messages that the page knows of. */
const useMessageActs = (known: RefObject<number | null>, search: MessageSearch, setSearch: SetUrl) => {
  const { t } = useTranslation('messages');
  const { message } = App.useApp();
  const confirm = useConfirm();
  const changed = useMessagesChanged();
  const { type } = search;
  const act = async (work: () => Promise<{ count: number; text: string } | null>) => {
    await attempt(async () => {
      const result = await work();
      if (result) void (result.count > 0 ? message.success(result.text) : message.info(result.text));
      await changed();
    });
  };
  const markRead = (ids: readonly number[], quietly = false) =>
    act(async () => {
      const { done, unread } = await call(messageEndpoints.read, { ids: [...ids] });
      known.current = unread;
      return quietly ? null : { count: done, text: t(($) => $.marked, { count: done }) };
    });
  const markAll = () =>
    act(async () => {
      const { done, unread } = await call(messageEndpoints.read, type ? { type } : { all: true });
      known.current = unread;
      return { count: done, text: t(($) => $.marked, { count: done }) };
    });
  const remove = async (ids: readonly number[]) => {
    const sure = await confirm({
      title: t(($) => $.remove.title, { count: ids.length }),
      content: t(($) => $.remove.text),
      okText: t(($) => $.remove.act),
      danger: true,
    });
    if (!sure) return;
    await act(async () => {
      const { done, unread } = await call(messageEndpoints.remove, { ids: [...ids] });
      known.current = unread;
      if (search.message !== undefined && ids.includes(search.message)) setSearch({ message: undefined });
      return { count: done, text: t(($) => $.remove.done, { count: done }) };
    });
  };
  return { markRead, markAll, remove };
};

const useMessageColumns = (onOpen: (id: number) => void): DataColumn<MessageRow>[] => {
  const { t } = useTranslation('messages');
  return [
    {
      key: 'title',
      title: t(($) => $.column.title),
      wraps: 'text',
      required: true,
      card: 'title',
      render: (row) => (
        <button
          type="button"
          className={`link-button news-open${row.read ? '' : ' news-unread'}`}
          onClick={() => onOpen(row.id)}
        >
          {!row.read && <span className="news-dot" aria-hidden />}
          {row.title}
        </button>
      ),
    },
    {
      key: 'text',
      title: t(($) => $.column.text),
      wraps: 'text',
      render: (row) => <span className="news-text">{row.text}</span>,
    },
    { key: 'type', title: t(($) => $.column.type), render: (row) => t(($) => $.type[row.type]) },
    {
      key: 'time',
      title: t(($) => $.column.time),
      sort: 'time',
      render: (row) => <LastSeen at={row.time} />,
    },
    {
      key: 'state',
      title: t(($) => $.column.state),
      card: 'state',
      render: (row) => (
        <span className={row.read ? 'soft' : 'news-unread'}>
          {t(($) => $.state[row.read ? 'read' : 'unread'])}
        </span>
      ),
    },
  ];
};

/** The user's messages: by type, newest first. */
export const NewsPage = () => {
  const { t } = useTranslation('messages');
  useDialogsAhead(MessageDrawer);
  const changed = useMessagesChanged();
  const [search, setSearch] = useUrlState(messageSearch);
  const query = useQuery(messagesQuery(search));
  const types = useKnown(useMessageTypes());
  const textOf = useUnreadText();
  const [fresh, setFresh] = useState(0);
  const known = useRef<number | null>(null);
  known.current ??= types?.unread ?? null;
  useLive('message', ({ unread }) => {
    const more = unread - (known.current ?? unread);
    known.current = unread;
    if (more > 0) setFresh((before) => before + more);
  });
  const rows = query.data?.list ?? [];
  const { type, read } = search;

  const { markRead, markAll, remove } = useMessageActs(known, search, setSearch);
  // The server names only types that have messages.
  const unreadOf = (which: string) => types && (types.list.find((each) => each.type === which)?.unread ?? 0);
  const tab = (key: string, label: string, unread: number | undefined) => ({
    key,
    label: (
      <span className="news-tab">
        {label} <CountBadge count={unread} title={textOf(unread)} />
      </span>
    ),
  });
  const columns = useMessageColumns((id) => setSearch({ message: id }, { push: true }));
  return (
    <>
      <PageHeader title={t(($) => $.title)}>
        <Button disabled={(type ? unreadOf(type) : types?.unread) === 0} onClick={() => void markAll()}>
          {t(($) => $.markAll)}
        </Button>
      </PageHeader>
      <TabBar
        label={t(($) => $.title)}
        active={type ?? 'all'}
        onChange={(key) =>
          setSearch({ type: key === 'all' ? undefined : key, page: undefined }, { push: true })
        }
        tabs={[
          tab(
            'all',
            t(($) => $.all),
            types?.unread,
          ),
          ...messageTypes.map((each) =>
            tab(
              each,
              t(($) => $.type[each]),
              unreadOf(each),
            ),
          ),
        ]}
      >
        <FilterBar
          fields={[
            choiceOf(
              'read',
              t(($) => $.column.state),
              ['unread', 'read'] as const,
              (value) => t(($) => $.state[value]),
            ),
          ]}
          values={{ read }}
          onChange={setSearch}
        />
        <DataTable
          id="messages"
          label={t(($) => $.title)}
          columns={columns}
          rowId={({ id }) => id}
          rowName={({ title }) => title}
          query={query}
          state={search}
          onState={setSearch}
          tools={
            <ExportButton
              endpoint={messageEndpoints.export}
              body={filled({ type, read })}
              fileName={t(($) => $.title)}
            />
          }
          fresh={{
            count: fresh,
            onShow: () => {
              setFresh(0);
              void changed();
            },
          }}
          filtered={type !== undefined || read !== undefined}
          onResetFilters={() => setSearch({ type: undefined, read: undefined })}
          empty={t(($) => $.empty)}
          bulk={(selection: Selection, clear) =>
            selection.kind === 'rows' && (
              <>
                <Button type="primary" onClick={() => void markRead(selection.ids).then(clear)}>
                  {t(($) => $.markRead)}
                </Button>
                <Button danger onClick={() => void remove(selection.ids).then(clear)}>
                  {t(($) => $.remove.act)}
                </Button>
              </>
            )
          }
          actions={(row) => (
            <Button size="small" onClick={() => void remove([row.id])}>
              {t(($) => $.remove.act)}
            </Button>
          )}
        />
      </TabBar>
      <MessageDrawer
        id={search.message ?? null}
        onClose={() => setSearch({ message: undefined })}
        onRead={(row) => void markRead([row.id], true)}
        onDelete={(id) => void remove([id])}
      />
      <span className="out-of-sight" role="status">
        {rows.length === 0 ? '' : textOf(types?.unread)}
      </span>
    </>
  );
};
