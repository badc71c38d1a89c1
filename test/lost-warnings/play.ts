import fc from 'fast-check';
import { makeDevice, makeProject, makeUser } from '../factories.ts';
import type { Server } from '../product-process.ts';
import { type Backlog, Device, type Way } from './device.ts';
import { type Demand, demandOf, isQuiet, type Rule, type Told, type Zone } from './model.ts';

interface Quantity extends Rule {
  type: 3 | 4;
  read: (zone: Zone) => Record<string, unknown>;
}
const usual = { n: 1, sw: 1, trip: 0, lock: 0, U: { a: 220 }, I: { a: 5 }, IL: 3, T: { l: 30, m: 30 } };
const threePhase = {
  ...usual,
  U: { a: 220, b: 220, c: 220 },
  I: { a: 5, b: 5, c: 5 },
  T: { a: 30, b: 30, c: 30 },
};
const seconds = (on: number, off: number) => ({ on: on * 1000, off: off * 1000 });
/** Delays and limits: domain reference §2.2. */
const quantities: Record<string, Quantity> = {
  voltage: {
    code: 101,
    ...seconds(10, 30),
    least: 1,
    type: 3,
    read: (zone) => ({ ...usual, U: { a: [220, 245, 275][zone] } }),
  },
  low: {
    code: 102,
    ...seconds(10, 30),
    least: 1,
    type: 3,
    read: (zone) => ({ ...usual, U: { a: [220, 190, 160][zone] } }),
  },
  current: {
    code: 201,
    ...seconds(60, 60),
    least: 1,
    type: 3,
    read: (zone) => ({ ...usual, I: { a: [5, 38, 50][zone] } }),
  },
  leakage: {
    code: 301,
    ...seconds(0, 30),
    least: 2,
    type: 3,
    read: (zone) => ({ ...usual, IL: [3, 20, 60][zone] }),
  },
  core: {
    code: 402,
    ...seconds(30, 60),
    least: 1,
    type: 3,
    read: (zone) => ({ ...usual, T: { l: 30, m: [40, 75, 95][zone] } }),
  },
  cable: {
    code: 401,
    ...seconds(30, 60),
    least: 1,
    type: 3,
    read: (zone) => ({ ...usual, T: { m: 30, l: [40, 65, 85][zone] } }),
  },
  power: {
    code: 202,
    ...seconds(60, 60),
    least: 1,
    type: 3,
    read: (zone) => ({ ...usual, P: { t: [1000, 8300, 9900][zone] } }),
  },
  phase: {
    code: 103,
    ...seconds(0, 10),
    least: 2,
    type: 4,
    read: (zone) => ({ ...threePhase, U: { a: zone === 2 ? 60 : 220, b: 220, c: 220 } }),
  },
  outage: {
    code: 109,
    ...seconds(0, 5),
    least: 2,
    type: 3,
    read: (zone) => ({ ...usual, U: { a: zone === 2 ? 2 : 220 }, I: { a: 0 } }),
  },
  sensor: {
    code: 805,
    ...seconds(10, 60),
    least: 2,
    type: 3,
    read: (zone) => ({ ...usual, T: { l: 30, m: zone === 2 ? null : 40 } }),
  },
  trip: {
    code: 701,
    ...seconds(0, 0),
    least: 2,
    endsAtOnce: true,
    type: 3,
    read: (zone) => ({ ...usual, sw: zone === 2 ? 0 : 1, I: { a: 0 }, trip: zone === 2 ? 701 : 0 }),
  },
};

type Act =
  | { do: 'nothing' }
  | { do: 'handle' }
  | { do: 'shelve' }
  | { do: 'unshelve' }
  | { do: 'reboot' }
  | { do: 'clock'; ms: number };
