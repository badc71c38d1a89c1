import { randomUUID } from 'node:crypto';
import type { FaultCode } from '#contract/faults/codes.ts';
import type { GuardReason } from '#server/control/control.guard.ts';
import { makeAlarm } from './alarm-factory.ts';
import { makeProject, makeUser } from './factories.ts';
import { makeSwitch, observe, type Switch } from './switches.ts';
import type { Client, World } from './world.ts';

/** A healthy switch with one line, and a user who may switch it. */
export interface Place {
  world: World;
  project: number;
  device: Switch;
  /** The position that the line reports, so that there is something to do. */
  position: 0 | 1;
  caller: Client;
}
interface Interlock {
  fault: FaultCode;
  /** Changes the world so that exactly this interlock is active. */
  holds(place: Place): Promise<unknown>;
  /** Fields of the call itself, if the interlock concerns them. */
  says?: Record<string, unknown>;
}
/** Reasons of the guard, and the check before it: whether the caller may see the device. */
export type Reason = GuardReason | 'foreign';

export const makePlace = async (world: World, project: number, position: 0 | 1 = 0): Promise<Place> => {
  // Calls from one address are rate-limited.
  world.clock.advance(10_000);
  const user = await makeUser(world.db, { role: 1 });
  const device = await makeSwitch(world, project);
  const place = { world, project, device, position, caller: await world.as(user.id) };
  await shows(place);
  return place;
};

/** A command of another user that has not ended. */
export const commandInFlight = (
  { world, device }: { world: Place['world']; device: { id: number } },
  verb: string,
  lineId: number,
) => {
  const now = world.clock.now();
  return world.db
    .insertInto('commands')
    .values({
      id: randomUUID(),
      device_id: device.id,
      line_id: lineId,
      // A number below any that the server gives.
      number: 0,
      verb,
      state: 'sent',
      reason: null,
      cause: 'button',
      batch_id: null,
      user_id: null,
      operator: 'boris',
      address: '',
      created_at: new Date(now - 5000),
      sent_at: new Date(now - 5000),
      expires_at: new Date(now + 600_000),
      deadline_at: new Date(now + 600_000),
      acknowledged_at: null,
      ended_at: null,
    })
    .execute();
};
export const setTag = async ({ world, device }: Place) => {
  const warden = await world.as((await makeUser(world.db, { role: 1 })).id);
  return warden.call('/lockout_tag/add_tag', { device_id: device.id, reason: 'Busbar work' });
};
const becomes = async ({ world, caller }: Place, role: number, projects: { id: number }[]) => {
  const like = await makeUser(world.db, { role, projects });
  await world.db
    .updateTable('users')
    .set({ role_id: like.role_id })
    .where('id', '=', caller.userId)
    .execute();
  await world.db.deleteFrom('user_projects').where('user_id', '=', caller.userId).execute();
  for (const { id } of projects)
    await world.db
      .insertInto('user_projects')
      .values({ user_id: caller.userId, project_id: id, part_ids: [] })
      .execute();
};
export const losesTheRight = (place: Place) => becomes(place, 102, [{ id: place.project }]);
export const losesTheProject = async (place: Place) =>
  becomes(place, 3, [{ id: (await makeProject(place.world.db)).id }]);
export const signedInLongAgo = ({ world, caller }: Place) =>
  world.db
    .updateTable('sessions')
    .set({ authenticated_at: new Date(world.clock.now() - 16 * 60_000) })
    .where('user_id', '=', caller.userId)
    .execute();

export const ofDevice = (
  { world, device }: Place,
  set: { net_ctrl?: boolean; project_id?: number | null; deleted_at?: Date },
) => world.db.updateTable('devices').set(set).where('id', '=', device.id).execute();
/** The device moves to another project, where the caller has the same rights. */
export const movesAway = async (place: Place) =>
  ofDevice(place, { project_id: (await makeProject(place.world.db)).id });
export const goesOffline = ({ world, device }: Place) =>
  world.db.updateTable('device_state').set({ online: false }).where('device_id', '=', device.id).execute();
const ofLine = ({ world, device }: Place, set: { switchable?: boolean; critical?: boolean }) =>
  world.db.updateTable('lines').set(set).where('id', '=', device.line.id).execute();
/** Inserts the line's newest report, which is normal except for the given values. */
export const shows = (
  { world, device, position }: Omit<Place, 'caller'>,
  seen: Parameters<typeof observe>[3] = {},
  ago = 0,
) => observe(world.db, device.line.id, world.clock.now() - ago, { position, ...seen });

export const interlocks: Record<Reason, Interlock> = {
  foreign: { fault: 'device.missing', holds: losesTheProject },
  denied: { fault: 'permission.denied', holds: losesTheRight },
  line_needed: {
    fault: 'control.lineNeeded',
    holds: async () => {},
    says: { line_id: undefined },
  },
  unsupported: { fault: 'control.unsupported', holds: (place) => ofLine(place, { switchable: false }) },
  bad_param: {
    fault: 'control.bad_param',
    holds: async () => {},
    says: { parameters: { text: 'x'.repeat(5000) } },
  },
  unbound: { fault: 'control.unbound', holds: (place) => ofDevice(place, { project_id: null }) },
  moved: { fault: 'control.moved', holds: movesAway },
  offline: { fault: 'control.offline', holds: goesOffline },
  stale: {
    fault: 'control.stale',
    holds: async (place) => {
      const { world, device } = place;
      const long = new Date(world.clock.now() - 121_000);
      await world.db
        .updateTable('device_state')
        .set({ last_seen: long })
        .where('device_id', '=', device.id)
        .execute();
      await shows(place, {}, 121_000);
    },
  },
  net_ctrl_off: { fault: 'control.net_ctrl_off', holds: (place) => ofDevice(place, { net_ctrl: false }) },
  locked: { fault: 'control.locked', holds: (place) => shows(place, { lock: 1 }) },
  tagged: { fault: 'control.tagged', holds: setTag },
  tripped: { fault: 'control.tripped', holds: (place) => shows(place, { trip: 301 }) },
  alarm_active: {
    fault: 'control.alarm_active',
    holds: ({ world, device }) => makeAlarm(world.pool, device, { at: world.clock.now(), code: 501 }),
  },
  uninspected: {
    fault: 'control.uninspected',
    holds: ({ world, device }) =>
      world.db
        .insertInto('line_trips')
        .values({
          ...{ line_id: device.line.id, device_id: device.id, code: 301, grave: true },
          at: new Date(world.clock.now() - 60_000),
          received_at: new Date(world.clock.now() - 60_000),
        })
        .execute(),
  },
  supply_bad: {
    fault: 'control.supply_bad',
    holds: (place) => shows(place, { values: { 'U.a': 170, 'I.a': 0 } }),
  },
  critical_line: { fault: 'control.critical_line', holds: (place) => ofLine(place, { critical: true }) },
  ota: {
    fault: 'control.ota',
    holds: (place) => commandInFlight(place, 'ota', place.device.deviceLine.id),
  },
  busy: {
    fault: 'control.busy',
    holds: (place) => commandInFlight(place, 'open', place.device.line.id),
  },
  too_fast: {
    fault: 'control.too_fast',
    holds: ({ world, device }) =>
      world.db
        .insertInto('position_events')
        .values({
          line_id: device.line.id,
          at: new Date(world.clock.now() - 500),
          boot: 1,
          seq: 1,
          position: 0,
          cause: 'manual',
          code: null,
          command_id: null,
        })
        .execute(),
  },
  password_needed: { fault: 'control.passwordNeeded', holds: signedInLongAgo },
};
