import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { operationLogEndpoints } from '#contract/operation-log.ts';
import { settingsEndpoints } from '#contract/settings.ts';
import { makeUser } from '#test/factories.ts';
import { createWorld } from '#test/world.ts';
import { createLog } from './log.ts';

it('logs every line that a call causes with the call’s request id, also after reading and writing', async () => {
  const lines: { msg: string; requestId?: string; about?: string }[] = [];
  const log = createLog({ level: 'info' }, { write: (text: string) => lines.push(JSON.parse(text)) });
  const names = ['control.evidenceS', 'control.switchExpiryS', 'control.otherExpiryS'];
  let reached = 0;
  const allReached = Promise.withResolvers<void>();
  const world = await createWorld((serve) => {
    serve(settingsEndpoints.set, async ({ db, body }) => {
      log.info({ about: body.name }, 'begun');
      await sql`select 1`.execute(db);
      // Each call waits until all have arrived, so that their later log lines alternate.
      reached += 1;
      if (reached === names.length) allReached.resolve();
      await allReached.promise;
      await Promise.all([1, 2].map(async () => log.info({ about: body.name }, 'deep')));
      throw new Error('ends here');
    });
    serve(operationLogEndpoints.failedSignIns, ({ body }) => {
      log.info({ about: 'read' }, 'begun');
      return { list: [], total: 0, page: body.page, limit: body.limit };
    });
  });
  try {
    const admin = await world.as((await makeUser(world.db, { role: 1 })).id);
    const ids = new Map<string, unknown>();
    await Promise.all([
      ...names.map(async (name) => {
        const { response } = await admin.call('/settings/set', { name, value: 20 });
        ids.set(name, response.headers['x-request-id']);
      }),
      admin
        .call('/operation_log/failed_sign_ins')
        .then(({ response }) => ids.set('read', response.headers['x-request-id'])),
    ]);
    log.info({ about: 'none' }, 'outside');
    expect(new Set(ids.values()).size).toBe(4);
    expect(lines.filter(({ msg }) => msg === 'deep')).toHaveLength(6);
    for (const { about, requestId } of lines) expect([about, requestId]).toEqual([about, ids.get(about!)]);
    expect(lines.at(-1)).not.toHaveProperty('requestId');
  } finally {
    await world.close();
  }
});
