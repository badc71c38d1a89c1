import { createECDH, randomBytes } from 'node:crypto';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { alarmRoutes } from '#server/alarms/alarms.routes.ts';
import type { Live } from '#server/core/live.ts';
import type { Serve } from '#server/core/serve.ts';
import { messageRoutes } from '#server/messages/messages.routes.ts';
import { noticeRoutes } from '#server/notices/notices.routes.ts';
import { createNotices, type Notices } from '#server/notices/worker.ts';
import { makeAlarm } from './alarm-factory.ts';
import { makeDevice, makeProject, makeUser } from './factories.ts';
import { type StandIn, standIn } from './stand-in.ts';
import { testVault } from './vault.ts';
import { type Client, createWorld, type World } from './world.ts';

type Device = Awaited<ReturnType<typeof makeDevice>>;
interface LedgerRow {
  kind: string;
  channel: string;
  state: string;
  reason: string | null;
  recipient: string;
  attempts: number;
  alarms: number;
  detail: Record<string, unknown>;
}
interface Parts {
  world: World;
  notices: Notices;
  /** Accepts webhooks and pushes, or refuses them. */
  service: StandIn;
  wechat: StandIn;
  admin: Client;
  /** Manages `project`; has the phone number of the second contact. */
  operator: Client;
  /** Manages `other`. */
  stranger: Client;
  project: { id: number };
  other: { id: number };
}
const hour = 3_600_000;

/**
 * Setup of a test file about notices: empty tables before each test, three people, and two external services.
 */
export const noticeWorld = (bind: (serve: Serve, live: Live) => void = () => {}) => {
  // Assigned before the first test.
  const parts = {} as Parts;
  const users: number[] = [];
  const signIn = async () => {
    const [admin, operator, stranger] = await Promise.all(users.map((id) => parts.world.as(id)));
    Object.assign(parts, { admin, operator, stranger });
  };

  beforeAll(async () => {
    parts.service = await standIn();
    parts.wechat = await standIn();
    parts.world = await createWorld((serve, given) => {
      parts.notices = createNotices({
        ...given,
        log: pino({ level: 'silent' }),
        vault: testVault,
        publicUrl: 'https://watch.example',
      });
      noticeRoutes(serve, { notices: parts.notices, vault: testVault });
      alarmRoutes(serve);
      messageRoutes(serve);
      bind(serve, given.live);
    });
    const { db } = parts.world;
    parts.project = await makeProject(db, { name: 'Harbour' });
    parts.other = await makeProject(db, { name: 'Mill', region_id: 310000 });
    users.push((await makeUser(db, { role: 1 })).id);
    users.push((await makeUser(db, { role: 3, projects: [parts.project] })).id);
    users.push((await makeUser(db, { role: 3, projects: [parts.other] })).id);
    await signIn();
    await db
      .updateTable('users')
      .set({ mobile: secondContact.phone, mobile_proved_at: new Date(parts.world.clock.now()) })
      .where('id', '=', parts.operator.userId)
      .execute();
    await parts.notices.start();
    const ways = {
      app_id: 'wx1',
      app_secret: 's3cret',
      template_id: 'T1',
      base_url: parts.wechat.url,
      private_targets: true,
      language: 'en-US',
    };
    expect((await parts.admin.call('/device_warning/set_notice_settings', ways)).code).toBe(200);
  });
  afterAll(async () => {
    await parts.notices.stop();
    await parts.world.close();
    await parts.service.close();
    await parts.wechat.close();
  });
  beforeEach(async () => {
    for (const table of [
      'deliveries',
      'alarm_notices',
      'notices',
      'push_subscriptions',
      'wechat_followers',
      'messages',
      'shelved_alarms',
      'alarms',
    ] as const)
      await parts.world.db.deleteFrom(table).execute();
    parts.service.heard.length = 0;
    parts.wechat.heard.length = 0;
    parts.service.answer(() => ({ status: 201 }));
    parts.world.clock.advance(3 * hour);
    await parts.notices.idle();
    await signIn();
  });
  return Object.assign(parts, actsIn(parts), { users, signIn });
};

const firstContact = { name: 'First', phone: '13900000001' };
const secondContact = { name: 'Second', phone: '13900000002' };

const actsIn = (parts: Parts) => {
  const change = (device: Device, id: number, kind: 'raised' | 'escalated' | 'urged') =>
    parts.world.bus.emit('alarms.changed', [
      {
        lineId: device.lines[0]!.id,
        alarmId: id,
        deviceId: device.id,
        projectId: device.project_id,
        partId: null,
        code: 101,
        level: 2,
        severity: 1,
        kind,
        quiet: false,
      },
    ]);
  const ledger = async (alarmId: number): Promise<LedgerRow[]> =>
    (await parts.admin.call('/device_warning/getDetatil', { id: alarmId })).data.deliveries;
  const add = async (client: Client, given: Record<string, unknown>): Promise<number> => {
    const answer = await client.call('/device_warning/add_warning_timing', given, {
      'accept-language': 'en-US',
    });
    expect(answer.data, JSON.stringify(answer.data)).toHaveProperty('id');
    return answer.data.id;
  };
  const device = (given: Parameters<typeof makeDevice>[1] = {}) =>
    makeDevice(parts.world.db, { project_id: parts.project.id, ...given });
  return {
    change,
    ledger,
    add,
    device,
    /** Its first contact has no account, its second is the operator. */
    async deviceWithContacts() {
      const made = await device();
      await parts.world.db
        .updateTable('devices')
        .set({ contacts: JSON.stringify([firstContact, secondContact]) })
        .where('id', '=', made.id)
        .execute();
      return made;
    },
    async passes(ms: number) {
      parts.world.clock.advance(ms);
      await parts.notices.idle();
    },
    /** Writes an alarm as the recorder does and emits it on the bus; the next round plans it. */
    async raise(
      on: Device,
      given: { code?: number; level?: 1 | 2; severity?: number; late?: boolean } = {},
    ): Promise<number> {
      const id = await makeAlarm(parts.world.pool, on, { at: parts.world.clock.now(), ...given });
      await parts.world.db
        .updateTable('alarms')
        .set({ severity: given.severity ?? 1, late: given.late ?? false })
        .where('id', '=', id)
        .execute();
      change(on, id, 'raised');
      return id;
    },
    /** Clears the alarm; the next look finds that. */
    async clear(id: number): Promise<void> {
      await parts.world.db
        .updateTable('alarms')
        .set({ cleared_at: new Date(parts.world.clock.now()) })
        .where('id', '=', id)
        .execute();
    },
    async outcomes(alarmId: number): Promise<string[]> {
      return (await ledger(alarmId)).map(
        (row) => `${row.kind} ${row.channel} ${row.state}${row.reason ? ` ${row.reason}` : ''}`,
      );
    },
    webhook: (given: Record<string, unknown> = {}) =>
      add(parts.admin, {
        channel: 'webhook',
        webhook_url: `${parts.service.url}/hook`,
        webhook_secret: 'key',
        ...given,
      }),
    async subscribe(client: Client, path: string) {
      const ecdh = createECDH('prime256v1');
      const keys = { p256dh: ecdh.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') };
      const endpoint = `${parts.service.url}${path}`;
      expect((await client.call('/push/subscribe', { endpoint, keys })).code).toBe(200);
    },
  };
};
