import { lineInterlockCodes, supplyInterlockCodes } from '#contract/alarm-catalogue.ts';
import { wrongParameters } from '#contract/command-parameters.ts';
import type { FaultCode } from '#contract/faults/codes.ts';
import { heardLately, isFresh } from '#contract/freshness.ts';
import {
  actsOnWholeDevice,
  commandHazard,
  energises,
  mayClose,
  mayInterrupt,
  staysBehind,
} from '#contract/hazards.ts';
import { limits } from '#contract/limits.ts';
import type { Permission } from '#contract/permissions.ts';
import {
  type CommandVerb,
  type DeviceType,
  detectorTypes,
  lineLocks,
  lockBits,
  type RefusalReason,
  switchingTypes,
} from '#contract/telemetry.ts';
import { type Measured, type Position, phaseValues } from '#server/core/evidence.ts';
import { clockErrorMs } from './states.ts';

interface Observation {
  /** Time of the newest report, which the channels belong to. */
  at: number;
  boot: number;
  seq: number;
  /**
   * Each fact has the time of the report that contained it; null: its sensor is faulty, or the present equipment
   * never reported it.
   */
  position: Position | null;
  positionAt: number | null;
  trip: number | null;
  tripAt: number | null;
  lock: number | null;
  lockAt: number | null;
  channels: readonly (number | null)[];
}
export interface DeviceFacts {
  id: number;
  number: string;
  type: Measured['type'];
  caps: readonly string[];
  projectId: number | null;
  partId: number | null;
  netCtrl: boolean;
  online: boolean;
  lastSeen: number | null;
  uploadSeconds: number;
  /** Device time + skew = server time, ms. */
  skewMs: number;
  /** The most by which its clock may be behind, ms: by it no message is obeyed too late. */
  behindMs: number;
  /** The server's clock was set, and the device has not reported since: the skew is of the clock as it was. */
  clockUnknown: boolean;
  /** The device connected anew, or restarted, and has not reported since: its clock may have stood still. */
  clockAwaited: boolean;
  nominalVoltage: number;
}
export interface LineFacts {
  id: number;
  /** 0: the device itself. */
  n: number;
  name: string;
  ratedCurrent: number | null;
  poles: number;
  switchable: boolean;
  critical: boolean;
  thresholds: Readonly<Record<string, number>>;
  latest: Observation | null;
  /** Codes of level 2 that are active on the line or its device: alarms, and conditions without a record. */
  alarms: readonly number[];
  /** The line tripped, and no inspection has been recorded since. */
  uninspected: boolean;
  /** Lock-out tags on the line, its device or its project. */
  tags: readonly { reason: string; owner: string }[];
  lastOperationAt: number | null;
  operationsLastHour: number;
}
export interface InFlight {
  id: string;
  lineId: number;
  verb: string;
  operator: string;
}
export interface Facts {
  now: number;
  verb: CommandVerb;
  parameters: Readonly<Record<string, unknown>>;
  device: DeviceFacts;
  line: LineFacts;
  /** All lines of the device if the command acts on more than `line`; else at least `line`. */
  lines: readonly LineFacts[];
  /** Unfinished commands for the whole device. */
  inFlight: readonly InFlight[];
  permissions: ReadonlySet<Permission>;
  role: number;
  confirmName: string | null;
  /** The caller gave the password recently enough for this act. */
  identityProved: boolean;
  /** The device's project when the command was asked for; undefined: it is asked for now. */
  askedIn?: number | null | undefined;
}
export type Decision =
  | { allowed: true; supersedes: readonly string[] }
  | {
      allowed: false;
      reason: GuardReason;
      fault: FaultCode;
      with: Readonly<Record<string, string | number>>;
    };

const { pauseSeconds, perHour } = limits.switching;

const switches = (verb: CommandVerb): boolean => verb === 'open' || verb === 'close';
const opens = (verb: CommandVerb): boolean => verb === 'open' || verb === 'leak_test';
const moves = (verb: CommandVerb): boolean => switches(verb) || opens(verb);
/**
 * Commands that a device accepts while remote control is disabled. Setting its clock is not one: it may
 * trigger a timer.
 */
const queries: readonly CommandVerb[] = ['read', 'identify'];

const permissionFor = (verb: CommandVerb): Permission =>
  switches(verb) ? 'line.switch' : verb === 'ota' ? 'firmware.write' : 'device.control';

const hazardOf = ({ verb, device }: Pick<Facts, 'verb' | 'device'>) => commandHazard(verb, device.type);
/** The lines that the command acts on. */
const concerned = ({ verb, line, lines }: Facts): readonly LineFacts[] =>
  line.n === 0 || actsOnWholeDevice(verb) ? lines : [line];
