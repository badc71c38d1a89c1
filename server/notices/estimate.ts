import { sql } from 'kysely';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import { estimateDays, type noticeEndpoints } from '#contract/notices.ts';
import type { Db } from '#database/connect.ts';
import { alarmsInScope } from '#server/core/alarm-scope.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { projectInScope, type Scope } from '#server/core/scope.ts';
import { peopleOf } from './people.ts';
import { sharesProject } from './recipients.ts';

const day = 86_400_000;
/** Maximum number of different contact numbers that are looked up. */
const mostContacts = 5000;

/** Whom this rule would notify, and how many alarms of the last days it would have reported. */
export const estimateOf = async (
  db: Db,
  scope: Scope,
  given: BodyOf<typeof noticeEndpoints.estimate>,
  now: number,
): Promise<ReplyOf<typeof noticeEndpoints.estimate>> => {
  const chosen = (column: string, values: readonly number[]) =>
    values.length === 0 ? sql`true` : sql`${sql.ref(column)} = any(${[...values]}::int[])`;
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from counted_alarms() a
    where a.raised_at > ${new Date(now - estimateDays * day)}
      and ${alarmsInScope(scope)} and ${chosen('a.project_id', given.project_ids)}
      and ${chosen('a.code', given.typeNumbers)} and ${chosen('a.level', given.levels)}`.execute(db);
  const alarms = rows[0]?.n ?? 0;
  if (given.channel === 'webhook') return { people: 0, alarms };
  const people = await peopleOf(db);
  const reached = new Set<number>();
  for (const id of given.user_ids) {
    const person = people.byId(id);
    if (person && sharesProject(scope, await person.scope())) reached.add(id);
  }
  if (given.to_contacts) {
    const contacts = await sql<{ phone: string; project_id: number }>`
      select distinct coalesce(d.contacts -> 0 ->> 'phone', p.contact_phone) as phone, p.id as project_id
      from projects p left join devices d on d.project_id = p.id and ${notDeleted('d')}
      where ${notDeleted('p')} and ${projectInScope(scope, 'p.id')} and ${chosen('p.id', given.project_ids)}
      limit ${mostContacts}`.execute(db);
    for (const { phone, project_id } of contacts.rows)
      for (const person of await people.ofContact(phone ?? '', {
        lineId: 0,
        projectId: project_id,
        partId: null,
      }))
        reached.add(person.id);
  }
  return { people: reached.size, alarms };
};
