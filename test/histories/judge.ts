import type { Reading, Received, SaidOfLine } from './device.ts';
import type { History } from './history.ts';
import type { Call, Played, Sample } from './play.ts';

/**
 * Rules that must hold in every history. Each compares the product with the model's knowledge, never with
 * itself.
 */
export const invariants = [
  'verified: a live report after the command showed the asked position',
  'verified: the contact was in the asked position at the end',
  'verified: every conductor that the line interrupts was measured without current',
  'verified: a closed line has voltage in every phase',
  'verified: a leakage test tripped the line and stopped every current',
  'verified: only what reports can prove',
  'verified: by the equipment that received it',
  'an open that current contradicts is a mismatch and an alarm',
  'an honest device that obeys is verified',
  'an honest device that counts its answers apart is verified',
  'no close after an acknowledged alarm',
  'no close after an acknowledged trip',
  'no close after an acknowledged lock',
  'no close after an acknowledged bad supply',
  'no close after a lock-out tag',
  'no close after remote control was disabled',
  'no close after the right was taken',
  'no close after the device was unbound',
  'no close on an old position',
  'no close on what former equipment reported',
  'no close that was asked of former equipment',
  'former equipment is shut out',
  'no close between a grave trip and its inspection',
  'an inspection lets the line be closed',
  'no setting that energises after a lock-out tag',
  'no command twice or too late',
  'no close can be obeyed later than its limit by true time',
  'every command ends',
  'a list shows as fresh what was last reported',
  'a lost position is never shown as fresh',
  'one-key opens what carries current',
  'nothing interrupts a critical line without its name and the right',
  'the right name interrupts a critical line',
  'an open line that carries current is an alarm',
  'a move without a command raises 704',
  'an acknowledged alarm event is an alarm',
  'a condition beyond its limit is an unprocessed alarm',
  'an alarm of severity 1 or 2 reaches its recipient',
  'no close for an old session without the password',
  'a known wrong clock does not make commands late',
  'totals count only what is fresh',
  'the server alone gives the time',
  'the server stays up',
] as const;
export type Invariant = (typeof invariants)[number];
export interface Violation {
  invariant: Invariant;
  what: string;
}
type Report = (invariant: Invariant, what: string) => void;

export const judge = (played: Played): Violation[] => {
  const violations: Violation[] = [];
  const report: Report = (invariant, what) => violations.push({ invariant, what });
  judgeVerified(played, report);
  judgeOtherVerbs(played, report);
  judgeWelds(played, report);
  judgeHonest(played, report);
  judgeCloses(played, report);
  judgeTakenOver(played, report);
  judgeInspections(played, report);
  judgeSettings(played, report);
  judgeCommands(played, report);
  judgeLists(played, report);
  judgeOneKey(played, report);
  judgeCritical(played, report);
  judgeOpenLines(played, report);
  judgeMoves(played, report);
  judgeEvents(played, report);
  judgeConditions(played, report);
  judgeNotices(played, report);
  if (played.crashes > 0) report('the server stays up', `it ended ${played.crashes} times by itself`);
  return violations;
};

/** Minimum upload interval, s. */
const leastInterval = 5;
/** Life of a close, and the error of a clock that the server has learnt from messages. */
const [closeLifeMs, lifeSlackMs] = [30_000, 1_000];
/** How long after its expiry a command may wait for its proof. */
const proofMs = 25_000;
const finalStates = ['verified', 'answered', 'failed', 'mismatch', 'expired', 'unknown'];
interface Numbered {
  boot: number;
  seq: number;
}
const isNewer = (one: Numbered, other: Numbered): boolean =>
  one.boot === other.boot ? one.seq > other.seq : one.boot > other.boot;
const newest = <Report extends Numbered>(reports: readonly Report[]): Report | undefined =>
  reports.reduce<Report | undefined>((best, one) => (!best || isNewer(one, best) ? one : best), undefined);
/**
 * Whether a report that may have arrived live is newer than the newest certainly live one; then nothing is
 * known.
 */
const isOvertaken = (
  last: Numbered | undefined,
  reports: readonly (Numbered & { resent: boolean; index: number })[],
  before: number,
): boolean =>
  reports.some((one) => one.resent && one.index < before && (last === undefined || isNewer(one, last)));
const lineIn = (reading: Reading, n: number): SaidOfLine => reading.lines.find((line) => line.n === n)!;
/**
 * A report of a line's position: a reading with a position (or with its sensor fault), or a position event.
 */
interface PositionReport {
  index: number;
  at: number;
  equipment: number;
  boot: number;
  seq: number;
  live: boolean;
  resent: boolean;
  acked: number | null;
  /** The reported position; null: the device reports a broken sensor. */
  said: 0 | 1 | null;
  contact: 0 | 1;
}
const positionsOf = ({ device }: Played, n: number): PositionReport[] => {
  const reported = device.readings
    .filter((reading) => lineIn(reading, n).said['sw'] !== undefined)
    .map((reading) => {
      const { said, contact } = lineIn(reading, n);
      return { ...reading, said: said['sw'] as 0 | 1 | null, contact };
    });
  const moved = device.events
    .filter(({ message }) => message['kind'] === 'pos' && message['n'] === n)
    .map(({ index, at, equipment, boot, message, resent, acked, ackedAt }) => ({
      index,
      at,
      equipment,
      boot,
      seq: Number(message['seq']),
      live: !resent && ackedAt !== null && ackedAt - at < 1000,
      resent,
      acked,
      said: message['sw'] as 0 | 1,
      contact: message['sw'] as 0 | 1,
    }));
  return [...reported, ...moved].sort((a, b) => a.index - b.index);
};
const positionOf = (verb: string): 0 | 1 => (verb === 'close' ? 1 : 0);