/** The text that an operator types to confirm that a critical line may lose its supply. */
export const nameToType = ({ name, n }: Pick<LineFacts, 'name' | 'n'>): string => name.trim() || String(n);
/** The critical line that the command may interrupt; the first if there are several. */
export const interruptedCriticalLine = (facts: Facts): LineFacts | undefined =>
  mayInterrupt(facts.verb) ? concerned(facts).find((line) => line.critical) : undefined;

/** Verbs that only some types support; `caps` may report more: a bypass contactor, or another model. */
const typesWith: Partial<Record<CommandVerb, readonly DeviceType[]>> = {
  open: switchingTypes,
  close: switchingTypes,
  leak_test: switchingTypes,
  arc_test: [5, 6, 7],
};
/** Whether the device and line support the verb at all. Source: domain reference §1.5. */
const supports = ({ verb, device, line }: Facts): boolean => {
  if (moves(verb) && (!line.switchable || detectorTypes.includes(device.type))) return false;
  return typesWith[verb]?.includes(device.type) !== false || device.caps.includes(verb);
};

/** Lines that the command energises. */
const energised = (facts: Facts): readonly LineFacts[] =>
  energises(facts.verb, facts.device.type) ? concerned(facts).filter(({ n }) => n > 0) : [];
/** Those of them whose position, trip and supply are known from reports; others can only be reset. */
const switched = (facts: Facts): readonly LineFacts[] => energised(facts).filter((line) => line.switchable);
const movesContacts = (facts: Facts): boolean =>
  moves(facts.verb) || energises(facts.verb, facts.device.type);
/** Whether one of these lock bits is set on a line that the command acts on. */
const isLocked = (facts: Facts, bits: number): boolean =>
  concerned(facts).some(({ latest }) => ((latest?.lock ?? 0) & bits) !== 0);

/** Whether all facts that a close depends on were reported recently, each by a report that contained it. */
const isKnown = ({ device, now }: Facts, { latest }: LineFacts): boolean => {
  if (latest === null) return false;
  const { at, boot, position, positionAt, trip, tripAt, lock, lockAt } = latest;
  if (boot < 0 || position === null || trip === null || lock === null) return false;
  // A fact from the future is older than the last step of the clock: nobody knows its age.
  return [at, positionAt, tripAt, lockAt].every(
    (each) => isFresh(each, now, device.uploadSeconds) && each! - now <= clockErrorMs,
  );
};

const supplyIsBad = ({ device }: Facts, line: LineFacts): boolean => {
  if (line.alarms.some((code) => supplyInterlockCodes.includes(code))) return true;
  const least = line.thresholds['uv_a'] ?? 0.8 * device.nominalVoltage;
  const most = line.thresholds['ov_a'] ?? 1.2 * device.nominalVoltage;
  const voltages = phaseValues(
    { type: device.type, poles: line.poles },
    line.latest?.channels ?? [],
    'U',
    'in',
  );
  return voltages.some((voltage) => voltage === null || voltage < least || voltage > most);
};

/**
 * The command that blocks this one: for an open only another open; for a close everything on the line, and
 * everything elsewhere except switching.
 */
const obstacle = (facts: Facts): InFlight | undefined =>
  facts.inFlight.find((command) => {
    const { verb, line } = facts;
    if (verb === 'open') return command.lineId === line.id && command.verb === 'open';
    const sameLine = concerned(facts).some(({ id }) => id === command.lineId);
    const other = command.verb as CommandVerb;
    if (movesContacts(facts)) return !queries.includes(other) && (sameLine || !switches(other));
    // Its expiry would be of the clock as it was.
    if (hazardOf(facts) !== null && other === 'time_sync') return true;
    return sameLine && command.verb === verb;
  });

type Params = Record<string, string | number>;
interface Rule {
  reason: RefusalReason;
  /** Parameters of the sentence if the rule refuses, else null. */
  refuses(facts: Facts): Params | null;
}
const when = (broken: boolean, params: Params = {}): Params | null => (broken ? params : null);

/**
 * The interlock table, in the order in which reasons are given. An unknown fact refuses a close. Source: domain
 * reference §4.2.
 */