interface Phase {
  zone: Zone;
  turns: number;
  way: Way;
  act: Act;
}
export interface Case {
  quantity: string;
  backlog: Backlog;
  doubles: boolean;
  off: number;
  phases: Phase[];
  last: 1 | 2;
}
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Act>({ do: 'nothing' }) },
  { weight: 5, arbitrary: fc.constant<Act>({ do: 'handle' }) },
  { weight: 1, arbitrary: fc.constantFrom<Act>({ do: 'shelve' }, { do: 'unshelve' }, { do: 'reboot' }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('clock' as const),
      ms: fc.constantFrom(-4000, 4000, -40_000, 40_000, -3_600_000, 3_600_000),
    }),
  },
);
const phase: fc.Arbitrary<Phase> = fc.record({
  zone: fc.constantFrom<Zone>(0, 0, 1, 2, 2),
  turns: fc.integer({ min: 1, max: 8 }),
  way: fc.constantFrom<Way>('live', 'live', 'live', 'stored', 'stored', 'overtaken', 'lost'),
  act,
});
const turns = fc.integer({ min: 1, max: 8 });
const unseen = fc.constantFrom<Way>('stored', 'stored', 'overtaken', 'lost');
/** An alarm is handled, and what follows is not seen as it happens. */
const chapter: fc.Arbitrary<Phase[]> = fc
  .record({
    zone: fc.constantFrom<Zone>(1, 2, 2),
    to: fc.constantFrom<Zone>(0, 0, 0, 1, 2),
    turns,
    later: turns,
    way: unseen,
    act,
  })
  .map((one) => [
    { zone: one.zone, turns: one.turns, way: 'live', act: { do: 'handle' } },
    { zone: one.to, turns: one.later, way: one.way, act: one.act },
  ]);
const phases = fc
  .array(fc.oneof({ weight: 2, arbitrary: phase.map((one) => [one]) }, { weight: 3, arbitrary: chapter }), {
    minLength: 2,
    maxLength: 6,
  })
  .map((list) => list.flat());
export const cases: fc.Arbitrary<Case> = fc.record({
  quantity: fc.constantFrom(...Object.keys(quantities)),
  backlog: fc.constantFrom<Backlog>('in order', 'shuffled', 'before live'),
  doubles: fc.constantFrom(false, false, true),
  off: fc.constantFrom(0, 0, 0, 1500, -1500, 40_000, -40_000, -7_200_000),
  phases,
  last: fc.constantFrom(1, 2, 2),
});

export interface Trouble {
  kills: number[];
  /** Steps of the server's clock by the turn in which they happen. */
  steps: { turn: number; ms: number }[];
}
const turn = fc.integer({ min: 3, max: 70 });
export const troubles = (withSteps: boolean): fc.Arbitrary<Trouble> =>
  fc.record({
    kills: fc.uniqueArray(turn, { maxLength: 3 }),
    steps: withSteps
      ? fc.array(fc.record({ turn, ms: fc.constantFrom(-1_800_000, -100_000, -3000, 3000, 100_000) }), {
          maxLength: 2,
        })
      : fc.constant([]),
  });

export interface Played {
  given: Case;
  found: string[];
  notes: string[];
}
interface Row {
  id: number;
  typeNumber: number;
  level: 1 | 2;
  severity: number;
  status: string;
  active: boolean;
  suppressed_by: number | null;
  phase: string;
}

/** Of what late reports show, the server has the time of two rounds of its work. */
const settlesMs = 260_000;
const turnMs = 10_000;
const lastTurns = 40;

let serial = Math.floor(Math.random() * 1e6);

class Player {
  readonly given: Case;
  readonly notes: string[] = [];
  readonly found: string[] = [];
  device!: Device;
  private readonly server: Server;
  private readonly quantity: Quantity;
  private readonly told: Told;
  private readonly begun: number;
  private token = '';
  private userId = 0;
  private deviceId = 0;
  private readonly plan: { zone: Zone; way: Way; act: Act }[];
  private readonly unprocessed = new Set<number>();
  private readonly handled = new Set<number>();
  private shelvedUntil = 0;

