import mqtt from 'mqtt';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { alarmCodes } from '#contract/alarm-codes.ts';
import {
  type CmdMessage,
  type CommandVerb,
  commandVerbs,
  topicOf,
  type UpTopic,
} from '#contract/telemetry.ts';
import { makeDevice, makeUser } from '#test/factories.ts';
import { eventually } from '#test/wait.ts';
import { type Client, testPassword } from '#test/world.ts';
import { createSwitchWorld, type SwitchWorld } from './control.world.ts';

let world: SwitchWorld;
let operator: Client;
beforeAll(async () => {
  world = await createSwitchWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  world.clock.advance(120_000); // calls and connections are rate-limited
  const user = await makeUser(world.db, { role: 3, projects: [{ id: world.project }] });
  operator = await world.as(user.id);
});

type Conductor = 'a' | 'b' | 'c' | 'n';
/** A switch whose drive and position contact work, while these poles no longer open. */
interface Weld {
  phases: 1 | 3;
  /** 4: the neutral is switched too. */
  poles: 1 | 3 | 4;
  welded: Conductor[];
  /** Current of another circuit through the neutral, A. */
  borrowed?: number;
}
const load = 3.1; // A: a mismatch by the design's own example
const currentsOf = ({ phases, poles, welded, borrowed = 0 }: Weld, contact: 0 | 1) => {
  const passes = (conductor: Conductor) => contact === 1 || welded.includes(conductor);
  const returns = poles < 4 || passes('n');
  const all = (['a', 'b', 'c'] as const).slice(0, phases);
  const live = all.filter(passes);
  const flows = live.length >= 2 || (live.length === 1 && returns);
  const ofPhases = all.map((phase) => [phase, flows && live.includes(phase) ? load : 0]);
  const neutral = returns ? borrowed + (flows && live.length < all.length ? load : 0) : 0;
  return Object.fromEntries(phases === 3 ? [...ofPhases, ['n', neutral]] : ofPhases) as Record<
    string,
    number
  >;
};