const judgeVerified = (played: Played, report: Report): void => {
  const { commands, device, history } = played;
  for (const row of commands) {
    if (row.state !== 'verified' || (row.action !== 'open' && row.action !== 'close')) continue;
    const asked = positionOf(row.action);
    const received = device.received.find(({ command }) => command.id === row.command_id);
    const name = `${row.action} of line ${row.n}, verified ${row.ended_at} (${history.habits.obedience})`;
    if (!received) {
      report(
        'verified: a live report after the command showed the asked position',
        `${name}: never received`,
      );
      continue;
    }
    const ended = Date.parse(row.ended_at);
    const reports = positionsOf(played, row.n).filter((each) => each.at <= ended);
    const live = reports.filter((each) => each.live);
    const proofs = reports.filter(
      ({ index, said, contact, live: isLive, resent }) =>
        (isLive || resent) &&
        index > received.index &&
        said === asked &&
        (contact === asked || isUnknowable(history, asked)),
    );
    if (proofs.length === 0)
      report('verified: a live report after the command showed the asked position', `${name}: none`);
    else if (!proofs.some(({ equipment }) => equipment === received.equipment))
      report('verified: by the equipment that received it', name);
    judgeMeasured(played, row, received.index, report, name);
    const last = newest(live);
    // The order of reports in the same second as the end of the command is unknown, so either may count.
    const before = newest(live.filter(({ at }) => at < ended));
    const isSo =
      isOvertaken(last, reports, Number.POSITIVE_INFINITY) ||
      last?.contact === asked ||
      before?.contact === asked ||
      proofs.some(({ at }) => at === ended);
    if (!isSo && !isUnknowable(history, asked))
      report('verified: the contact was in the asked position at the end', name);
  }
};

/** Verbs other than open and close: a leakage test is proved by its trip and the currents, a reset by the trip. */
const judgeOtherVerbs = ({ commands, device }: Played, report: Report): void => {
  for (const row of commands) {
    if (row.state !== 'verified' || row.action === 'open' || row.action === 'close') continue;
    const name = `${row.action} of line ${row.n}, verified ${row.ended_at}`;
    if (row.action !== 'leak_test' && row.action !== 'reset') {
      report('verified: only what reports can prove', name);
      continue;
    }
    const received = device.received.find(({ command }) => command.id === row.command_id);
    const isProof = ({ said, amperes, isBlind }: SaidOfLine): boolean =>
      said['sw'] === 0 && numeric(said['trip']) !== 0 && !isBlind && amperes <= noCurrent;
    const isProved = device.readings.some(
      (reading) =>
        (reading.live || reading.resent) &&
        reading.index > (received?.index ?? Number.POSITIVE_INFINITY) &&
        reading.at <= Date.parse(row.ended_at) &&
        isProof(lineIn(reading, row.n)),
    );
    if (row.action === 'leak_test' && !isProved)
      report('verified: a leakage test tripped the line and stopped every current', name);
  }
};

/**
 * An answered open after which every report says 'open' and shows current, also the report that ended it: the outcome says
 * so, and an alarm asks a person to look.
 */
const judgeWelds = (played: Played, report: Report): void => {
  const { commands, device, history, alarms } = played;
  if (!isUndisturbed(played) || history.habits.obedience !== 'obeys') return;
  for (const row of commands) {
    const received = device.received.find(({ command }) => command.id === row.command_id);
    if (row.action !== 'open' || !received?.obeyed || row.ended_at === null) continue;
    const since = received.at + history.habits.movesAfter * 1000;
    const shown = device.readings
      .filter(({ live, acked, at }) => live && acked !== null && at > since && at <= Date.parse(row.ended_at))
      .map((reading) => lineIn(reading, row.n));
    const isContradicted =
      shown.length >= 3 && shown.every(({ said, amperes }) => said['sw'] === 0 && amperes > noCurrent);
    if (!isContradicted) continue;
    const name = `line ${row.n}: ${row.state}`;
    if (
      row.state !== 'mismatch' ||
      !alarms.some(({ typeNumber, line_n }) => typeNumber === 703 && line_n === row.n)
    )
      report('an open that current contradicts is a mismatch and an alarm', name);
  }
};

/** Open: no conductor carries current, and all were measured. Closed: every phase has voltage. */
const judgeMeasured = (
  { device }: Played,
  // biome-ignore lint/suspicious/noExplicitAny: a row of the command log
  row: any,
  after: number,
  report: Report,
  name: string,
): void => {
  const asked = positionOf(row.action);
  const proofs = device.readings
    .filter(
      ({ live, resent, index, at }) => (live || resent) && index > after && at <= Date.parse(row.ended_at),
    )
    .map((reading) => lineIn(reading, row.n))
    .filter(({ said }) => said['sw'] === asked);
  if (asked === 0 && !proofs.some(({ amperes, isBlind }) => !isBlind && amperes <= noCurrent))
    report('verified: every conductor that the line interrupts was measured without current', name);
  if (asked === 1 && !proofs.some(({ said }) => voltagesOf(said).every((volts) => volts >= leastVolts)))
    report('verified: a closed line has voltage in every phase', name);
};
/** A; three steps of the coarsest meter plus its noise. */
const noCurrent = 0.05;
/** 60 % of the nominal 220 V. */
const leastVolts = 132;
const voltagesOf = (said: Record<string, unknown>): number[] =>
  Object.values((said['U'] ?? {}) as Record<string, unknown>).filter((volts) => typeof volts === 'number');

