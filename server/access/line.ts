import { type AccessAct, accessActs } from '#contract/access.ts';
import { sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import type { Permission } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { decide, type Facts, interruptedCriticalLine, nameToType } from '#server/control/control.guard.ts';
import { gatherFacts } from '#server/control/facts.ts';
import { fault } from '#server/core/fault.ts';

type LineVerdict = { allowed: boolean; message: string | null } | null;

/**
 * The guard's decision about opening or closing a line with these permissions now, assuming that the password
 * and the name of a critical line are given. Null if the act switches nothing or no line is named. Throws
 * `line.missing`.
 */
export const lineVerdict = async (
  db: Db,
  ask: {
    deviceId: number;
    lineId: number | undefined;
    act: AccessAct;
    by: { permissions: ReadonlySet<Permission>; role: number };
    now: number;
    language: Language;
  },
): Promise<LineVerdict> => {
  const { deviceId, lineId, act, by, now, language } = ask;
  if (lineId === undefined || (act !== 'open' && act !== 'close')) return null;
  const gathered = (await gatherFacts(db, { deviceIds: [deviceId], now })).get(deviceId);
  const line = gathered?.lines.find(({ id }) => id === lineId);
  if (!gathered || !line) return fault('line.missing');
  const facts: Facts = {
    now,
    verb: act,
    parameters: {},
    device: gathered.device,
    line,
    lines: gathered.lines,
    inFlight: gathered.inFlight,
    permissions: by.permissions,
    role: by.role,
    confirmName: null,
    identityProved: true,
  };
  const critical = interruptedCriticalLine(facts);
  const decision = decide({ ...facts, confirmName: critical ? nameToType(critical) : null });
  return {
    allowed: decision.allowed,
    message: decision.allowed ? null : sentence(decision.fault, language, decision.with),
  };
};

/** The permissions of a user whom only the line itself can stop. */
export const everyRight = {
  role: 1,
  permissions: new Set<Permission>(Object.values(accessActs).flat()),
};
