import { sql } from 'kysely';
import { type deviceEndpoints, mostPanelCodes } from '#contract/devices.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { inScope, type Scope } from '#server/core/scope.ts';
import { mustSeeProject } from '#server/core/visible-project.ts';

type Body = BodyOf<typeof deviceEndpoints.codes>;
type Reply = ReplyOf<typeof deviceEndpoints.codes>;

/**
 * Contents of panel QR codes: for one device, or all of a project. `origin`: the address at which users reach
 * the console.
 */
export const panelCodes = async (
  db: Db,
  scope: Scope,
  { device_id, project_id }: Body,
  origin: string,
): Promise<Reply> => {
  if (project_id !== undefined) await mustSeeProject(db, scope, project_id);
  const is = (column: string, value: number | undefined) =>
    value === undefined ? sql`true` : sql`${sql.ref(column)} = ${value}`;
  const { rows } = await sql<{ device_id: number; number: string; name: string; total: number }>`
    select d.id as device_id, d.number, d.name, count(*) over ()::int as total from devices d
    where ${is('d.id', device_id)} and ${is('d.project_id', project_id)} and ${notDeleted('d')}
      and ${inScope(scope, 'd.project_id', 'd.part_id')}
    order by d.number limit ${mostPanelCodes}`.execute(db);
  if (device_id !== undefined && rows.length === 0) fault('device.missing');
  return {
    total: rows[0]?.total ?? 0,
    list: rows.map(({ total: _, ...device }) => ({ ...device, url: `${origin}/p/${device.number}` })),
  };
};