/**
 * If a sensor falsely reports open, the current disproves it. If it falsely reports closed, nothing does: a
 * switch measures on its supply side, and a closed line without a load looks the same. This error is on the
 * safe side.
 */
const isUnknowable = ({ habits }: History, asked: 0 | 1): boolean =>
  habits.obedience === 'lies' && asked === 1;

/** Without this rule, a product that never verifies anything would satisfy all other invariants. */
const judgeHonest = (played: Played, report: Report): void => {
  const { commands, device, history } = played;
  const { habits, steps } = history;
  const isHonest = habits.obedience === 'obeys' && habits.shows === 'both' && habits.answersAfter <= 3;
  if (!isHonest || !isUndisturbed(played) || history.clockOff !== 0) return;
  if (steps.some((step) => step.do !== 'switch')) return;
  for (const row of commands) {
    const received = device.received.find(({ command }) => command.id === row.command_id);
    if (row.state === 'verified' || !received?.obeyed || received.command.cmd === 'reset') continue;
    const isAlone = !device.received.some(
      (other) => other !== received && other.command.n === row.n && Math.abs(other.at - received.at) < 30_000,
    );
    if (isAlone)
      report(
        habits.countsApart
          ? 'an honest device that counts its answers apart is verified'
          : 'an honest device that obeys is verified',
        `${row.action} of line ${row.n}: ${row.state}, place ${received.index}`,
      );
  }
};

/** Conditions that forbid closing count from their acknowledgement until the model begins to remove them. */
const judgeCloses = (played: Played, report: Report): void => {
  const { device, calls, lineIds, history } = played;
  for (const close of device.received) {
    if (close.command.cmd !== 'close' || close.again) continue;
    if (history.oldSession)
      report(
        'no close for an old session without the password',
        `line ${close.command.n}, place ${close.index}`,
      );
    const n = close.command.n ?? 0;
    const name = `close of line ${n}, place ${close.index}`;
    const before = device.readings.filter((reading) => reading.live && reading.index < close.index);
    for (const { invariant, fact, forbids, countsLate } of reportedFacts) {
      const reports = countsLate ? device.readings.filter(({ index }) => index < close.index) : before;
      const last = newest(reports.filter((reading) => fact(lineIn(reading, n).said) !== null));
      if (!last || last.acked === null || last.acked > close.index) continue;
      if (!countsLate && isOvertaken(last, device.readings, close.index)) continue;
      const value = fact(lineIn(last, n).said);
      if (value !== null && forbids(value))
        report(invariant, `${name}: ${value} acknowledged at ${last.acked}`);
    }
    for (const raised of device.events) {
      const { kind, st, lvl, code } = raised.message;
      if (kind !== 'alarm' || st !== 'raise' || lvl !== 2 || raised.message['n'] !== n) continue;
      if (raised.acked === null || raised.acked > close.index) continue;
      const lifted =
        device.rank() !== raised.boot ||
        device.events.some(
          ({ message, index }) =>
            message['st'] === 'clear' &&
            message['code'] === code &&
            index > raised.index &&
            index < close.index,
        ) ||
        device.received.some(
          ({ command, index }) => command.cmd === 'reset' && index > raised.index && index < close.index,
        );
      if (!lifted)
        report('no close after an acknowledged alarm', `${name}: ${code} acknowledged at ${raised.acked}`);
    }
    for (const { invariant, begins, ends, concerns } of calledFacts) {
      for (const call of calls) {
        if (!begins(call) || call.answer.status !== 200 || call.ended > close.index) continue;
        if (!concerns(call, lineIds[n - 1]!)) continue;
        if (calls.some((other) => ends(other) && other.begun > call.ended && other.begun < close.index))
          continue;
        // Answer and command use two connections, so their order is only known within some milliseconds.
        if (close.wall - call.wall < twoConnectionsMs || isAllowed(call, close, played)) continue;
        report(invariant, `${name}: ${call.path} answered at ${call.ended}`);
      }
    }
    judgeAge(played, close, report, name);
  }
};
/** Nothing that former equipment reported permits a close, and nothing that was asked of it reaches the other. */
const judgeTakenOver = (played: Played, report: Report): void => {
  const { device, calls, commands } = played;
  const resets = calls.filter(({ path, answer }) => path === '/device/reset_secret' && answer.status === 200);
  if (device.formerLeft > 0) report('former equipment is shut out', `${device.formerLeft} connections stay`);
  for (const heard of device.overheard)
    if (resets.every((reset) => heard.wall - reset.wall > twoConnectionsMs))
      report('former equipment is shut out', `it received ${heard.topic}, place ${heard.index}`);
  for (const close of device.received) {
    const { command, equipment, index, again } = close;
    const reset = resets[equipment - 2];
    if (command.cmd !== 'close' || again || !reset) continue;
    const n = command.n ?? 0;
    const name = `line ${n}, place ${index}`;
    const own = device.readings.filter((reading) => reading.equipment === equipment && reading.index < index);
    const isPositionKnown = positionsOf(played, n).some(
      (each) => each.equipment === equipment && each.index < index && each.said !== null,
    );
    const isKnown = (fact: string) => own.some((reading) => numeric(lineIn(reading, n).said[fact]) !== null);
    if (!isPositionKnown || !isKnown('trip') || !isKnown('lock'))
      report('no close on what former equipment reported', name);
    const asked = calls.find(({ answer }) => answer.data?.command_id === command.id);
    const row = commands.find((each) => each.command_id === command.id);
    const isFormer = asked ? asked.ended < reset.begun : row && Date.parse(row.created_at) < reset.at;
    if (isFormer) report('no close that was asked of former equipment', name);
  }
};
const judgeAge = (played: Played, close: Received, report: Report, name: string): void => {
  const reports = positionsOf(played, close.command.n ?? 0);
  const positions = reports.filter(({ live, acked }) => live && acked !== null && acked < close.index);
  const carried = newest(positions.filter(({ said }) => said !== null));
  if (isOvertaken(carried, reports, close.index)) return;
  const age = carried ? (close.at - carried.at) / 1000 : Number.POSITIVE_INFINITY;
  if (age > oldAfter(played, close.index)) report('no close on an old position', `${name}: ${age} s old`);
};
/**
 * Seconds after which a fact is stale: twice the interval, which the product may learn from the received
 * readings.
 */