  constructor(server: Server, given: Case, slack: number) {
    this.server = server;
    this.given = given;
    this.quantity = quantities[given.quantity]!;
    this.begun = server.time();
    const hasJumps = given.phases.some((one) => one.act.do === 'clock') || Math.abs(given.off) > 1500;
    this.told = {
      rule: this.quantity,
      reports: [],
      handlings: [],
      slack: Math.max(slack, hasJumps ? 25_000 : 1000),
    };
    const zoneOf = (wanted: Zone): Zone => (wanted === 1 && this.quantity.least === 2 ? 0 : wanted);
    const last: Zone = this.quantity.least === 2 ? 2 : given.last;
    this.plan = [
      { zone: 0, turns: 1, way: 'live' as const, act: { do: 'nothing' as const } },
      ...given.phases,
      { zone: last, turns: lastTurns, way: 'live' as const, act: { do: 'nothing' as const } },
    ].flatMap(({ turns, act: then, way, ...one }) =>
      Array.from({ length: turns }, (_, index) => ({
        way,
        zone: zoneOf(one.zone as Zone),
        act: index === turns - 1 ? then : { do: 'nothing' as const },
      })),
    );
  }
  get turns(): number {
    return this.plan.length;
  }
  note(text: string): void {
    this.notes.push(`${((this.server.time() - this.begun) / 1000).toFixed(0).padStart(5)} s ${text}`);
  }
  async furnish(): Promise<void> {
    const { server } = this;
    const project = await makeProject(server.db, { time_zone: 'UTC', nominal_voltage: 220 });
    const device = await makeDevice(server.db, {
      number: `LOST${String(++serial).padStart(7, '0')}`,
      project_id: project.id,
      type: this.quantity.type,
    });
    await server.db
      .updateTable('devices')
      .set({ upload_seconds: 10, bound_at: new Date(server.now() - 60_000) })
      .where('id', '=', device.id)
      .execute();
    this.userId = (await makeUser(server.db, { role: 3, projects: [project] })).id;
    this.token = await server.signIn(this.userId);
    this.deviceId = device.id;
    this.device = new Device(device, () => server.time(), this.quantity.read);
    this.device.doubles = this.given.doubles;
    this.device.backlog = this.given.backlog;
    this.device.off = this.given.off;
    this.told.reports = this.device.reports;
    await this.device.connect(server.port());
  }
  private async call(path: string, body: Record<string, unknown>) {
    let answer = await this.server.call(this.token, path, body);
    if (answer.status === 401) {
      this.token = await this.server.signIn(this.userId);
      answer = await this.server.call(this.token, path, body);
    }
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.data;
  }
  private async rows(filter: Record<string, unknown> = {}): Promise<Row[]> {
    const given = { device_id: this.deviceId, typeNumber: this.quantity.code, limit: 200, ...filter };
    return (await this.call('/device_warning/WarningList', given)).list;
  }
  private async allRows(): Promise<Row[]> {
    const views = [{}, { shelved: true }, { suppressed: true }];
    return (await Promise.all(views.map((view) => this.rows(view)))).flat();
  }
  async play(index: number): Promise<void> {
    const now = this.plan[index];
    if (!now) return;
    await this.device.report(now.zone, now.way);
    if (index === 0 || this.plan[index - 1]!.zone !== now.zone || this.plan[index - 1]!.way !== now.way)
      this.note(`zone ${now.zone}, ${now.way}`);
  }
  async act(index: number): Promise<void> {
    const what = this.plan[index]?.act;
    if (!what || what.do === 'nothing') return;
    this.note(what.do === 'clock' ? `clock ${what.ms}` : what.do);
    if (what.do === 'reboot') this.device.reboot();
    else if (what.do === 'clock') this.device.off += what.ms;
    else {
      const open = (await this.allRows()).filter(({ status }) => status === 'unprocessed');
      const active = open.filter(({ active: isActive }) => isActive);
      const ids = (what.do === 'handle' ? open : active).map(({ id }) => id);
      if (ids.length === 0) return;
      if (what.do === 'shelve') {
        await this.call('/device_warning/shelve', { ids, minutes: 10, reason: 'known' });
        this.shelvedUntil = this.server.time() + 600_000;
      } else if (what.do === 'unshelve') {
        await this.call('/device_warning/unshelve', { ids });
        this.shelvedUntil = 0;
      } else {
        await this.call('/device_warning/batchHandle', { ids, content: 'seen to' });
        for (const { id, level } of active) {
          this.told.handlings.push({ at: this.server.time(), level });
          this.note(`handled ${id}, level ${level}`);
        }
        for (const id of ids) this.handled.add(id);
      }
    }
  }
  private demand(isLast: boolean): Demand | null {
    const now = this.server.time();
    return demandOf(this.told, now, isLast ? now - settlesMs : Number.NEGATIVE_INFINITY);
  }
  async check(index: number): Promise<void> {
    const isLast = index === this.turns - 1;
    if (index >= this.turns || (index % 3 > 0 && !isLast)) return;
    const wanted = this.demand(isLast);
    const all = await this.allRows();
    for (const id of this.unprocessed) {
      const row = all.find((one) => one.id === id);
      if (!this.handled.has(id) && row?.status !== 'unprocessed')
        this.fail(`the unprocessed alarm ${id} is ${row ? row.status : 'gone'}`);
    }
    for (const { id, status } of all) if (status === 'unprocessed') this.unprocessed.add(id);
    if (!wanted) return;
    const active = all.filter(({ active: isActive, level }) => isActive && level >= wanted.level);
    if (active.length === 0) this.fail(`no alarm of level ${wanted.level} is active`, all);
    else if (!wanted.mayBeHandled && !active.some(({ status }) => status === 'unprocessed'))
      this.fail(`no alarm of level ${wanted.level} is unprocessed`, all);
    else if (wanted.mayBeHandled && isLast && isQuiet(this.told, wanted.level)) {
      if (active.some(({ status }) => status === 'unprocessed'))
        this.fail('announced again without a reason', all);
    }
    if (isLast && !wanted.mayBeHandled && this.server.time() > this.shelvedUntil) {
      const shown = await this.rows({ status: 'unprocessed' });
      const isHidden = active.every(({ suppressed_by }) => suppressed_by !== null);
      if (!isHidden && !shown.some(({ active: isActive }) => isActive)) this.fail('not in the list', all);
    }
    if (isLast) await this.checkNotices(all);
  }
  private async checkNotices(all: readonly Row[]): Promise<void> {
    for (const { id, severity, suppressed_by, level, active } of all) {
      if (severity > 2 || suppressed_by !== null || this.handled.has(id) || !active) continue;
      const { deliveries } = await this.call('/device_warning/getDetatil', { id });
      if (deliveries.length === 0) this.fail(`nobody was told of alarm ${id}, level ${level}`, all);
    }
  }
  private fail(text: string, all: readonly Row[] = []): void {
    const shown = all.map(
      ({ id, level, status, active, suppressed_by }) =>
        `${id} L${level} ${status} ${active ? 'active' : 'ended'}${suppressed_by === null ? '' : ' held back'}`,
    );
    if (!this.found.includes(text)) this.note(`FOUND ${text}; rows: ${shown.join(', ')}`);
    this.found.push(text);
  }
}

export const play = async (
  server: Server,
  given: readonly Case[],
  { kills, steps }: Trouble,
): Promise<Played[]> => {
  server.agree();
  const slack = steps.length > 0 ? 25_000 : 1000;
  const players = given.map((one) => new Player(server, one, slack));
  for (const player of players) await player.furnish();
  const turns = Math.max(...players.map((player) => player.turns));
  for (let index = 0; index < turns; index += 1) {
    for (const { ms } of steps.filter((step) => step.turn === index)) {
      for (const player of players) player.note(`the server's clock is set by ${ms} ms`);
      await server.setClock(ms);
    }
    const reports = Promise.all(players.map((player) => player.play(index)));
    if (kills.includes(index)) {
      for (const player of players) player.note('the server is killed');
      await server.kill();
      await reports;
      await Promise.all(players.map((player) => player.device.connect(server.port())));
    } else await reports;
    await Promise.all(players.map((player) => player.act(index)));
    await server.advance(turnMs);
    await Promise.all(players.map((player) => player.check(index)));
  }
  for (const { device } of players) device.leave();
  return players.map(({ given: one, found, notes }) => ({ given: one, found, notes }));
};
