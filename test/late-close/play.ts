import fc from 'fast-check';
import { makeDevice, makeProject, makeUser } from '../factories.ts';
import type { Server } from '../product-process.ts';
import { testPassword } from '../world.ts';
import { Device, type Habits } from './device.ts';
import { type Finding, judge, type Press, type Told } from './model.ts';

type Trouble =
  | { do: 'nothing' }
  | { do: 'jump'; ms: number }
  | { do: 'timeSync' }
  | { do: 'drop'; seconds: number; noticed: boolean; reportsAfter: number }
  | {
      do: 'power';
      seconds: number;
      noticed: boolean;
      reportsAfter: number;
      clock: 'stands' | 'runs' | 'older';
      olderMs: number;
    };
/** Something happens, and a close is asked for around that time. */
interface Episode {
  trouble: Trouble;
  /** Seconds from the trouble to the press; negative: the press comes first. */
  gap: number;
  /** Within the second: the press comes before what the devices send. */
  early: boolean;
  /** The trouble is near a step of the server's clock, after it by so many seconds. */
  nearStep: number | null;
}
interface Case {
  habits: Habits;
  episodes: Episode[];
}
const seconds = (...values: number[][]) => fc.constantFrom(...values);
const habits: fc.Arbitrary<Habits> = fc.record({
  every: fc.constantFrom(5, 5, 20, 60, 120, 300),
  off: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: -2000, max: 2000 }) },
    { weight: 3, arbitrary: fc.integer({ min: -6000, max: 6000 }) },
    { weight: 2, arbitrary: fc.constantFrom(-40_000, 40_000, -300_000, 300_000, -3_600_000, 3_600_000) },
  ),
  ppm: fc.constantFrom(0, 20, -20, 100, -100),
  keepsSession: fc.boolean(),
  acknowledges: fc.constantFrom('at once', 'when delivered', 'never'),
  resends: fc.constantFrom('unchanged', 'backlog', 'not'),
  doubles: fc.constantFrom(null, null, 0, 7),
  retains: fc.constantFrom(false, false, false, true),
  up: seconds([0], [0], [0, 0, 3], [2], [8, 0, 0, 1], [20, 1, 15, 0, 4], [12]),
  down: seconds([0], [0], [0, 4], [2], [9, 0, 1], [0, 25, 40], [20]),
});
const away = fc.constantFrom(1, 3, 10, 40, 100, 200);
const reportsAfter = fc.constantFrom(0, 0, 2, 10, 60);
const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Trouble>({ do: 'nothing' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('jump' as const),
      ms: fc.constantFrom(-700, 700, -4000, 4000, -40_000, 40_000, -300_000, 300_000),
    }),
  },
  { weight: 2, arbitrary: fc.constant<Trouble>({ do: 'timeSync' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('drop' as const),
      seconds: away,
      noticed: fc.boolean(),
      reportsAfter,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('power' as const),
      seconds: away,
      noticed: fc.boolean(),
      reportsAfter,
      clock: fc.constantFrom('stands', 'stands', 'runs', 'older'),
      olderMs: fc.constantFrom(1000, 5000, 60_000, 3_600_000),
    }),
  },
);
const linesOfDevice = 4;
const episode: fc.Arbitrary<Episode> = fc.record({
  trouble,
  gap: fc.oneof(fc.integer({ min: -12, max: 25 }), fc.integer({ min: -30, max: 230 })),
  early: fc.boolean(),
  nearStep: fc.oneof(fc.constant(null), fc.integer({ min: -30, max: 40 })),
});
const lines = { minLength: linesOfDevice, maxLength: linesOfDevice };
export const cases: fc.Arbitrary<Case> = fc.record({ habits, episodes: fc.array(episode, lines) });