const oldAfter = ({ device, history }: Played, before: number): number => {
  const readings = device.readings.filter(({ live, acked }) => live && acked !== null && acked < before);
  const gaps = readings.slice(1).map((reading, at) => (reading.at - readings[at]!.at) / 1000);
  return 2 * Math.max(history.habits.every, leastInterval, ...gaps) + 1;
};

/** A value above 500 V is a fault of the meter. */
const isBadVoltage = (volts: number): boolean => (volts > 264 || volts < 176) && volts <= 500;
const numeric = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const reportedFacts: {
  invariant: Invariant;
  fact: (said: Record<string, unknown>) => number | null;
  forbids: (value: number) => boolean;
  /** Late reports also forbid closing. */
  countsLate: boolean;
}[] = [
  {
    invariant: 'no close after an acknowledged trip',
    fact: (said) => numeric(said['trip']),
    forbids: (value) => value !== 0,
    countsLate: true,
  },
  {
    invariant: 'no close after an acknowledged lock',
    fact: (said) => numeric(said['lock']),
    forbids: (value) => (value & 3) !== 0,
    countsLate: true,
  },
  {
    invariant: 'no close after an acknowledged bad supply',
    fact: (said) => voltagesOf(said).find(isBadVoltage) ?? voltagesOf(said)[0] ?? null,
    forbids: isBadVoltage,
    countsLate: false,
  },
];

const twoConnectionsMs = 60;
const calledFacts: {
  invariant: Invariant;
  begins: (call: Call) => boolean;
  ends: (call: Call) => boolean;
  concerns: (call: Call, lineId: number) => boolean;
}[] = [
  {
    invariant: 'no close after a lock-out tag',
    begins: ({ path }) => path === '/lockout_tag/add_tag',
    ends: ({ path }) => path === '/lockout_tag/remove_tag',
    concerns: ({ body }, lineId) => body.line_id === undefined || body.line_id === lineId,
  },
  {
    invariant: 'no close after remote control was disabled',
    begins: ({ path, body }) => path === '/device_do/setDeviceEnableNetCtrl' && body.enabled === false,
    ends: ({ path, body }) => path === '/device_do/setDeviceEnableNetCtrl' && body.enabled === true,
    concerns: () => true,
  },
  {
    invariant: 'no close after the right was taken',
    begins: ({ path }) => path === 'rights taken',
    ends: () => false,
    concerns: () => true,
  },
  {
    invariant: 'no close after the device was unbound',
    begins: ({ path }) => path === '/Device/remove_device',
    ends: () => false,
    concerns: () => true,
  },
];
/**
 * Whether a close may still arrive after a tag was set, because the answer to the tag reported how many
 * closes are on their way.
 */
const isAllowed = (call: Call, close: Received, { device }: Played): boolean => {
  const closing = call.answer.data?.closing;
  if (typeof closing !== 'number' || closing === 0) return false;
  const after = device.received.filter(
    ({ command, again, index }) =>
      command.cmd === 'close' && !again && index > call.ended && index <= close.index,
  );
  return after.length <= closing;
};

/**
 * Serious trips that the model plays: leakage and cable temperature. A trip by voltage is not serious,
 * because the voltage explains it.
 */
const graveTrips: readonly number[] = [301, 401];
/**
 * Acknowledged reports in which a line became tripped, in the order in which they were sent, however late
 * they arrived.
 */
