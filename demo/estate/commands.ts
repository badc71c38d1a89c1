import { seesProject } from '#server/core/scope.ts';
import type { FurnishedDevice, FurnishedLine } from './devices.ts';
import type { FurnishedUser } from './people.ts';
import { type Random, randomOf } from './random.ts';
import { type OpenSpan, uploadSeconds } from './walk.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const switchExpiryMs = 30_000;
const otherExpiryMs = 600_000;

/** A row of `commands`. Times are epoch ms here and instants in the table. */
export interface CommandRow {
  id: string;
  device_id: number;
  line_id: number;
  number: number;
  verb: string;
  parameters: Record<string, unknown>;
  state: 'verified' | 'answered' | 'failed' | 'mismatch' | 'expired' | 'unknown';
  reason: string | null;
  cause: 'button' | 'api' | 'timer' | 'onekey';
  batch_id: string | null;
  user_id: number;
  operator: string;
  address: string;
  created_at: string;
  expires_at: string;
  deadline_at: string;
  sent_at: string | null;
  acknowledged_at: string | null;
  ended_at: string;
  ack: Record<string, unknown> | null;
  evidence: Record<string, unknown> | null;
  late: Record<string, unknown> | null;
  revision: number;
}
interface PositionRow {
  line_id: number;
  at: string;
  boot: number;
  seq: number;
  position: 0 | 1;
  cause: string;
  code: number | null;
  command_id: string | null;
  judged: true;
}
export interface Switchings {
  commands: CommandRow[];
  positions: PositionRow[];
  open: Map<number, OpenSpan[]>;
  /** Openings that the readings contradict. */
  mismatches: { device: FurnishedDevice; line: FurnishedLine; at: number }[];
}

export const iso = (at: number) => new Date(at).toISOString();
export const uuidOf = (random: Random): string => {
  const digits = Array.from({ length: 32 }, () => Math.floor(random.next() * 16).toString(16));
  digits[12] = '4';
  digits[16] = '89ab'[Math.floor(random.next() * 4)]!;
  const text = digits.join('');
  return [0, 8, 12, 16, 20, 32]
    .slice(0, 5)
    .map((from, i, cuts) => text.slice(from, cuts[i + 1] ?? 32))
    .join('-');
};

/** Boot number of the device history: lower than any later boot. */
export const historyBoot = (now: number): number => Math.floor((now - 61 * dayMs) / 1000) - 1_577_836_800;

interface Order {
  device: FurnishedDevice;
  line: FurnishedLine | null;
  verb: string;
  at: number;
  state: CommandRow['state'];
  reason?: string;
  cause?: CommandRow['cause'];
  batchId?: string;
}

/** Sixty days of remote switching, with every end state; an opened line stays open until it is closed. */
export const planSwitchings = (
  devices: readonly FurnishedDevice[],
  users: readonly FurnishedUser[],
  given: { now: number; seed: string | number },
): Switchings => {
  const { now, seed } = given;
  const random = randomOf(seed, 'commands');
  const boot = historyBoot(now);
  const orders: Order[] = [];
  const open = new Map<number, OpenSpan[]>();
  const mismatches: Switchings['mismatches'] = [];
  const addOpen = (line: FurnishedLine, span: OpenSpan) =>
    open.set(line.id, [...(open.get(line.id) ?? []), span]);
  const within = devices.filter((device) => device.projectId !== null && device.silentSince === null);
  const switches = within.flatMap((device) =>
    device.lines.filter((line) => line.switchable && !line.critical).map((line) => ({ device, line })),
  );
  const normallyClosed = switches.filter(({ line }) => !line.open);

  for (const { device, line } of switches.filter((each) => each.line.open)) {
    const at = Math.floor(now - random.between(1.5, 20) * dayMs);
    orders.push({ device, line, verb: 'open', at, state: 'verified' });
    addOpen(line, [at, Number.POSITIVE_INFINITY]);
  }
  // Each line has its own days of switching, so that two operations on a line are far apart.
  const cycle = (pick: (typeof switches)[number], at: number, more: Partial<Order> = {}) => {
    const { device, line } = pick;
    const until = Math.floor(at + random.between(20, 90) * minuteMs);
    orders.push({ device, line, verb: 'open', at, state: 'verified', ...more });
    orders.push({ device, line, verb: 'close', at: until, state: 'verified', ...more });
    addOpen(line, [at, until]);
  };
  for (let i = 0; i < 36; i++) {
    const pick = normallyClosed[(i * 7) % normallyClosed.length]!;
    const day = 1 + Math.floor(i / 2) + (i % 2) * 24;
    cycle(pick, Math.floor(now - day * dayMs - random.between(0, 8) * hourMs), {
      cause: random.pick(['button', 'button', 'api', 'timer']),
    });
  }
  const batchId = uuidOf(random);
  const batchDevice = normallyClosed.filter(({ device }) => device.id === normallyClosed[0]!.device.id);
  for (const [i, pick] of batchDevice.entries())
    cycle(pick, Math.floor(now - 55 * dayMs + i * 300), { cause: 'onekey', batchId });

  const ends: [CommandRow['state'], string | undefined, string, number][] = [
    ['failed', 'locked', 'open', 3],
    ['failed', 'too_fast', 'close', 2],
    ['failed', 'tripped', 'close', 2],
    ['failed', 'hw_fail', 'open', 1],
    ['failed', 'superseded', 'close', 2],
    ['mismatch', undefined, 'open', 3],
    ['expired', undefined, 'open', 4],
    ['unknown', undefined, 'open', 3],
  ];
  let turn = 3;
  for (const [state, reason, verb, count] of ends)
    for (let i = 0; i < count; i++) {
      const pick = normallyClosed[(turn * 11) % normallyClosed.length]!;
      // Half a day apart from the cycles of the same line.
      const at = Math.floor(now - (turn * 1.9 + 0.55) * dayMs + random.between(0, 2) * hourMs);
      turn += 1;
      orders.push({ ...pick, verb, at, state, ...(reason === undefined ? {} : { reason }) });
      if (state === 'mismatch') mismatches.push({ ...pick, at });
    }
  for (let i = 0; i < 20; i++)
    orders.push({
      device: within[(i * 13) % within.length]!,
      line: null,
      verb: random.pick(['read', 'read', 'silence', 'time_sync', 'identify']),
      at: Math.floor(now - random.between(0.1, 45) * dayMs),
      state: 'answered',
    });

  const commands: CommandRow[] = [];
  const positions: PositionRow[] = [];
  const taken = new Set<string>();
  for (const order of orders.sort((a, b) => a.at - b.at || a.device.id - b.device.id)) {
    const row = rowOf(order, users, random, boot, now);
    while (taken.has(`${row.device_id}/${row.number}`)) row.number += 1;
    taken.add(`${row.device_id}/${row.number}`);
    commands.push(row);
    if (row.state === 'verified' && order.line)
      positions.push({
        line_id: order.line.id,
        at: row.acknowledged_at!,
        boot,
        seq: seqAt(order.at, now),
        position: order.verb === 'close' ? 1 : 0,
        cause: row.cause === 'timer' ? 'timer' : 'cmd',
        code: null,
        command_id: row.id,
        judged: true,
      });
  }
  return { commands, positions, open, mismatches };
};

