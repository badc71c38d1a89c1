import { type Expression, type Selectable, type SqlBool, sql } from 'kysely';
import { alarmTypeOf } from '#contract/alarm-catalogue.ts';
import type { DeliveryRow } from '#contract/deliveries.ts';
import type { BodyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import type { NoticeRow, noticeEndpoints } from '#contract/notices.ts';
import { builtInRoles } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import type { DeliveriesTable, NoticesTable } from '#database/tables/notices.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import { displayNameOf } from '#server/core/display-name.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { outOfScope, type Scope } from '#server/core/scope.ts';
import type { Vault } from '#server/core/vault.ts';
import { type People, type Person, peopleOf } from './people.ts';
import { projectsOf, sharesProject } from './recipients.ts';
import { hidden, maskedUrl, openTarget, sealedTarget } from './webhook-target.ts';

type ListedRow = Omit<NoticeRow, 'updated_at' | 'has_secret' | 'webhook_unreadable'> &
  Pick<Selectable<NoticesTable>, 'updated_at' | 'webhook_secret' | 'sealed_webhook'>;
type Given = BodyOf<typeof noticeEndpoints.add>;
type List = BodyOf<typeof noticeEndpoints.list>;

/**
 * The webhook columns of a rule from the given address and key. A masked address that is sent back unchanged
 * keeps the stored address and its key.
 */
const webhookColumns = (
  vault: Vault,
  id: number,
  before: Selectable<NoticesTable> | null,
  { channel, webhook_url: url, webhook_secret: secret }: Given,
) => {
  if (channel !== 'webhook' || url === null)
    return { webhook_url: null, webhook_secret: null, sealed_webhook: null };
  const known = before?.webhook_url ?? null;
  const isShown = known !== null && url === maskedUrl(known);
  const target =
    known === null || before === null ? null : openTarget(vault, { ...before, webhook_url: known });
  if (isShown && target === null) {
    // Unreadable values stay as they are: the right key file may come back.
    if (secret === undefined) return {};
    if (url.includes(hidden))
      fault('request.invalid', { fields: { webhook_url: 'notice.webhookUnreadable' } });
  }
  const address = isShown && target !== null ? target.url : url;
  // A stored key signs only for the address that it was given for.
  const kept = target !== null && target.url === address ? target.secret : null;
  return sealedTarget(vault, id, { url: address, secret: (secret ?? kept) || null });
};

/**
 * A rule is managed by users who see all that it reports: its projects, as far as its owner sees them; one for all
 * projects by users who see everything.
 */
const ruleInScope = (scope: Scope): Expression<SqlBool> => {
  if (scope.all) return sql<SqlBool>`true`;
  const whole = sql`n.project_ids <@ ${[...scope.projectIds]}::int[]`;
  const ofParts = sql`n.project_ids <@ ${projectsOf(scope)}::int[]
    and not exists (select from users owner join roles on roles.id = owner.role_id
      where owner.id = n.owner_id and roles.code = ${builtInRoles.admin})
    and not exists (select from user_scopes theirs
      where theirs.user_id = n.owner_id and theirs.project_id = any(n.project_ids)
        and ${outOfScope(scope, 'theirs.project_id', 'theirs.part_id')})`;
  return sql<SqlBool>`(cardinality(n.project_ids) > 0
    and (${whole} or (${scope.partIds.length > 0 ? ofParts : sql`false`})))`;
};

export const deliveryOnWire = (row: Selectable<DeliveriesTable>): DeliveryRow => ({
  id: row.id,
  kind: row.kind,
  channel: row.channel,
  recipient: row.recipient,
  state: row.state,
  reason: row.reason,
  attempts: row.attempts,
  alarms: row.alarms,
  lead_id: row.lead_id,
  created_at: row.created_at.toISOString(),
  due_at: row.due_at.toISOString(),
  sent_at: row.sent_at?.toISOString() ?? null,
  ended_at: row.ended_at?.toISOString() ?? null,
  detail: row.detail,
});

const noticeOnWire = (vault: Vault, { webhook_secret, sealed_webhook, ...row }: ListedRow): NoticeRow => {
  const { id, webhook_url } = row;
  const target =
    webhook_url === null ? null : openTarget(vault, { id, webhook_url, webhook_secret, sealed_webhook });
  return {
    ...row,
    webhook_url: webhook_url && maskedUrl(webhook_url),
    has_secret: Boolean(target?.secret),
    webhook_unreadable: webhook_url !== null && target === null,
    updated_at: row.updated_at.toISOString(),
  };
};

const ledgerLimit = 500;
/** Who was notified of an alarm, oldest first. */
export const deliveriesOf = async (db: Db, alarmId: number): Promise<DeliveryRow[]> => {
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('alarm_id', '=', alarmId)
    .orderBy('id')
    .limit(ledgerLimit)
    .execute();
  return rows.map(deliveryOnWire);
};

export const noticeStore = (db: Db, scope: Scope, vault: Vault) => {
  const rowsWhere = async (
    conditions: readonly Expression<SqlBool>[],
    limit: number,
    offset: number,
    ascending: boolean,
  ) => {
    const { rows } = await sql<ListedRow>`
      select n.id, n.name, n.channel, n.to_contacts, n.codes as "typeNumbers", n.levels, n.silence_minutes,
        to_char(n.window_from, 'HH24:MI') as window_from, to_char(n.window_to, 'HH24:MI') as window_to,
        case when n.enabled then 'enabled' else 'disabled' end as status, n.webhook_url,
        n.webhook_secret, n.sealed_webhook, ${displayNameOf('o')} as owner, n.updated_at,
        coalesce((select jsonb_agg(jsonb_build_object('id', u.id, 'name', ${displayNameOf('u')})
          order by u.id) from users u where u.id = any(n.user_ids) and ${notDeleted('u')}), '[]') as users,
        coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name) order by p.id)
          from projects p where p.id = any(n.project_ids)), '[]') as projects
      from notices n join users o on o.id = n.owner_id
      where ${sql.join([notDeleted('n'), ruleInScope(scope), ...conditions], sql` and `)}
      order by n.id ${ascending ? sql`asc` : sql`desc`} limit ${limit} offset ${offset}`.execute(db);
    return rows.map((row) => noticeOnWire(vault, row));
  };
  const one = async (id: number): Promise<NoticeRow> => {
    const [row] = await rowsWhere([sql<SqlBool>`n.id = ${id}`], 1, 0, false);
    return row ?? fault('notice.missing');
  };

  const stored = async (id: number) => {
    await one(id);
    return db.selectFrom('notices').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  };

  return {
    one,
    async list(body: List) {
      const conditions: Expression<SqlBool>[] = [];
      if (body.channel) conditions.push(sql<SqlBool>`n.channel = ${body.channel}`);
      if (body.status) conditions.push(sql<SqlBool>`n.enabled = ${body.status === 'enabled'}`);
      if (body.project_id !== undefined)
        conditions.push(
          sql<SqlBool>`(cardinality(n.project_ids) = 0 or ${body.project_id} = any(n.project_ids))`,
        );
      const { rows } = await sql<{ total: number }>`select count(*) as total from notices n
        where ${sql.join([notDeleted('n'), ruleInScope(scope), ...conditions], sql` and `)}`.execute(db);
      const offset = (body.page - 1) * body.limit;
      return {
        list: await rowsWhere(conditions, body.limit, offset, body.sort === 'id'),
        total: rows[0]?.total ?? 0,
        page: body.page,
        limit: body.limit,
      };
    },

    /**
     * Throws the faults of the fields; `id` null adds. The writer becomes the owner: the rule sends nothing
     * outside their scope.
     */
    async write(id: number | null, body: Given, writer: { userId: number; language: Language }, now: number) {
      await check(db, scope, body);
      const before = id === null ? null : await stored(id);
      const at = new Date(now);
      const values = {
        name: body.name,
        channel: body.channel,
        to_contacts: body.channel !== 'webhook' && body.to_contacts,
        user_ids: body.channel === 'webhook' ? [] : [...new Set(body.user_ids)],
        project_ids: [...new Set(body.project_ids)],
        codes: [...new Set(body.typeNumbers)],
        levels: [...new Set(body.levels)],
        silence_minutes: body.silence_minutes,
        window_from: body.window_from,
        window_to: body.window_to,
        enabled: body.enabled,
        owner_id: writer.userId,
        updated_at: at,
      };
      if (before) {
        await db
          .updateTable('notices')
          .set((update) => ({
            ...values,
            ...webhookColumns(vault, before.id, before, body),
            revision: update('revision', '+', 1),
          }))
          .where('id', '=', before.id)
          .execute();
        return one(before.id);
      }
      const { id: added } = await db
        .insertInto('notices')
        .values({
          ...values,
          webhook_url: body.channel === 'webhook' ? maskedUrl(body.webhook_url!) : null,
          language: writer.language,
          created_at: at,
          deleted_at: null,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      // The encryption is bound to the row's id.
      await db
        .updateTable('notices')
        .set(webhookColumns(vault, added, null, body))
        .where('id', '=', added)
        .execute();
      return one(added);
    },

    async remove(ids: readonly number[], now: number) {
      const { rows } = await sql<{ id: number }>`update notices n set deleted_at = ${new Date(now)}
        where n.id = any(${[...ids]}::int[]) and ${notDeleted('n')} and ${ruleInScope(scope)}
        returning n.id`.execute(db);
      const gone = new Set(rows.map((row) => row.id));
      const results = [...new Set(ids)].map((id) => ({
        id,
        result: gone.has(id) ? ('done' as const) : ('denied' as const),
      }));
      return { results, done: gone.size, denied: results.length - gone.size };
    },

    /**
     * Queues a test message to every recipient of a rule, regardless of its switch, window and silence
     * period.
     */
    async test(id: number, now: number): Promise<number[]> {
      const rule = await stored(id);
      const people = await peopleOf(db);
      const to =
        rule.channel === 'webhook'
          ? [
              {
                recipient: URL.parse(rule.webhook_url ?? '')?.host ?? '',
                user_id: null,
                target: `n${rule.id}`,
              },
            ]
          : [
              ...new Map(
                [
                  ...rule.user_ids.map((userId) => people.byId(userId)),
                  ...(rule.to_contacts ? await contactsOf(db, people, rule.project_ids) : []),
                ]
                  .filter((person) => person !== undefined)
                  .map((person) => [
                    person.id,
                    { recipient: person.name, user_id: person.id, target: `u${person.id}` },
                  ]),
              ).values(),
            ];
      if (to.length === 0) return [];
      const rows = await db
        .insertInto('deliveries')
        .values(
          to.map((recipient) => ({
            ...recipient,
            line_id: 0,
            alarm_id: 0,
            notice_id: rule.id,
            kind: 'test' as const,
            channel: rule.channel,
            device_id: 0,
            code: 0,
            severity: 4,
            state: 'queued' as const,
            reason: null,
            lead_id: null,
            created_at: new Date(now),
            due_at: new Date(now),
            sent_at: null,
            ended_at: null,
          })),
        )
        .returning('id')
        .execute();
      return rows.map((row) => row.id);
    },

    /**
     * The deliveries of a rule: the requested tests, or its latest ones. The rule may have covered other projects
     * before, so each is shown only to readers of its alarm.
     */
    async deliveries(id: number, ids: readonly number[] | undefined): Promise<DeliveryRow[]> {
      await one(id);
      const rows = await db
        .selectFrom('deliveries')
        .selectAll()
        .where('notice_id', '=', id)
        .where(
          sql<SqlBool>`(kind = 'test' or exists (select from alarms a
            where a.line_id = deliveries.line_id and a.id = deliveries.alarm_id and ${alarmsInScope(scope)}))`,
        )
        .$if(ids !== undefined, (query) => query.where('id', 'in', [...ids!, 0]))
        .orderBy('id', 'desc')
        .limit(200)
        .execute();
      return rows.map(deliveryOnWire);
    },
  };
};

const contactsOf = async (db: Db, people: People, projectIds: readonly number[]): Promise<Person[]> => {
  const rows = await db
    .selectFrom('projects')
    .select(['id', 'contact_phone'])
    .where('id', 'in', [...projectIds, 0])
    .where('contact_phone', '<>', '')
    .execute();
  const found: Person[] = [];
  for (const { id, contact_phone } of rows)
    found.push(...(await people.ofContact(contact_phone, { lineId: 0, projectId: id, partId: null })));
  return found;
};

const check = async (db: Db, scope: Scope, given: Given): Promise<void> => {
  const wrong = (fields: Record<string, Parameters<typeof fault>[0]>) => fault('request.invalid', { fields });
  if (
    (given.window_from === null) !== (given.window_to === null) ||
    (given.window_from !== null && given.window_from === given.window_to)
  )
    wrong({ window_to: 'notice.window' });
  if (given.typeNumbers.some((code) => !alarmTypeOf(code))) wrong({ typeNumbers: 'notice.codes' });
  if (!scope.all) {
    const mine = new Set(projectsOf(scope));
    if (given.project_ids.length === 0 || given.project_ids.some((id) => !mine.has(id)))
      wrong({ project_ids: 'notice.projects' });
  } else if (given.project_ids.length > 0) {
    const found = await db
      .selectFrom('projects')
      .select('id')
      .where('id', 'in', given.project_ids)
      .where(notDeleted('projects'))
      .execute();
    if (found.length < new Set(given.project_ids).size) wrong({ project_ids: 'notice.projects' });
  }
  if (given.channel === 'webhook') {
    if (given.webhook_url === null) wrong({ webhook_url: 'notice.webhook' });
    return;
  }
  if (given.user_ids.length === 0 && !given.to_contacts) wrong({ user_ids: 'notice.recipients' });
  if (given.user_ids.length === 0) return;
  const people = await peopleOf(db);
  for (const id of given.user_ids) {
    const person = people.byId(id) ?? wrong({ user_ids: 'notice.unknownUser' });
    if (!sharesProject(scope, await person.scope())) wrong({ user_ids: 'notice.unknownUser' });
  }
};