const tripsOf = ({ device }: Played, n: number): (Reading & { code: number })[] => {
  const known = device.readings
    .filter(({ acked }) => acked !== null)
    .filter((reading) => numeric(lineIn(reading, n).said['trip']) !== null)
    .sort((a, b) => (isNewer(a, b) ? 1 : -1));
  return known.flatMap((reading, at) => {
    const codeOf = (one: Reading) => Number(lineIn(one, n).said['trip']);
    const before = known[at - 1];
    const isNew = codeOf(reading) !== 0 && (!before || codeOf(before) !== codeOf(reading));
    return isNew ? [{ ...reading, code: codeOf(reading) }] : [];
  });
};
/** An inspection recorded before the trip, or a visit that was not an inspection, has no effect. */
const judgeInspections = (played: Played, report: Report): void => {
  const { device, calls, lineIds, inspectAfter, history, clockSets } = played;
  if (inspectAfter === 'never') return;
  const records = calls.filter(
    ({ path, body }) => path === '/maintenance/add_record' && body.kind !== 'routine',
  );
  for (const { n } of device.lines) {
    const trips = tripsOf(played, n);
    const recordsOfLine = records.filter(({ body }) => body.line_ids.includes(lineIds[n - 1]));
    // A test of the leakage protection explains its own trip.
    const isTested = history.steps.some((step) => step.do === 'interrupt' && step.verb === 'leak_test');
    for (const close of device.received) {
      const { command, again, index } = close;
      if (command.cmd !== 'close' || command.n !== n || again || isTested) continue;
      for (const trip of trips.filter(({ code, acked }) => graveTrips.includes(code) && acked! < index)) {
        // A record whose answer was lost with a killed server may have been written.
        const isInspected = recordsOfLine.some(
          ({ begun, ended, answer }) =>
            (answer.status === 200 || answer.status === 0 || answer.status >= 500) &&
            ended > trip.index &&
            begun < index,
        );
        if (!isInspected)
          report(
            'no close between a grave trip and its inspection',
            `line ${n}, place ${index}: ${trip.code} acknowledged at ${trip.acked}`,
          );
      }
    }
    for (const { path, body, begun, ended, answer } of calls) {
      if (path !== '/device_do/device_do' || body.action !== 'close' || body.line_id !== lineIds[n - 1])
        continue;
      if (answer.data?.reason !== 'uninspected') continue;
      // If a report came late or was never acknowledged, it is unknown which trip it belongs to.
      const sameReports = device.readings.filter(
        (reading) => reading.index < ended && numeric(lineIn(reading, n).said['trip']) !== 0,
      );
      const isInspected = recordsOfLine.some(
        (record) =>
          record.answer.status === 200 &&
          record.ended < begun &&
          // Work of a time from before a step is refused: its order is unknown (decision 0546).
          !clockSets.some((place) => place > record.begun && place < record.ended) &&
          sameReports.every(
            ({ index, acked }) => index < record.begun && (acked === null || acked < record.begun),
          ),
      );
      if (isInspected || sameReports.length === 0)
        report('an inspection lets the line be closed', `line ${n}, place ${begun}`);
    }
  }
};

/** A tag also forbids settings that make a device close by itself. */
const judgeSettings = ({ device, calls }: Played, report: Report): void => {
  const tags = calls.filter(({ path, answer }) => path === '/lockout_tag/add_tag' && answer.status === 200);
  for (const { config, index, wall } of device.configs) {
    const active = tags.find(
      (tag) =>
        tag.ended < index &&
        wall - tag.wall > twoConnectionsMs &&
        !calls.some(
          ({ path, begun }) => path === '/lockout_tag/remove_tag' && begun > tag.ended && begun < index,
        ),
    );
    if (!active) continue;
    const isWhole = active.body.line_id === undefined;
    const closes = (config.timers ?? []).some(({ action, en }) => action === 'close' && en === 1);
    if (config.en?.['auto_reclose'] === true || (closes && isWhole))
      report(
        'no setting that energises after a lock-out tag',
        `settings ${JSON.stringify({ en: config.en, timers: config.timers })} at place ${index}, tag at ${active.ended}`,
      );
  }
};

const judgeCommands = (
  { device, commands, asked, endedAt, history, startedAt }: Played,
  report: Report,
): void => {
  const isSteady = !history.steps.some((step) =>
    ['clock', 'clockTo', 'restart', 'timeSync'].includes(step.do),
  );
  for (const { refusedAsLate, at, command, equipment } of device.received)
    if (
      refusedAsLate &&
      isSteady &&
      equipment === 1 &&
      at - startedAt > 15_000 &&
      Math.abs(history.clockOff) <= 300_000
    )
      report(
        'a known wrong clock does not make commands late',
        `${command.cmd}, clock off by ${history.clockOff} ms`,
      );
  for (const { command, again, at, clockOff } of device.received) {
    if (command.cmd !== 'close' || again || !isSteady || Math.abs(history.clockOff) > 300_000) continue;
    const row = commands.find((each) => each.command_id === command.id);
    const created = row ? Math.min(Date.parse(row.created_at), at) : at;
    const late = command.exp - clockOff - created - closeLifeMs;
    if (late > lifeSlackMs)
      report(
        'no close can be obeyed later than its limit by true time',
        `line ${command.n}: ${late} ms later`,
      );
  }
  for (const [index] of device.lines.entries()) {
    for (const verb of ['open', 'close']) {
      const wanted = asked.filter((one) => one.line === index && one.verb === verb).length;
      const ids = new Set(
        device.received
          .filter(({ command }) => command.cmd === verb && command.n === index + 1)
          .map(({ command }) => command.id),
      );
      if (ids.size > wanted)
        report(
          'no command twice or too late',
          `${ids.size} × ${verb} of line ${index + 1}, asked ${wanted} times`,
        );
    }
  }
  for (const { command, at } of device.received) {
    const given = command.p?.['t'];
    if (command.cmd === 'time_sync' && typeof given === 'number' && Math.abs(given - at) > 5000)
      report('the server alone gives the time', `time_sync with ${new Date(given).toISOString()}`);
    const row = commands.find((each) => each.command_id === command.id);
    if (row && at > Date.parse(row.expires_at) + 500)
      report(
        'no command twice or too late',
        `${command.cmd} received ${at - Date.parse(row.expires_at)} ms late`,
      );
  }
  for (const row of commands.filter((each) => Date.parse(each.expires_at) + proofMs < endedAt))
    if (!finalStates.includes(row.state) || row.ended_at === null)
      report('every command ends', `${row.action} of line ${row.n}: ${row.state}`);
};

