import { sql } from 'kysely';
import type { BodyOf } from '#contract/endpoint.ts';
import type { FaultCode } from '#contract/faults/codes.ts';
import type { statisticsEndpoints } from '#contract/statistics.ts';
import { type TariffContent, tariffFlaws } from '#contract/tariffs.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';
import { needsEveryProject, projectInScope, type Scope } from '#server/core/scope.ts';
import { mustSeeProject } from '#server/core/visible-project.ts';
import type { TariffVersion } from './tariff-slots.ts';

/** The versions that may apply to a project: its own and the installation's. */
export const versionsFor = async (db: Db, projectId: number | null): Promise<TariffVersion[]> => {
  const rows = await db
    .selectFrom('tariffs')
    .select(['project_id', 'valid_from', 'content'])
    .where((row) =>
      row.or([
        row('project_id', 'is', null),
        ...(projectId === null ? [] : [row('project_id', '=', projectId)]),
      ]),
    )
    .execute();
  return rows.map(({ project_id, valid_from, content }) => ({
    valid_from,
    of_project: project_id !== null,
    content,
  }));
};

/** A tariff applies to a whole project, so changing it requires the scope of the whole project. */
const maySet = async (db: Db, scope: Scope, projectId: number | null) => {
  if (projectId === null) return needsEveryProject(scope);
  await mustSeeProject(db, scope, projectId);
  if (!scope.all && !scope.projectIds.includes(projectId)) fault('permission.denied');
};

export const listTariffs = async (db: Db, scope: Scope, projectId: number | undefined) => {
  if (projectId !== undefined) await mustSeeProject(db, scope, projectId);
  const rows = await db
    .selectFrom('tariffs')
    .selectAll()
    .where('project_id', projectId === undefined ? 'is' : '=', projectId ?? null)
    .orderBy('valid_from', 'desc')
    .limit(200)
    .execute();
  return { list: rows.map((row) => ({ ...row, updated_at: row.updated_at.toISOString() })) };
};

type Saved = BodyOf<typeof statisticsEndpoints.saveTariff>;
const withFlaw = (content: TariffContent): void => {
  const flaws = tariffFlaws(content);
  const [first] = flaws;
  if (!first) return;
  // Parameters can fill only one sentence, so only the first fault with parameters is explained.
  const fields: Record<string, FaultCode> = { [`content.${first.field}`]: first.code };
  for (const { code, field, with: parameters } of flaws)
    if (Object.keys(parameters).length === 0) fields[`content.${field}`] ??= code;
  fault('request.invalid', { fields, with: { ...first.with } });
};

export const saveTariff = async (
  trx: Db,
  caller: { scope: Scope; name: string },
  { project_id, valid_from, revision, content }: Saved,
  now: Date,
): Promise<{ id: number; revision: number }> => {
  const projectId = project_id ?? null;
  await maySet(trx, caller.scope, projectId);
  withFlaw(content);
  await sql`select pg_advisory_xact_lock(hashtext('tariffs'), ${projectId ?? 0})`.execute(trx);
  const known = await trx
    .selectFrom('tariffs')
    .select(['id', 'revision'])
    .where('project_id', projectId === null ? 'is' : '=', projectId)
    .where('valid_from', '=', valid_from)
    .executeTakeFirst();
  if ((known?.revision ?? undefined) !== revision)
    fault('thing.changed', { data: { revision: known?.revision ?? null } });
  const written = { content: JSON.stringify(content), operator: caller.name, updated_at: now };
  if (known)
    return trx
      .updateTable('tariffs')
      .set({ ...written, revision: known.revision + 1 })
      .where('id', '=', known.id)
      .returning(['id', 'revision'])
      .executeTakeFirstOrThrow();
  return trx
    .insertInto('tariffs')
    .values({ project_id: projectId, valid_from, ...written })
    .returning(['id', 'revision'])
    .executeTakeFirstOrThrow();
};

export const removeTariff = async (trx: Db, scope: Scope, id: number) => {
  const known = await trx
    .selectFrom('tariffs')
    .select(['id', 'project_id', 'valid_from'])
    .where('id', '=', id)
    .where(sql<boolean>`(project_id is null or ${projectInScope(scope, 'tariffs.project_id')})`)
    .executeTakeFirst();
  if (!known) return fault('tariff.missing');
  await maySet(trx, scope, known.project_id);
  await trx.deleteFrom('tariffs').where('id', '=', id).execute();
  return known;
};