const rules = [
  { reason: 'unsupported', refuses: (facts) => when(!supports(facts)) },
  {
    reason: 'bad_param',
    refuses: ({ verb, parameters }) => {
      const wrong = wrongParameters(verb, parameters);
      return when(wrong.length > 0, { parameters: wrong.join(', ') });
    },
  },
  { reason: 'unbound', refuses: ({ device }) => when(device.projectId === null) },
  {
    reason: 'moved',
    refuses: (facts) => {
      const { projectId } = facts.device;
      const { askedIn = projectId } = facts;
      return when(staysBehind(hazardOf(facts), askedIn, projectId));
    },
  },
  { reason: 'offline', refuses: ({ device }) => when(!device.online) },
  {
    reason: 'stale',
    refuses: (facts) =>
      when(
        (movesContacts(facts) &&
          !heardLately(facts.device.lastSeen, facts.now, facts.device.uploadSeconds)) ||
          // Nobody could say until when the device would obey.
          (hazardOf(facts) !== null && (facts.device.clockUnknown || facts.device.clockAwaited)),
      ),
  },
  {
    reason: 'net_ctrl_off',
    refuses: (facts) =>
      when(
        !queries.includes(facts.verb) && (!facts.device.netCtrl || isLocked(facts, lockBits.netControlOff)),
      ),
  },
  {
    reason: 'locked',
    refuses: (facts) => when(movesContacts(facts) && isLocked(facts, lineLocks)),
  },
  {
    reason: 'tagged',
    refuses: (facts) => {
      const tags = concerned(facts).flatMap((line) => line.tags);
      const texts = new Set(tags.map((tag) => `${tag.reason} (${tag.owner})`));
      return when(hazardOf(facts) !== null && texts.size > 0, { reason: [...texts].join('; ') });
    },
  },
  {
    reason: 'stale',
    refuses: (facts) => when(switched(facts).some((line) => !isKnown(facts, line))),
  },
  {
    reason: 'tripped',
    refuses: (facts) =>
      when(
        facts.verb === 'ota'
          ? concerned(facts).some(({ latest }) => Boolean(latest?.trip))
          : facts.verb === 'close' && facts.line.latest?.trip !== 0,
      ),
  },
  {
    reason: 'alarm_active',
    refuses: (facts) => {
      const forbidding = new Set(
        facts.verb === 'ota'
          ? concerned(facts).flatMap((line) => line.alarms)
          : facts.line.alarms.filter((code) => lineInterlockCodes.includes(code)),
      );
      const asks = facts.verb === 'close' || facts.verb === 'ota';
      return when(asks && forbidding.size > 0, { types: [...forbidding].join(', ') });
    },
  },
  {
    reason: 'uninspected',
    refuses: (facts) =>
      when(
        mayClose(facts.verb, facts.device.type) &&
          concerned(facts).some(({ n, uninspected }) => n > 0 && uninspected),
      ),
  },
  {
    reason: 'supply_bad',
    refuses: (facts) => when(switched(facts).some((line) => supplyIsBad(facts, line))),
  },
  {
    reason: 'critical_line',
    refuses: (facts) => {
      const critical = interruptedCriticalLine(facts);
      return critical && facts.confirmName?.trim() !== nameToType(critical)
        ? { line: nameToType(critical) }
        : null;
    },
  },
  {
    reason: 'ota',
    refuses: ({ verb, inFlight }) =>
      when(verb !== 'open' && verb !== 'read' && inFlight.some((command) => command.verb === 'ota')),
  },
  {
    reason: 'busy',
    refuses: (facts) => {
      const other = obstacle(facts);
      return when(other !== undefined, { operator: other?.operator ?? '' });
    },
  },
  {
    reason: 'too_fast',
    refuses: ({ verb, line, now }) =>
      when(
        verb === 'close' &&
          ((line.lastOperationAt !== null && Math.abs(now - line.lastOperationAt) < pauseSeconds * 1000) ||
            line.operationsLastHour >= perHour),
      ),
  },
] as const satisfies readonly Rule[];

export type GuardReason = 'denied' | 'line_needed' | (typeof rules)[number]['reason'] | 'password_needed';
/** Every reason that `decide` refuses with, in the order in which they are given. */
export const guardReasons: readonly GuardReason[] = [
  'denied',
  'line_needed',
  ...new Set(rules.map((rule) => rule.reason)),
  'password_needed',
];

/** Roles that may interrupt a critical line: administrators and regional administrators. Source: domain reference §4.2. */
const mostCriticalRole = 2;

/**
 * Whether a command may be sent now, from the facts alone. Scope is checked before (a foreign device is
 * unknown); the password comes last, so that a user does not enter it for a command that is refused anyway.
 * An open supersedes a close under way.
 */
export const decide = (facts: Facts): Decision => {
  const { verb, line, permissions, role, inFlight } = facts;
  const hazard = hazardOf(facts);
  const refuse = (reason: GuardReason, fault: FaultCode, params: Params = {}): Decision => ({
    allowed: false,
    reason,
    fault,
    with: params,
  });
  const mayTouch =
    permissions.has(permissionFor(verb)) && (hazard !== 'closes' || permissions.has('line.switch'));
  if (!mayTouch || (interruptedCriticalLine(facts) && role > mostCriticalRole))
    return refuse('denied', 'permission.denied');
  if (moves(verb) && line.n === 0) return refuse('line_needed', 'control.lineNeeded');
  for (const rule of rules) {
    const params = rule.refuses(facts);
    if (params) return refuse(rule.reason, `control.${rule.reason}`, params);
  }
  if (hazard !== null && !facts.identityProved) return refuse('password_needed', 'control.passwordNeeded');
  return {
    allowed: true,
    supersedes:
      verb === 'open'
        ? inFlight
            .filter((command) => command.lineId === line.id && command.verb === 'close')
            .map((command) => command.id)
        : [],
  };
};