const judgeLists = (played: Played, report: Report): void => {
  const { device, samples } = played;
  for (const sample of samples) {
    if (sample.answer.status !== 200) continue;
    // A message on its way may or may not be included.
    const isOpen = [...device.readings, ...device.events].some(
      ({ index, acked }) => index < sample.ended && (acked === null || acked > sample.begun),
    );
    if (isOpen) continue;
    const limit = oldAfter(played, sample.begun);
    judgeTotals(played, sample, limit, report);
    for (const row of sample.answer.data.list) {
      if (row.stale || row.state === 'unknown' || row.n === 0) continue;
      const reports = positionsOf(played, row.n);
      const carried = newest(
        reports.filter(({ live, acked }) => live && acked !== null && acked < sample.begun),
      );
      if (isOvertaken(carried, reports, sample.begun)) continue;
      const name = `line ${row.n} at place ${sample.begun}: '${row.state}'`;
      if (!carried || carried.said === null) {
        report('a lost position is never shown as fresh', `${name}, reported null`);
        continue;
      }
      if (carried.said !== (row.state === 'closed' ? 1 : 0))
        report('a list shows as fresh what was last reported', `${name}, last reported ${carried.said}`);
      const age = (sample.at - carried.at) / 1000;
      if (age > limit) report('a lost position is never shown as fresh', `${name}, reported ${age} s ago`);
    }
  }
};

/** An operator who sees one device can calculate the totals; the product's totals may be some seconds old. */
const judgeTotals = (played: Played, { census, begun, at }: Sample, limit: number, report: Report): void => {
  if (census.status !== 200) return;
  const closed = played.device.lines.filter(({ n }) =>
    positionsOf(played, n).some(
      (each) =>
        (each.live || each.resent) && each.said === 1 && (at - each.at) / 1000 <= limit + totalsBehindSeconds,
    ),
  );
  if (census.data.lines_closed > closed.length)
    report(
      'totals count only what is fresh',
      `${census.data.lines_closed} closed, ${closed.length} known, place ${begun}`,
    );
};
const totalsBehindSeconds = 15;

/** Only a fresh open position without current proves a line open. */
const judgeOneKey = ({ device, calls, lineIds }: Played, report: Report): void => {
  for (const { path, body, begun, answer, at } of calls) {
    if (path !== '/device_line/onekey_opening' || body.action !== 'open') continue;
    for (const skipped of (answer.data?.lines ?? []).filter(
      ({ will }: { will: string }) => will === 'skip',
    )) {
      const n = lineIds.indexOf(skipped.line_id) + 1;
      const last = newest(
        device.readings.filter(({ live, acked }) => live && acked !== null && acked < begun),
      );
      if (n === 0 || !last || at - last.at > 5000 || isOvertaken(last, device.readings, begun)) continue;
      const { amperes } = lineIn(last, n);
      if (amperes > 1 && alreadyOpen.test(String(skipped.reason)))
        report(
          'one-key opens what carries current',
          `line ${n} carries ${amperes} A, skipped: ${skipped.reason}`,
        );
    }
  }
};
const alreadyOpen = /already/;

const interrupting = ['open', 'leak_test', 'arc_test', 'selftest', 'reboot', 'ota'];
/**
 * A user who interrupts a critical line must be an administrator, request this act, and type the line's name.
 */
const judgeCritical = ({ device, calls, history, lineIds }: Played, report: Report): void => {
  const critical = history.lines.flatMap((line, index) => (line.critical ? [index + 1] : []));
  if (critical.length === 0) return;
  const allowed = calls.filter(
    ({ path, by, answer, body }) =>
      path === '/device_do/device_do' &&
      by === 'chief' &&
      answer.status !== 409 &&
      body.confirm_name === `Line ${critical.find((n) => lineIds[n - 1] === body.line_id) ?? critical[0]}`,
  );
  for (const { command, again, index } of device.received) {
    if (again || !interrupting.includes(command.cmd)) continue;
    if (command.n ? !critical.includes(command.n) : false) continue;
    const at = allowed.findIndex(
      ({ body, begun }) =>
        begun < index &&
        body.action === command.cmd &&
        (body.line_id === undefined || body.line_id === lineIds[(command.n ?? 0) - 1]),
    );
    if (at >= 0) allowed.splice(at, 1);
    else
      report(
        'nothing interrupts a critical line without its name and the right',
        `${command.cmd} of line ${command.n ?? 0}, place ${index}`,
      );
  }
  for (const { config, index } of device.configs)
    for (const timer of config.timers ?? [])
      if (timer.action === 'open' && timer.en === 1 && critical.includes(timer.n))
        report(
          'nothing interrupts a critical line without its name and the right',
          `a timer in the device opens line ${timer.n}, place ${index}`,
        );
  for (const { answer, body, begun, by } of calls) {
    const n = lineIds.indexOf(body.line_id) + 1;
    if (by !== 'chief' || body.action !== 'open' || body.confirm_name !== `Line ${n}`) continue;
    if (answer.status === 403 || answer.data?.reason === 'critical_line')
      report('the right name interrupts a critical line', `line ${n}, place ${begun}: ${answer.status}`);
  }
};