const seqAt = (at: number, now: number) =>
  Math.max(1, Math.round((at - (now - 61 * dayMs)) / (uploadSeconds * 1000)));

const rowOf = (
  order: Order,
  users: readonly FurnishedUser[],
  random: Random,
  boot: number,
  now: number,
): CommandRow => {
  const { device, line, verb, at, state } = order;
  const allowed = users.filter((user) => seesProject(user.scope, device.projectId));
  const user = random.pick(allowed);
  const switching = line !== null;
  const expires = at + (switching ? switchExpiryMs : otherExpiryMs);
  const sent = at + Math.floor(random.between(8, 40));
  const answered = state !== 'expired' && order.reason !== 'superseded';
  const acknowledged = answered ? sent + Math.floor(random.between(120, 900)) : null;
  const proof = (acknowledged ?? sent) + Math.floor(random.between(200, 2400));
  const ended =
    state === 'expired' ? expires : state === 'mismatch' || state === 'unknown' ? proof + 15_000 : proof;
  const id = uuidOf(random);
  const asked = verb === 'close' ? 1 : 0;
  const seq = seqAt(at, now);
  const answer = order.reason === undefined ? { st: 'done' } : { st: 'rejected', why: order.reason };
  return {
    id,
    device_id: device.id,
    line_id: line?.id ?? device.lineZero,
    number: Math.floor(at / 1000),
    verb,
    parameters: {},
    state,
    reason: order.reason ?? null,
    cause: order.cause ?? 'button',
    batch_id: order.batchId ?? null,
    user_id: user.id,
    operator: user.username,
    address: `10.20.${1 + (user.id % 8)}.${10 + (user.id % 200)}`,
    created_at: iso(at),
    expires_at: iso(expires),
    deadline_at: iso(expires),
    sent_at: iso(sent),
    acknowledged_at: acknowledged === null || order.reason !== undefined ? null : iso(acknowledged),
    ended_at: iso(order.reason !== undefined && acknowledged !== null ? acknowledged : ended),
    ack:
      acknowledged === null
        ? null
        : { v: 1, id, boot, seq, t: acknowledged, ...answer, ...(line ? { n: line.n, sw: asked } : {}) },
    evidence:
      !switching || order.reason !== undefined
        ? state === 'answered'
          ? {}
          : null
        : state === 'verified'
          ? seenAs(proof, boot, seq, asked, 'agrees', asked === 0 ? 0 : line.ratedCurrent * 0.2)
          : state === 'mismatch'
            ? seenAs(proof, boot, seq, 0, 'contradicts', line.ratedCurrent * 0.31)
            : null,
    late: null,
    revision: state === 'expired' ? 3 : 4,
  };
};

const seenAs = (
  at: number,
  boot: number,
  seq: number,
  position: 0 | 1,
  verdict: 'agrees' | 'contradicts',
  current: number,
) => ({
  at: iso(at),
  source: 'reading',
  boot,
  seq: seq + 1,
  position,
  verdict,
  values: { 'U.a': 221.4, 'I.a': Math.round(current * 100) / 100 },
});
