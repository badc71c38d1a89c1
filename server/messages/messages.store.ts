import { sql } from 'kysely';
import * as z from 'zod';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import { type MessageKey, messageText, messageTypeNames } from '#contract/message-words.ts';
import {
  type MessageRow,
  type MessageType,
  type messageEndpoints,
  messageTypes,
} from '#contract/messages.ts';
import type { Db } from '#database/connect.ts';
import { cursorKey, cursorOf } from '#server/core/cursor.ts';
import { fault } from '#server/core/fault.ts';

const place = z.tuple([z.int()]);

export interface Post {
  userIds: readonly number[];
  type: MessageType;
  key: MessageKey;
  /** Parameters of the sentence. */
  data?: Readonly<Record<string, unknown>>;
  projectId?: number | null;
  deviceId?: number | null;
  alarmId?: number | null;
  /** A user gets only one message with this key. */
  dedupe?: string;
  now: number;
}

/**
 * Adds messages for users within the caller's transaction. Returns who got one: emit `message.posted` with
 * them after the commit.
 */
export const postMessages = async (trx: Db, posts: readonly Post[]): Promise<number[]> => {
  const rows = posts.flatMap(({ userIds, ...post }) =>
    [...new Set(userIds)].map((userId) => ({
      user_id: userId,
      type: post.type,
      key: post.key,
      data: post.data ?? {},
      project_id: post.projectId ?? null,
      device_id: post.deviceId ?? null,
      alarm_id: post.alarmId ?? null,
      at: new Date(post.now).toISOString(),
      dedupe: post.dedupe ?? null,
    })),
  );
  if (rows.length === 0) return [];
  const posted = await sql<{ user_id: number }>`
    insert into messages (user_id, type, key, data, project_id, device_id, alarm_id, at, dedupe)
    select user_id, type, key, data, project_id, device_id, alarm_id, at, dedupe
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (user_id int, type text, key text, data jsonb,
      project_id int, device_id int, alarm_id bigint, at timestamptz, dedupe text))
      with ordinality as r (user_id, type, key, data, project_id, device_id, alarm_id, at, dedupe, n)
    order by n
    on conflict (user_id, dedupe) where dedupe is not null do nothing
    returning user_id`.execute(trx);
  return posted.rows.map((row) => row.user_id);
};
export const postMessage = (trx: Db, post: Post): Promise<number[]> => postMessages(trx, [post]);

type List = BodyOf<typeof messageEndpoints.list>;

/** All messages here belong to one user. */
export const messageStore = (db: Db, userId: number) => {
  const own = db.selectFrom('messages').where('user_id', '=', userId);
  const onWire = (
    row: Pick<MessageRow, 'id' | 'project_id' | 'device_id' | 'alarm_id'> & {
      type: string;
      key: string;
      data: Record<string, unknown>;
      at: Date;
      read_at: Date | null;
    },
    language: Language,
  ): MessageRow => ({
    id: row.id,
    type: messageTypes.find((type) => type === row.type) ?? 'system',
    ...messageText(language, row.key, row.data),
    time: row.at.toISOString(),
    read: row.read_at !== null,
    project_id: row.project_id,
    device_id: row.device_id,
    alarm_id: row.alarm_id,
  });
  const store = {
    async list(body: List, language: Language) {
      let query = own;
      if (body.type) query = query.where('type', '=', body.type);
      if (body.read) query = query.where('read_at', body.read === 'read' ? 'is not' : 'is', null);
      const { total } = await query
        .select((select) => select.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const [after] = body.cursor === undefined ? [] : cursorKey(body.cursor, place);
      const rows = await query
        .selectAll()
        .$if(after !== undefined, (page) => page.where('id', '<', after!))
        .orderBy('id', body.sort === 'time' ? 'asc' : 'desc')
        .limit(body.limit)
        .offset(after === undefined ? (body.page - 1) * body.limit : 0)
        .execute();
      const last = rows.at(-1);
      return {
        list: rows.map((row) => onWire(row, language)),
        total,
        page: body.page,
        limit: body.limit,
        next_cursor: last && rows.length === body.limit && body.sort !== 'time' ? cursorOf(last.id) : null,
      };
    },
    async types(language: Language): Promise<ReplyOf<typeof messageEndpoints.types>> {
      const { rows } = await sql<{ type: string; unread: number; total: number }>`
        select type, count(*) filter (where read_at is null) as unread, count(*) as total
        from messages where user_id = ${userId} group by type`.execute(db);
      const list = messageTypes.map((type) => {
        const row = rows.find((found) => found.type === type);
        return {
          type,
          name: messageTypeNames[language][type],
          unread: row?.unread ?? 0,
          total: row?.total ?? 0,
        };
      });
      return { list, unread: list.reduce((sum, { unread }) => sum + unread, 0) };
    },
    async unread(): Promise<number> {
      const { unread } = await own
        .where('read_at', 'is', null)
        .select((select) => select.fn.countAll<number>().as('unread'))
        .executeTakeFirstOrThrow();
      return unread;
    },
    async read(which: { ids?: readonly number[] | undefined; type?: string | undefined }, now: number) {
      const rows = await db
        .updateTable('messages')
        .set({ read_at: new Date(now) })
        .where('user_id', '=', userId)
        .where('read_at', 'is', null)
        .$if(which.ids !== undefined, (query) => query.where('id', 'in', [...which.ids!, 0]))
        .$if(which.type !== undefined, (query) => query.where('type', '=', which.type!))
        .executeTakeFirst();
      return { done: Number(rows.numUpdatedRows), unread: await store.unread() };
    },
    async remove(ids: readonly number[]) {
      const rows = await db
        .deleteFrom('messages')
        .where('user_id', '=', userId)
        .where('id', 'in', [...ids, 0])
        .executeTakeFirst();
      return { done: Number(rows.numDeletedRows), unread: await store.unread() };
    },
    /** Throws `message.missing`, also for another user's message. */
    async detail(id: number, language: Language): Promise<MessageRow> {
      const row = (await own.selectAll().where('id', '=', id).executeTakeFirst()) ?? fault('message.missing');
      return onWire(row, language);
    },
  };
  return store;
};

/** Number of unread messages of each of these users. */
export const unreadOf = async (db: Db, userIds: readonly number[]): Promise<Map<number, number>> => {
  const { rows } = await sql<{ user_id: number; unread: number }>`
    select user_id, count(*) as unread from messages
    where read_at is null and user_id = any(${[...userIds]}::int[]) group by user_id`.execute(db);
  return new Map(userIds.map((id) => [id, rows.find((row) => row.user_id === id)?.unread ?? 0]));
};
