/** Setup of a test file about notices of alarms that the engine judges: one webhook for all, and no planner. */
import pino from 'pino';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type AlarmWorld, createAlarmWorld } from '#server/alarms/alarms.world.ts';
import { writeSetting } from '#server/core/settings.ts';
import { start } from '#test/alarm-feeder.ts';
import { type StandIn, standIn } from '#test/stand-in.ts';
import { testVault } from '#test/vault.ts';
import { createNotices } from './worker.ts';

interface Parts {
  server: AlarmWorld;
  service: StandIn;
}

export const judgedWorld = () => {
  // Assigned before the first test.
  const parts = {} as Parts;
  beforeAll(async () => {
    parts.service = await standIn();
    parts.server = await createAlarmWorld();
    const { db } = parts.server.world;
    await writeSetting(db, 'notices', { private_targets: true, language: 'en-US' }, start);
  });
  afterAll(async () => {
    await parts.server.close();
    await parts.service.close();
  });
  const rule = (given: { path?: string; codes?: number[]; levels?: number[]; projects?: number[] } = {}) =>
    parts.server.world.db
      .insertInto('notices')
      .values({
        channel: 'webhook',
        webhook_url: `${parts.service.url}/${given.path ?? 'hook'}`,
        language: 'en-US',
        owner_id: parts.server.operator.userId,
        codes: given.codes ?? [],
        levels: given.levels ?? [],
        project_ids: given.projects ?? [],
        created_at: new Date(start),
        updated_at: new Date(start),
        deleted_at: null,
        window_from: null,
        window_to: null,
      })
      .execute();
  beforeEach(async () => {
    const { db, clock } = parts.server.world;
    clock.set(start);
    await parts.server.renew();
    for (const table of ['deliveries', 'alarm_notices', 'notices'] as const)
      await db.deleteFrom(table).execute();
    parts.service.heard.length = 0;
    await rule();
  });
  return Object.assign(parts, {
    rule,
    /** Nothing was planned while the alarms changed: the process was killed, or its planner was stuck. */
    async plansAfter(ms: number) {
      const { world } = parts.server;
      world.clock.set(start + ms);
      const notices = createNotices({ ...world, log: pino({ level: 'silent' }), vault: testVault });
      await notices.start();
      for (let looks = 0; looks < 4; looks += 1) {
        await notices.idle();
        world.clock.advance(6000);
      }
      await notices.idle();
      await notices.stop();
    },
    async alarmOf(code: number): Promise<number> {
      const found = (await parts.server.list()).find((row) => row.typeNumber === code);
      return found?.id ?? 0;
    },
    async ledger(id: number): Promise<string[]> {
      return (await parts.server.operator.call('/device_warning/getDetatil', { id })).data.deliveries.map(
        (row: { kind: string; state: string; reason: string | null }) =>
          [row.kind, row.state, row.reason].filter(Boolean).join(' '),
      );
    },
    /** What the webhook at a path was told: kind and alarm type. */
    told(path = 'hook'): string[] {
      return parts.service.heard
        .filter((request) => request.path === `/${path}`)
        .map(({ body }) => JSON.parse(body))
        .map((body: { kind: string; typeNumber: number }) => `${body.kind} ${body.typeNumber}`);
    },
  });
};