/** A device whose clock is right within 2 s, on a usual network, to which nothing happens. */
export const honestCases: fc.Arbitrary<Case> = fc.record({
  habits: fc.record({
    every: fc.constantFrom(5, 60),
    off: fc.integer({ min: -2000, max: 2000 }),
    ppm: fc.constantFrom(-20, 20),
    keepsSession: fc.boolean(),
    acknowledges: fc.constantFrom('at once', 'when delivered'),
    resends: fc.constantFrom('unchanged', 'backlog', 'not'),
    doubles: fc.constant(null),
    retains: fc.constant(false),
    up: seconds([0], [0, 1]),
    down: seconds([0], [1, 0]),
  }),
  episodes: fc.array(
    fc.record({
      trouble: fc.constant<Trouble>({ do: 'nothing' }),
      gap: fc.constant(0),
      early: fc.boolean(),
      nearStep: fc.constant(null),
    }),
    lines,
  ),
});

const kinds = {
  none: [0],
  small: [-900, 900, -400, 400],
  any: [-1_800_000, -100_000, -20_000, -3000, 3000, 20_000, 100_000, 1_800_000],
} as const;
/** By how much the server's clock is set, once in each quarter; in the first half not at all. */
export const stepsOf = (kind: keyof typeof kinds): fc.Arbitrary<number[]> => {
  const step = fc.constantFrom<number[]>(...kinds[kind]);
  return fc.tuple(fc.constant(0), fc.constant(0), step, step);
};

export interface Played {
  given: Case;
  told: Told;
  found: Finding[];
  notes: string[];
}

let serial = Math.floor(Math.random() * 1e6);

class Player {
  readonly given: Case;
  readonly notes: string[] = [];
  readonly presses: Press[] = [];
  readonly steps: number[] = [];
  device!: Device;
  private server: Server;
  private token = '';
  private userId = 0;
  private deviceId = 0;
  private lineIds: number[] = [];
  private readonly begun: number;

  constructor(server: Server, given: Case) {
    this.server = server;
    this.given = given;
    this.begun = server.time();
  }
  note(text: string): void {
    this.notes.push(`${((this.server.time() - this.begun) / 1000).toFixed(1).padStart(7)} s ${text}`);
  }
  async furnish(): Promise<void> {
    const { server } = this;
    const project = await makeProject(server.db, { time_zone: 'UTC', nominal_voltage: 220 });
    const device = await makeDevice(server.db, {
      number: `LATE${String(++serial).padStart(7, '0')}`,
      project_id: project.id,
      type: 3,
      lines: linesOfDevice,
    });
    await server.db
      .updateTable('devices')
      .set({ upload_seconds: this.given.habits.every, bound_at: new Date(server.now() - 60_000) })
      .where('id', '=', device.id)
      .execute();
    this.userId = (await makeUser(server.db, { role: 3, projects: [project] })).id;
    this.token = await server.signIn(this.userId);
    this.deviceId = device.id;
    this.lineIds = device.lines.map(({ id }) => id);
    this.device = new Device(
      { number: device.number, secret: device.secret, lines: linesOfDevice },
      this.given.habits,
      { now: () => server.time(), port: () => server.port(), note: (text) => this.note(text) },
    );
    await this.device.connect(0);
  }
  private async call(path: string, body: Record<string, unknown>) {
    let answer = await this.server.call(this.token, path, body);
    if (answer.status === 401) {
      this.token = await this.server.signIn(this.userId);
      answer = await this.server.call(this.token, path, body);
    }
    return answer;
  }
  async press(index: number): Promise<void> {
    const at = this.server.time();
    const answer = await this.call('/device_do/device_do', {
      device_id: this.deviceId,
      line_id: this.lineIds[index],
      action: 'close',
      password: testPassword,
    });
    const reason = answer.data?.reason ?? (answer.status === 200 ? null : JSON.stringify(answer.data));
    this.presses.push({
      at,
      line: index + 1,
      status: answer.status,
      id: answer.data?.command_id ?? null,
      reason,
    });
    this.note(`press ${index + 1} → ${answer.status} ${reason ?? ''}`);
  }
  async act(trouble: Trouble): Promise<void> {
    switch (trouble.do) {
      case 'nothing':
        return;
      case 'jump':
        return this.device.jump(trouble.ms);
      case 'drop':
        return this.device.drop(trouble.seconds, trouble);
      case 'power':
        return this.device.power(trouble.seconds, trouble);
      case 'timeSync': {
        const answer = await this.call('/device_do/device_do', {
          device_id: this.deviceId,
          action: 'time_sync',
          password: testPassword,
        });
        this.note(`time_sync → ${answer.status} ${answer.data?.reason ?? ''}`);
      }
    }
  }
  async finish(admin: string): Promise<Played> {
    const answer = await this.server.call(admin, '/device_log/get_list', {
      device_id: this.deviceId,
      limit: 100,
    });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer));
    // biome-ignore lint/suspicious/noExplicitAny: rows of the product
    const outcomes = answer.data.list.map((row: any) => ({
      id: row.command_id,
      state: row.state,
      reason: row.reason ?? null,
      endedAt: row.ended_at === null ? null : this.server.timeOf(Date.parse(row.ended_at)),
    }));
    const { clock, ends, deliveries, jumps, shown } = this.device;
    const told = {
      clock,
      ends,
      deliveries,
      jumps,
      shown,
      presses: this.presses,
      outcomes,
      steps: this.steps,
    };
    for (const { id, state, reason, endedAt } of outcomes)
      this.note(
        `row ${id}: ${state} ${reason ?? ''} at ${endedAt === null ? 'never' : (endedAt - this.begun) / 1000}`,
      );
    this.device.leave();
    return { given: this.given, told, found: judge(told), notes: this.notes };
  }
}