/**
 * Judges lines that report open but carry current. Contacts are welded or the position is wrong, so an alarm
 * must ask a person to check.
 */
const judgeOpenLines = (played: Played, report: Report): void => {
  const { device, alarms, commands } = played;
  if (!isUndisturbed(played)) return;
  for (const { n } of device.lines) {
    const settled = Math.max(
      0,
      ...commands
        .filter((row) => row.n === n || row.n === 0)
        .map((row) => (row.ended_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.ended_at))),
    );
    const readings = device.readings.filter(({ live, acked, at }) => live && acked !== null && at > settled);
    const due = dueAt(
      readings,
      (reading) => {
        const { said, amperes } = lineIn(reading, n);
        if (said['sw'] === null || said['sw'] === undefined) return null;
        return said['sw'] === 0 && amperes > noCurrent ? 'beyond' : 'normal';
      },
      15_000 + slackMs,
      72_000,
    );
    if (due && !alarms.some((row) => row.typeNumber === 703 && row.line_n === n))
      report('an open line that carries current is an alarm', `line ${n}, due at place ${due.index}`);
  }
};

/** An uncommanded move of a contact is a separate alarm, if it comes after every request. */
const judgeMoves = (played: Played, report: Report): void => {
  const { device, history, alarms, commands } = played;
  if (!isUndisturbed(played)) return;
  for (const moved of device.moves) {
    if (moved.by === 'cmd') continue;
    const { n } = moved;
    const since = device.readings.filter(
      ({ live, acked, index }) => live && acked !== null && index > moved.index,
    );
    const seen = since.filter((reading) => lineIn(reading, n).said['sw'] === moved.to);
    const before = newest(
      device.readings.filter(({ live, acked, index }) => live && acked !== null && index < moved.index),
    );
    if (seen.length < 2 || !before || lineIn(before, n).said['sw'] === moved.to || seen[0] !== since[0])
      continue;
    // The reports do not show whether a person or the protection moved it first.
    if (numeric(lineIn(seen[0]!, n).said['trip']) !== 0) continue;
    // A command under way may explain the move, and so may one without a proved end.
    const unsettled = commands.some(
      (row) =>
        row.n === n &&
        Date.parse(row.created_at) <= moved.at + 2000 &&
        (row.state !== 'verified' ||
          Date.parse(row.ended_at) > moved.at - 1000 ||
          positionOf(row.action) === moved.to) &&
        Date.parse(row.created_at) > moved.at - 60_000 &&
        !(
          row.state === 'verified' &&
          positionOf(row.action) === moved.to &&
          hasLater(commands, row, moved.at)
        ),
    );
    if (unsettled) continue;
    const raised = alarms.some(
      (row) =>
        row.typeNumber === 704 &&
        row.line_n === n &&
        Date.parse(row.last_time) >= moved.at - 1000 - Math.abs(history.clockOff),
    );
    if (!raised)
      report('a move without a command raises 704', `line ${n} to ${moved.to}, place ${moved.index}`);
  }
};
// biome-ignore lint/suspicious/noExplicitAny: rows of the command log
const hasLater = (commands: readonly any[], row: any, at: number): boolean =>
  commands.some(
    (other) =>
      other.n === row.n &&
      other.action !== row.action &&
      other.state === 'verified' &&
      other.created_at > row.created_at &&
      Date.parse(other.ended_at) < at,
  );

/** Whether the device was always online with a right clock, so that delays can be calculated. */
const isUndisturbed = ({ history: { steps, habits, clockOff }, clockSets }: Played): boolean =>
  clockSets.length === 0 &&
  Math.abs(clockOff) <= 4000 &&
  !habits.reorders &&
  !steps.some((step) =>
    ['clock', 'clockTo', 'silent', 'cut', 'restart', 'replace', 'wrong', 'lose'].includes(step.do),
  ) &&
  !steps.some(
    (step) => (step.do === 'forbid' || step.do === 'race') && ['rights', 'binding'].includes(step.what.by),
  );

const isBound = ({ steps }: History): boolean =>
  !steps.some((step) => (step.do === 'forbid' || step.do === 'race') && step.what.by === 'binding');

const judgeEvents = ({ device, history, alarms, disabled }: Played, report: Report): void => {
  if (!isBound(history)) return;
  for (const { message, acked } of device.events) {
    if (message['kind'] !== 'alarm' || message['st'] !== 'raise' || acked === null) continue;
    if (disabled.includes(Number(message['code']))) continue;
    const row = alarms.find(
      ({ typeNumber, line_n, level }) =>
        typeNumber === message['code'] && line_n === message['n'] && level >= Number(message['lvl']),
    );
    if (!row) report('an acknowledged alarm event is an alarm', `${message['code']} of line ${message['n']}`);
  }
};

type Level = 0 | 1 | 2;
interface Watched {
  code: number;
  /** On- and off-delay, s. */
  on: number;
  off: number;
  /** From a line's values: the exceeded level; 'between': neither beyond nor normal; null: no value. */
  level: (said: Record<string, unknown>, history: History, n: number) => Level | 'between' | null;
}
const gradeOf = (value: number, warn: number, alarm: number, normal: number): Level | 'between' =>
  value > alarm ? 2 : value > warn ? 1 : value < normal ? 0 : 'between';
const spreadOf = (volts: readonly number[]): number => Math.max(...volts) - Math.min(...volts);
const hasLostPhase = (volts: readonly number[]): boolean =>
  volts.some((each) => each < 132) && volts.some((each) => each > 187);
