import { sql } from 'kysely';
import type { SwitchAction } from '#contract/control.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { FaultCode } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import type { oneKeyEndpoints } from '#contract/one-key.ts';
import type { Db } from '#database/connect.ts';
import { decide } from '#server/control/control.guard.ts';
import { gatherFacts } from '#server/control/facts.ts';
import { isProvedIn } from '#server/control/proof.ts';
import { openStates } from '#server/control/states.ts';
import type { Account } from '#server/core/account.ts';
import { fault } from '#server/core/fault.ts';
import { agesOf } from '#server/core/line-ages.ts';
import { summaryOf } from '#server/core/line-summary.ts';
import { stateOf } from '#server/core/position.ts';
import { messageOf } from '#server/core/reason.ts';
import { holds } from '#server/core/scope.ts';
import { sumKnown } from '#server/core/sum-known.ts';

export interface Planned {
  deviceId: number;
  deviceNumber: string;
  projectId: number | null;
  lineId: number;
  n: number;
  name: string;
  position: 0 | 1 | null;
  uploadSeconds: number;
  ages: ReturnType<typeof agesOf>;
  current: number | null;
  power: number | null;
  /** Why the line is skipped. */
  reason: FaultCode | null;
  with: Readonly<Record<string, string | number>>;
}

const dateOf = (at: number | null | undefined): Date | null => (at == null ? null : new Date(at));

/** What one-key would do with each line, by the guard's own decision; writes nothing. */
export const planOneKey = async (
  db: Db,
  by: Pick<Account, 'permissions' | 'role' | 'scope'>,
  ask: { deviceIds: readonly number[]; lineIds: readonly number[] | undefined; action: SwitchAction },
  now: number,
): Promise<Planned[]> => {
  const asked = ask.action === 'close' ? 1 : 0;
  const wanted = ask.lineIds && new Set(ask.lineIds);
  const deviceIds = [...new Set(ask.deviceIds)];
  const facts = await gatherFacts(db, { deviceIds, now });
  const closing = asked === 0 ? await linesToClose(db, deviceIds) : new Set<number>();
  return deviceIds.flatMap((deviceId): Planned[] => {
    const gathered = facts.get(deviceId);
    if (!gathered || !holds(by.scope, gathered.device.projectId, gathered.device.partId))
      return fault('device.missing');
    const { device, lines, inFlight } = gathered;
    return lines
      .filter((line) => line.n > 0 && (wanted?.has(line.id) ?? true))
      .map((line): Planned => {
        const decision = decide({
          now,
          verb: ask.action,
          device,
          line,
          lines,
          inFlight,
          parameters: {},
          permissions: by.permissions,
          role: by.role,
          confirmName: null,
          identityProved: true,
        });
        const seen = line.latest;
        const already = isProvedIn(asked, device, line, now) && !closing.has(line.id);
        const { current, power } = summaryOf(device.type, [...(seen?.channels ?? [])]);
        return {
          deviceId,
          deviceNumber: device.number,
          projectId: device.projectId,
          lineId: line.id,
          n: line.n,
          name: line.name,
          position: seen?.position ?? null,
          uploadSeconds: device.uploadSeconds,
          ages: agesOf(
            {
              at: dateOf(seen?.at),
              position: seen?.position ?? null,
              position_at: dateOf(seen?.positionAt),
              interval_seconds: device.uploadSeconds,
            },
            now,
          ),
          current,
          power,
          ...(decision.allowed
            ? {
                reason: already ? 'batch.already' : null,
                with: {},
              }
            : {
                reason:
                  ask.action === 'open' && line.critical && decision.reason === 'denied'
                    ? 'control.critical_line'
                    : decision.fault,
                with: decision.with,
              }),
        };
      });
  });
};

/** Lines that a close under way, or one that waits in a running batch, may still close. */
const linesToClose = async (db: Db, deviceIds: readonly number[]): Promise<ReadonlySet<number>> => {
  const { rows } = await sql<{ line_id: number }>`
    select line_id from commands
    where device_id = any(${deviceIds}::int[]) and verb = 'close' and state = any(${openStates}::text[])
    union
    select waiting.line_id from batch_lines waiting join batches on batches.id = waiting.batch_id
    where batches.state = 'running' and batches.action = 'close' and waiting.state = 'waiting'
      and waiting.device_id = any(${deviceIds}::int[])`.execute(db);
  return new Set(rows.map(({ line_id }) => line_id));
};

export const planReply = (
  plan: readonly Planned[],
  action: SwitchAction,
  language: Language,
): Omit<ReplyOf<typeof oneKeyEndpoints.switch>, 'batch_id' | 'password_needed'> => {
  const switched = plan.filter((line) => line.reason === null);
  const sum = (values: readonly (number | null)[]) => (switched.length === 0 ? 0 : sumKnown(values));
  return {
    action,
    to_switch: switched.length,
    skipped: plan.length - switched.length,
    current: sum(switched.map((line) => line.current)),
    power: sum(switched.map((line) => line.power)),
    lines: plan.map((line) => ({
      device_id: line.deviceId,
      device_number: line.deviceNumber,
      line_id: line.lineId,
      n: line.n,
      name: line.name,
      state: stateOf(line.position),
      ...line.ages,
      interval_seconds: line.uploadSeconds,
      current: line.current,
      power: line.power,
      will: line.reason === null ? 'switch' : 'skip',
      reason: line.reason,
      message: messageOf(line.reason, line.with, language),
    })),
  };
};