const settlingSeconds = 40;
const tailSeconds = 56;
/** The length of a turn: in each the devices do what is due. */
const turnSeconds = 2;
/** Plays these cases beside each other, second by second, while the server's clock is set `steps` by `steps`. */
export const play = async (
  server: Server,
  given: readonly Case[],
  stepMs: readonly number[],
  lastSecond: number,
): Promise<Played[]> => {
  server.agree();
  const players = given.map((one) => new Player(server, one));
  for (const player of players) await player.furnish();
  const begun = server.time();
  const period = Math.floor((lastSecond - settlingSeconds) / linesOfDevice);
  const stepAt = (index: number) => settlingSeconds + period * index + Math.floor(period / 2);
  const plan = new Map<number, { early: boolean; run: () => Promise<unknown> }[]>();
  const add = (at: number, early: boolean, run: () => Promise<unknown>) => {
    const turn = Math.round(Math.max(settlingSeconds, Math.min(lastSecond, at)) / turnSeconds);
    const second = turn * turnSeconds;
    plan.set(second, [...(plan.get(second) ?? []), { early, run }]);
  };
  for (const [index, ms] of stepMs.entries())
    if (ms !== 0)
      add(stepAt(index), index % 2 === 0, async () => {
        for (const player of players) {
          player.note(`the server's clock is set by ${ms} ms`);
          player.steps.push(server.time());
        }
        await server.setClock(ms);
      });
  for (const player of players)
    for (const [index, { trouble, gap, early, nearStep }] of player.given.episodes.entries()) {
      const at = nearStep === null ? settlingSeconds + period * index + 30 : stepAt(index) + nearStep;
      add(at, early, () => player.act(trouble));
      add(at + gap, early, () => player.press(index));
    }
  for (let at = 0; at <= lastSecond + tailSeconds; at += turnSeconds) {
    const now = plan.get(at) ?? [];
    await Promise.all(now.filter(({ early }) => early).map(({ run }) => run()));
    await Promise.all(players.map(({ device }) => device.tick()));
    await Promise.all(now.filter(({ early }) => !early).map(({ run }) => run()));
    await server.advance(begun + (at + turnSeconds) * 1000 - server.time());
  }
  const admin = await server.signIn((await makeUser(server.db, { role: 1 })).id);
  return Promise.all(players.map((player) => player.finish(admin)));
};
