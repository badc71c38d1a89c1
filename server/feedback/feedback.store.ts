import { sql } from 'kysely';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import { type FeedbackRow, type feedbackEndpoints, feedbackTypes } from '#contract/feedback.ts';
import type { Db } from '#database/connect.ts';
import { isActiveAccount } from '#server/core/account.ts';
import { isCalled } from '#server/core/account-search.ts';
import { displayNameOf } from '#server/core/display-name.ts';
import { fault } from '#server/core/fault.ts';
import { type Scope, wholeProjectInScope } from '#server/core/scope.ts';
import { everyRow } from '#server/core/table.ts';

type List = BodyOf<typeof feedbackEndpoints.list>;
type Filter = Pick<List, 'type' | 'answered' | 'nickname' | 'from' | 'to'>;
const mostShown = 100;
/** Maximum number per user and day. */
export const mostADay = 20;
const dayMs = 86_400_000;

/**
 * Feedback belongs to the project of its author, not to a part: users who see the whole project see it. Its author
 * always has `mine`.
 */
export const feedbackStore = (db: Db, caller: { userId: number; scope: Scope }) => {
  const visible = wholeProjectInScope(caller.scope, 'feedback.project_id');
  const all = () =>
    db
      .selectFrom('feedback')
      .innerJoin('users as writer', 'writer.id', 'feedback.user_id')
      .leftJoin('users as answerer', 'answerer.id', 'feedback.replied_by')
      .leftJoin('projects', 'projects.id', 'feedback.project_id');
  /** Conditions on `feedback` alone: the rows of a page are found before the names that it shows. */
  const matching = ({ type, answered, nickname, from, to }: Filter) =>
    db
      .selectFrom('feedback')
      .where(visible)
      .$if(type !== undefined, (query) => query.where('feedback.type', '=', type!))
      .$if(answered !== undefined, (query) =>
        query.where('feedback.reply', answered === 'yes' ? 'is not' : 'is', null),
      )
      .$if(nickname !== undefined, (query) =>
        query.where('feedback.user_id', 'in', db.selectFrom('users').select('id').where(isCalled(nickname!))),
      )
      .$if(from !== undefined, (query) => query.where('feedback.at', '>=', new Date(from!)))
      .$if(to !== undefined, (query) => query.where('feedback.at', '<', new Date(to!)));
  const read = async (
    query: ReturnType<typeof matching>,
    { limit, offset = 0, oldestFirst = false }: { limit: number; offset?: number; oldestFirst?: boolean },
  ): Promise<FeedbackRow[]> => {
    const direction = oldestFirst ? 'asc' : 'desc';
    const page = query
      .select('feedback.id')
      .orderBy('feedback.at', direction)
      .orderBy('feedback.id', direction)
      .limit(limit)
      .offset(offset);
    const rows = await all()
      .where('feedback.id', 'in', page)
      .select(['feedback.id', 'feedback.contact', 'feedback.at', 'feedback.type', 'feedback.content'])
      .select([
        'feedback.project_id',
        'projects.name as project_name',
        'feedback.reply',
        'feedback.replied_at',
      ])
      .select(displayNameOf('writer').as('nickname'))
      .select(displayNameOf('answerer').$castTo<string | null>().as('replied_by'))
      .orderBy('feedback.at', direction)
      .orderBy('feedback.id', direction)
      .execute();
    return rows.map(({ at, type, replied_at, ...row }) => ({
      ...row,
      time: at.toISOString(),
      type: feedbackTypes.find((known) => known === type) ?? 'other',
      replied_at: replied_at?.toISOString() ?? null,
    }));
  };
  return {
    async list(body: List): Promise<ReplyOf<typeof feedbackEndpoints.list>> {
      const { page, limit, sort } = body;
      const [{ total }, list] = await Promise.all([
        matching(body)
          .select((select) => select.fn.countAll<number>().as('total'))
          .executeTakeFirstOrThrow(),
        read(matching(body), { limit, offset: (page - 1) * limit, oldestFirst: sort === 'time' }),
      ]);
      return { list, total, page, limit };
    },
    every: (filter: Filter) =>
      everyRow(async ({ page, limit }) => ({
        list: await read(matching(filter), { limit, offset: (page - 1) * limit, oldestFirst: true }),
      })),
    async mine(): Promise<ReplyOf<typeof feedbackEndpoints.mine>> {
      const own = db.selectFrom('feedback').where('feedback.user_id', '=', caller.userId);
      return { list: await read(own, { limit: mostShown }) };
    },
    /** Throws `feedback.tooMany` above the daily maximum. */
    async add(body: BodyOf<typeof feedbackEndpoints.add>, at: Date) {
      // Held until the commit: a second feedback of the same user waits here, and then counts this one.
      await sql`select pg_advisory_xact_lock(hashtextextended(${`feedback ${caller.userId}`}, 0))`.execute(
        db,
      );
      const { today } = await db
        .selectFrom('feedback')
        .where('user_id', '=', caller.userId)
        .where('at', '>', new Date(at.getTime() - dayMs))
        .select((select) => select.fn.countAll<number>().as('today'))
        .executeTakeFirstOrThrow();
      if (today >= mostADay) fault('feedback.tooMany', { with: { most: mostADay } });
      const project = await db
        .selectFrom('user_projects')
        .select('project_id')
        .where('user_id', '=', caller.userId)
        .orderBy('project_id')
        .executeTakeFirst();
      return db
        .insertInto('feedback')
        .values({ ...body, user_id: caller.userId, project_id: project?.project_id ?? null, at })
        .returning('id')
        .executeTakeFirstOrThrow();
    },
    /** Returns the author, who must be notified. Throws `feedback.missing` outside the scope. */
    async reply({ id, reply }: BodyOf<typeof feedbackEndpoints.reply>, at: Date): Promise<number> {
      const answered = await db
        .updateTable('feedback')
        .set({ reply, replied_at: at, replied_by: caller.userId })
        .where('id', '=', id)
        .where(visible)
        .returning('user_id')
        .executeTakeFirst();
      return answered?.user_id ?? fault('feedback.missing');
    },
    async remove(ids: readonly number[]) {
      const gone = await db
        .deleteFrom('feedback')
        .where('id', 'in', [...ids])
        .where(visible)
        .executeTakeFirst();
      return { done: Number(gone.numDeletedRows) };
    },
  };
};

/** Administrators of the whole installation, who read feedback without a project. */
export const administratorsOf = async (db: Db): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select users.id from users join roles on roles.id = users.role_id
    where roles.code = 1 and ${isActiveAccount} limit 100`.execute(db);
  return rows.map(({ id }) => id);
};