/**
 * With the catalogue's limits for 220 V: single-phase is a final circuit, three-phase is a feeder. The
 * voltage of an open line may be measured behind its contacts and proves nothing.
 */
const watched: readonly Watched[] = [
  {
    code: 301,
    on: 5,
    off: 30,
    level(said, { phases }) {
      const value = numeric(said['IL']);
      const set = phases === 1 ? 30 : 300;
      return value === null ? null : gradeOf(value, 0.5 * set, set, 0.4 * set);
    },
  },
  {
    code: 103,
    on: 2,
    off: 10,
    level(said) {
      const volts = voltagesOf(said);
      if (volts.length < 3) return null;
      if (said['sw'] !== 1) return 'between';
      return hasLostPhase(volts) ? 2 : Math.min(...volts) > 143 ? 0 : 'between';
    },
  },
  {
    code: 104,
    on: 1,
    off: 10,
    level(said) {
      const volts = voltagesOf(said);
      if (volts.length < 3) return null;
      // A lost phase explains the alarm.
      if (said['sw'] !== 1 || Math.min(...volts) < 132) return 'between';
      return gradeOf(spreadOf(volts), 22, 44, 15);
    },
  },
  {
    code: 204,
    on: 60,
    off: 60,
    level(said, { lines }, n) {
      const amperes = numeric((said['I'] as Record<string, unknown> | undefined)?.['n']);
      const rated = lines[n - 1]?.rated ?? 63;
      return amperes === null ? null : gradeOf(amperes, 0.6 * rated, 0.8 * rated, 0.55 * rated);
    },
  },
];
const slackMs = 1000;

const judgeConditions = (played: Played, report: Report): void => {
  const { device, history, alarms, calls, disabled } = played;
  if (!isUndisturbed(played)) return;
  // If the device reports events about the same condition, the device decides, not the readings.
  for (const { code, on, off, level: levelOf } of watched) {
    if (disabled.includes(code) || device.events.some(({ message }) => message['code'] === code)) continue;
    for (const line of device.lines) {
      const readings = device.readings.filter(({ live, acked }) => live && acked !== null);
      for (const level of [1, 2] as const) {
        const due = dueAt(
          readings,
          (reading) => {
            const seen = levelOf(lineIn(reading, line.n).said, history, line.n);
            if (seen === null || seen === 'between') return seen;
            return seen >= level ? 'beyond' : seen === 0 ? 'normal' : 'between';
          },
          on * 1000 + slackMs,
          off * 1000 + 12_000,
        );
        if (due === null) continue;
        const rows = alarms.filter(
          (row) => row.typeNumber === code && row.line_n === line.n && row.level >= level,
        );
        const isOpen = rows.some(({ status }) => status === 'unprocessed');
        const isHandled = calls.some(
          (call) =>
            call.path === '/device_warning/batchHandle' &&
            call.begun > due.index &&
            rows.some(({ id }) => call.body.ids.includes(id)),
        );
        if (!isOpen && !isHandled)
          report(
            'a condition beyond its limit is an unprocessed alarm',
            `${code} level ${level} of line ${line.n}, due at place ${due.index}: ${rows.length === 0 ? 'no row' : 'only handled rows'}`,
          );
      }
    }
  }
};
/**
 * The acknowledgement after which the newest episode had exceeded its limit for the whole delay, in at least
 * two readings.
 */
const dueAt = (
  readings: readonly Reading[],
  shows: (reading: Reading) => 'beyond' | 'between' | 'normal' | null,
  onMs: number,
  offMs: number,
): { index: number } | null => {
  let first: Reading | null = null;
  let normalSince: Reading | null = null;
  let due: { index: number } | null = null;
  let isActive = false;
  for (const reading of readings) {
    const seen = shows(reading);
    if (seen === 'normal') normalSince ??= reading;
    else normalSince = null;
    if (normalSince && reading.at - normalSince.at >= offMs) isActive = false;
    if (seen !== 'beyond') {
      first = null;
      continue;
    }
    first ??= reading;
    if (!isActive && reading !== first && reading.at - first.at >= onMs) {
      isActive = true;
      due = { index: reading.acked! };
    }
  }
  return due;
};

/** Each alarm is notified at least once; the number of notices is not judged. */
const judgeNotices = ({ alarms, hooks, endedAt, history, faultsAt }: Played, report: Report): void => {
  if (!isBound(history)) return;
  for (const row of alarms) {
    if (row.severity > 2 || row.suppressed_by !== null || row.shelved !== null || row.late) continue;
    const receivedAt = Date.parse(row.received_at);
    const limitMs = faultsAt.some((at) => at >= receivedAt) ? interruptedNoticeMs : noticeMs;
    if (receivedAt > endedAt - limitMs) continue;
    if (row.processed_at !== null && Date.parse(row.processed_at) - receivedAt < limitMs) continue;
    const isNamed = new RegExp(`"(alarm_id|id)":${row.id}\\b|${row.work_order}`);
    if (!hooks.some((body) => isNamed.test(body)))
      report(
        'an alarm of severity 1 or 2 reaches its recipient',
        `${row.typeNumber} level ${row.level}, ${row.work_order}: ${hooks.length} other webhooks`,
      );
  }
};
const noticeMs = 30_000;
/** A fault while a notice is being sent: its claim is free again after a minute. */
const interruptedNoticeMs = 75_000;