/** `reading` and `event` as a real device sends them: position and trip from the drive, currents from the poles. */
const connect = async (weld: Weld, start: { contact: 0 | 1; trip?: number }) => {
  const type = weld.phases === 3 ? 4 : 3;
  const device = await makeDevice(world.db, { project_id: world.project, type });
  const line = device.lines[0]!;
  await world.db.updateTable('lines').set({ poles: weld.poles }).where('id', '=', line.id).execute();
  const { number, secret } = device;
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${world.port}`, {
    ...{ clientId: number, username: number, password: secret, reconnectPeriod: 0 },
  });
  let [contact, trip] = [start.contact, start.trip ?? 0];
  let welded = weld;
  let hides: 'nothing' | 'currents' | 'position' | 'readings' = 'nothing';
  let seq = 0;
  const send = (topic: UpTopic, message: object) => {
    seq += 1;
    const text = JSON.stringify({ v: 1, boot: 1, seq, t: world.clock.now(), ...message });
    return client.publishAsync(topicOf(number, topic), text, { qos: 1 });
  };
  const reading = () => {
    const currents = currentsOf(welded, contact);
    const phases = (['a', 'b', 'c'] as const).slice(0, weld.phases);
    const powers = phases.map((phase) => 230 * currents[phase]!);
    const U = Object.fromEntries(phases.map((phase) => [phase, 230]));
    const power = hides === 'currents' ? {} : { I: currents, P: { t: powers.reduce((a, b) => a + b) } };
    // A position contact that follows the poles, not the drive.
    const sw = hides === 'position' ? 1 : contact;
    return send('tele', { ln: [{ n: 1, sw, trip, lock: 0, U, ...power }] });
  };
  /** Contacts follow an open, a close and a leakage test, which trips; a reset ends a trip. */
  const obey = async ({ id, cmd, n }: CmdMessage) => {
    await send('ack', { id, st: 'accepted', n });
    const before = contact;
    if (cmd === 'open') contact = 0;
    if (cmd === 'close') contact = 1;
    if (cmd === 'leak_test') [contact, trip] = [0, alarmCodes.leakage];
    if (cmd === 'reset') trip = 0;
    const by = cmd === 'leak_test' ? 'trip' : 'cmd';
    const move = { eid: `1-${seq}`, kind: 'pos', n: 1, sw: contact, by, ...(by === 'cmd' ? { id } : {}) };
    await send('ack', { id, st: 'done', n });
    if (contact !== before && hides !== 'position') await send('event', move);
    if (hides !== 'readings') await reading();
  };
  let obeyed = Promise.resolve();
  let last: CmdMessage | null = null;
  client.on('message', (_topic, payload) => {
    last = JSON.parse(payload.toString());
    obeyed = obeyed.then(() => obey(last!));
  });
  await client.subscribeAsync(topicOf(number, 'cmd'), { qos: 1 });
  await reading();
  return {
    device,
    line,
    reading,
    hide: (what: typeof hides) => {
      hides = what;
    },
    weld: (poles: Conductor[]) => {
      welded = { ...welded, welded: poles };
    },
    obeys: () => eventually(async () => last !== null && obeyed.then(() => true)),
    leave: () => client.endAsync(),
  };
};
type Connected = Awaited<ReturnType<typeof connect>>;

const ask = ({ device, line }: Connected, action: CommandVerb) =>
  operator.call('/device_do/device_do', {
    ...{ device_id: device.id, action, password: testPassword },
    ...(action === 'reboot' || action === 'time_sync' ? {} : { line_id: line.id }),
  });
/** What the operator reads about the command. */
const shown = async (id: string) => (await operator.call('/device_do/get_command', { command_id: id })).data;
/** Reports go on until the command and every delay of an alarm is over. */
const reportsOn = async (one: Connected, seconds = 24) => {
  for (let at = 0; at < seconds; at += 6) {
    world.clock.advance(6_000);
    await one.reading();
  }
};
const ended = (id: string) =>
  eventually(async () => {
    const command = await shown(id);
    return command.ended_at !== null && command;
  });
/** Alarms 'switching failed' of the line that stand. */
const standing = ({ line }: Connected) =>
  world.db
    .selectFrom('alarms')
    .select(['code', 'handled_at'])
    .where('line_id', '=', line.id)
    .where('code', '=', alarmCodes.switchingFailed)
    .where('cleared_at', 'is', null)
    .execute();

/** Welds through which current flows while the drive is open: single-phase, one of three poles, two of four … */
const welds: (Weld & { name: string })[] = [
  { name: 'the only pole', phases: 1, poles: 1, welded: ['a'] },
  { name: 'one of three poles', phases: 3, poles: 3, welded: ['b'] },
  { name: 'two of three poles', phases: 3, poles: 3, welded: ['a', 'c'] },
  { name: 'two of four poles', phases: 3, poles: 4, welded: ['a', 'c'] },
  { name: 'a phase and the neutral', phases: 3, poles: 4, welded: ['c', 'n'] },
  { name: 'the neutral', phases: 3, poles: 4, welded: ['n'], borrowed: 8 },
];
interface Expected {
  /** Before the command: contacts and trip. */
  before: { contact: 0 | 1; trip?: number };
  ends: 'verified' | 'answered' | 'mismatch' | 'refused';
  /** The conductors afterwards: only a closed line is as it was asked for. */
  alarm: boolean;
}
const openBefore = { contact: 0 } as const;
/** A command that asks for no position; the line is open and carries current. */
const asksNothing: Expected = { before: openBefore, ends: 'answered', alarm: true };
/**
 * Each verb of the contract. 'verified' is only what the conductors show to be so: a close, and the end of a
 * trip, which says nothing about them.
 */
const table: Record<CommandVerb, Expected> = {
  open: { before: { contact: 1 }, ends: 'mismatch', alarm: true },
  close: { before: openBefore, ends: 'verified', alarm: false },
  leak_test: { before: { contact: 1 }, ends: 'mismatch', alarm: true },
  reset: { before: { contact: 0, trip: alarmCodes.overvoltage }, ends: 'verified', alarm: true },
  silence: asksNothing,
  selftest: asksNothing,
  arc_test: { ...asksNothing, ends: 'refused' },
  clear_energy: asksNothing,
  reboot: asksNothing,
  ota: { ...asksNothing, ends: 'refused' },
  read: asksNothing,
  time_sync: asksNothing,
  identify: asksNothing,
};

describe.each(welds)('a switch with a weld in $name', (weld) => {
  it.each(commandVerbs)('%s', async (verb) => {
    const { before, ends, alarm } = table[verb];
    const one = await connect(weld, before);
    const { code, data } = await ask(one, verb);
    if (ends === 'refused') {
      expect(code).not.toBe(200);
      await reportsOn(one);
    } else {
      expect({ code, data }).toMatchObject({ code: 200 });
      await one.obeys();
      await reportsOn(one);
      const command = await ended(data.command_id);
      expect(command).toMatchObject({ action: verb, state: ends });
      if (ends === 'mismatch')
        expect(command.evidence).toMatchObject({
          position: 0,
          verdict: 'contradicts',
          values: flowing(weld),
        });
    }
    if (alarm) await eventually(async () => (await standing(one)).length > 0);
    else {
      await reportsOn(one, 90);
      await eventually(async () => (await standing(one)).length === 0);
    }
    await one.leave();
  });
});
const flowing = (weld: Weld) =>
  Object.fromEntries(
    Object.entries(currentsOf(weld, 0))
      .filter(([, amperes]) => amperes > 0)
      .map(([conductor, amperes]) => [`I.${conductor}`, amperes]),
  );

const [single, three] = [welds[0]!, welds[1]!];
describe.each([single, three])('a weld in $name that shows otherwise', (weld) => {
  test.each(['open', 'leak_test'] as const)('%s: the position contact follows the poles', async (verb) => {
    const one = await connect(weld, { contact: 1 });
    one.hide('position');
    const { data } = await ask(one, verb);
    await one.obeys();
    await reportsOn(one);
    expect(await ended(data.command_id)).toMatchObject({ state: 'mismatch', evidence: { position: 1 } });
    expect(await standing(one)).toHaveLength(1);
    await one.leave();
  });

  test.each(['open', 'leak_test'] as const)(
    '%s: currents that are not measured prove nothing',
    async (verb) => {
      const one = await connect(weld, { contact: 1 });
      one.hide('currents');
      const { data } = await ask(one, verb);
      await one.obeys();
      await reportsOn(one);
      expect(await ended(data.command_id)).toMatchObject({ state: 'unknown' });
      await one.leave();
    },
  );

  test.each(['open', 'leak_test'] as const)(
    '%s: a load that starts after the proof is an alarm',
    async (verb) => {
      const one = await connect(weld, { contact: 1 });
      one.weld([]);
      const { data } = await ask(one, verb);
      await one.obeys();
      await reportsOn(one, 12);
      expect(await ended(data.command_id)).toMatchObject({ state: 'verified' });
      expect(await standing(one)).toEqual([]);
      one.weld(weld.welded);
      await reportsOn(one);
      await eventually(async () => (await standing(one)).length > 0);
      await one.leave();
    },
  );
});

test('the trip of a leakage test does not contradict it, even if no reading follows', async () => {
  const one = await connect({ phases: 1, poles: 1, welded: [] }, { contact: 1 });
  one.hide('readings');
  const { data } = await ask(one, 'leak_test');
  await one.obeys();
  world.clock.advance(20_000);
  expect(await ended(data.command_id)).toMatchObject({ state: 'unknown' });
  expect(await standing(one)).toEqual([]);
  await one.leave();
});
