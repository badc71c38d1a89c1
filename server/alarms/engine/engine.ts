import { DateTime } from 'luxon';
import type pg from 'pg';
import { alarmTypeOf } from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import { isGrave } from '#contract/alarm-traits.ts';
import { addNewTypes } from '#server/alarm-types/alarm-types.store.ts';
import type { Batch } from '#server/core/batch.ts';
import type { AlarmChange } from '#server/core/bus.ts';
import type {
  GroupEvent,
  GroupFinding,
  GroupReading,
  Judge,
  Judgement,
  LineRef,
} from '#server/core/group.ts';
import { createLane } from '#server/core/lane.ts';
import { isRecent } from '#server/core/recent.ts';
import { defaultZone } from '#server/core/zone.ts';
import { retallyWhenMissing } from '../tallies.ts';
import { aboutOf, Draft } from './changes.ts';
import { freshWatch, holdMs } from './delays.ts';
import { judgeEvent, judgeFinding } from './evaluate-event.ts';
import { judgeReading, resetLine } from './evaluate-reading.ts';
import { createEventOrder } from './event-order.ts';
import { writeInterlocks } from './interlocks.ts';
import { type LineWatch, sharedChecks } from './limits.ts';
import { alarmOf, restore } from './load.ts';
import {
  type ActiveAlarm,
  AlarmMemory,
  type Commanded,
  type Condition,
  keyOf,
  type LineState,
} from './memory.ts';
import { commandsUnderWay, isOfContacts } from './open-with-current.ts';
import { applyOutages, isAway, outageOver } from './project-outages.ts';
import { forgetReturns, notedReturns, type Returned } from './returns.ts';
import { restoreDelays } from './running-delays.ts';
import { writeTrips } from './trips.ts';
import { type Written, writeDraft } from './write.ts';

/**
 * Codes that `checksOf` (`limits.ts`) compiles. If their limit is switched off, or the line changes, the engine ends
 * their alarms. Alarms of other codes depend on events and findings.
 */
export const measuredCodes: ReadonlySet<number> = new Set([
  alarmCodes.overvoltage,
  alarmCodes.undervoltage,
  alarmCodes.phaseLoss,
  alarmCodes.neutralLoss,
  alarmCodes.voltageUnbalance,
  alarmCodes.frequency,
  alarmCodes.outage,
  alarmCodes.overcurrent,
  alarmCodes.overpower,
  alarmCodes.currentUnbalance,
  alarmCodes.neutralOvercurrent,
  alarmCodes.shortCircuit,
  alarmCodes.powerFactor,
  alarmCodes.energyQuota,
  alarmCodes.leakage,
  alarmCodes.leakageStep,
  alarmCodes.cableTemperature,
  alarmCodes.coreTemperature,
  alarmCodes.shellTemperature,
  alarmCodes.temperatureRise,
  alarmCodes.seriesArc,
  alarmCodes.voltageDistortion,
  alarmCodes.currentDistortion,
  alarmCodes.filtering,
]);

/**
 * The database knows more than memory: an episode has ended, an alarm is processed, or an unknown one is
 * active. Memory is updated, and the group is judged again, as after a conflict.
 */
class JudgedUnaware extends Error {
  readonly code = '40001';
}

/** A device and its present owner. */
export interface Moved {
  readonly deviceId: number;
  readonly projectId: number | null;
  readonly partId: number | null;
}

export interface AlarmRecorder extends Judge {
  /** Adds the catalogue's types and restores active alarms: called once before the first group. */
  load(pool: pg.Pool): Promise<void>;
  /** Switches a type on or off for later messages. */
  setEnabled(code: number, enabled: boolean): void;
  /** The months of a project's quotas use this zone from now on. */
  setZone(projectId: number, zone: string): void;
  /** A reset reached these lines. Returns a separate judgement, to be written and settled like a group's. */
  reset(lineIds: readonly number[], at: number): Judgement;
  /** Transfers the active alarms of devices to their new owners. */
  moved(devices: readonly Moved[], at: number): Judgement;
  /** Ends the active alarms of deleted devices. */
  forget(deviceIds: readonly number[], at: number): Judgement;
  /** A command began or ended. `takeCommands` loads all commands that are under way. */
  commanded(command: Commanded, open: boolean): void;
  takeCommands(pool: pg.Pool): Promise<void>;
  /** Late readings showed that the conditions of these alarms had ended. */
  returned(returns: readonly Returned[], at: number): Judgement;
  /** An operator handled an alarm: later changes get a separate work order. */
  handled(lineId: number, alarmId: number): void;
  /**
   * Checks whether outages of projects persist, ends chattering alarms that have been silent for long enough,
   * raises alarms that became active while their type was switched off, announces severe ones that are still active
   * after the backlog that reported them, and writes repeats that are only counted in memory.
   */
  review(at: number): Judgement;
}

/**
 * Keeps pending and active alarms in memory, and writes changes in the group's transaction. The database
 * decides: if a row differs (another node, a restart, a deletion), memory follows it.
 */
export const createAlarmRecorder = (): AlarmRecorder => {
  const memory = new AlarmMemory();
  let watches = new WeakMap<LineRef, LineWatch>();
  const knownChecks = new Map<number, LineWatch>();
  const disabled = new Set<number>();
  const zones = new Map<number, string>();
  const order = createEventOrder();

  const isEnabled = (code: number) => !disabled.has(code);
  const freshDraft = () => new Draft((alarm) => memory.isProcessed(alarm));
  const zoneOf = (projectId: number | null) =>
    (projectId === null ? undefined : zones.get(projectId)) ?? defaultZone;

  const lineChecks = sharedChecks(
    (projectId) => (at) =>
      DateTime.fromMillis(at, { zone: zoneOf(projectId) })
        .endOf('month')
        .toMillis(),
  );
  const watchOf = (line: LineRef): LineWatch => {
    const known = watches.get(line);
    if (known) return known;
    const state = memory.line(line.lineId, line.deviceId);
    const checks = lineChecks(line);
    const judged = new Set(checks.checks.map((check) => check.key));
    const orphans = [...state.conditions.values()]
      .filter(
        (condition) =>
          condition.active?.source === 'server' &&
          (measuredCodes.has(condition.code) || isOfContacts(condition)) &&
          !judged.has(condition.key),
      )
      .map((condition) => condition.key);
    const watch: LineWatch = { state, checks, orphans };
    watches.set(line, watch);
    knownChecks.set(line.lineId, watch);
    return watch;
  };

  const judgementOf = (draft: Draft): Judgement => {
    let written: Written | null = null;
    return {
      empty: draft.isEmpty,
      write: async (batch) => {
        await applyOutages(batch, memory, draft);
        await learnZones(batch, draft, zones);
        written = await writeDraft(batch, draft, zoneOf);
        const { overlooked, handled, unknown } = written;
        for (const { lineId, at, ...event } of overlooked) order.learnEnd(lineId, event, at);
        for (const alarm of handled) memory.learnProcessed(alarm);
        if (overlooked.length + handled.length + unknown.length > 0) throw new JudgedUnaware();
        writeInterlocks(batch, memory, draft);
        forgetReturns(batch, draft);
        await writeTrips(batch, draft);
      },
      tripped: () => [...new Set([...draft.trips.values()].map(({ deviceId }) => deviceId))],
      settle: () => (written === null ? [] : settle(memory, draft, written)),
      undo: () => {
        draft.journal.undo();
        for (const row of written?.unknown ?? []) memory.take(alarmOf(row), row.processed);
      },
    };
  };

  const inTurn = createLane({ atOnce: 1, waiting: Number.POSITIVE_INFINITY });
  const load = async (pool: pg.Pool) => {
    await addNewTypes(pool);
    await retallyWhenMissing(pool);
    await restore(pool, memory, { disabled, zones });
    await restoreDelays(pool, memory);
    for (const { lineId, alarmId, goneAt } of await notedReturns(pool)) {
      const alarm = memory.byId(lineId, alarmId);
      if (alarm) alarm.goneAt = goneAt;
    }
    memory.takeCommands(await commandsUnderWay(pool));
    watches = new WeakMap();
  };

  return {
    inTurn,
    load: (pool) => inTurn(() => load(pool)),
    setZone: (projectId, zone) => void zones.set(projectId, zone),
    setEnabled: (code, enabled) => {
      if (enabled) disabled.delete(code);
      else disabled.add(code);
    },
    commanded: ({ lineId, deviceId, commandId }, open) => {
      if (open) memory.line(lineId, deviceId).commands.add(commandId);
      else memory.known(lineId)?.commands.delete(commandId);
    },
    takeCommands: async (pool) => memory.takeCommands(await commandsUnderWay(pool)),
    handled: (lineId, alarmId) => memory.handled(lineId, alarmId),
    reset: (lineIds, at) => {
      const draft = freshDraft();
      for (const lineId of lineIds) {
        const watch = knownChecks.get(lineId);
        const state = watch?.state ?? memory.known(lineId);
        if (state) resetLine(draft, watch ?? { state, checks: { checks: [] } }, at);
      }
      return judgementOf(draft);
    },
    returned: (returns, at) => {
      const draft = freshDraft();
      for (const one of returns) takeReturn(draft, memory, one, at);
      return judgementOf(draft);
    },
    moved: (devices, at) => {
      const draft = freshDraft();
      for (const { deviceId, projectId, partId } of devices) {
        const strange = [...memory.everyOfDevice(deviceId)].filter(
          (alarm) => alarm.projectId !== projectId || alarm.partId !== partId,
        );
        // Causes first, so that their consequences are assigned to them again.
        for (const held of [false, true])
          for (const alarm of strange) {
            const state = memory.known(alarm.lineId);
            if (state && alarm.clearedAt === null && (alarm.parent !== null) === held)
              draft.move(state, alarm, { projectId, partId }, at);
          }
      }
      return judgementOf(draft);
    },
    forget: (deviceIds, at) => {
      const draft = freshDraft();
      const standing = deviceIds.flatMap((deviceId) => [...memory.everyOfDevice(deviceId)]);
      // Consequences first, so that no alarm of such a device appears.
      for (const held of [true, false])
        for (const alarm of standing) {
          const state = memory.known(alarm.lineId);
          if (state && alarm.clearedAt === null && (alarm.parent !== null) === held)
            draft.clear(state, alarm, at, 'cleared', 'removed');
        }
      return judgementOf(draft);
    },
    review: (at) => {
      const draft = freshDraft();
      for (const { lineId, projectId } of memory.active())
        if (lineId < 0 && projectId !== null) draft.returned.set(projectId, at);
      for (const [line, { active }] of [...memory.activeConditions()]) {
        const offMs = (alarmTypeOf(active.code)?.off ?? 0) * 1000;
        if (!active.latched && active.normalAt !== null && at - active.normalAt >= holdMs(offMs))
          draft.clear(line, active, at, 'cleared');
      }
      for (const [line, { active }] of [...memory.activeConditions()])
        if (isLeftByCause(active, at)) draft.reconsider(line, active, at);
      for (const [line, condition] of [...memory.activeConditions()])
        if (isLeftByBacklog(line, condition, at)) draft.wake(condition.active, at);
      for (const alarm of [...memory.active()]) if (alarm.clearedAt === null) draft.catchUp(alarm, at);
      for (const alarm of [...memory.unrecorded()])
        if (isEnabled(alarm.code)) record(draft, memory, alarm, at);
      return judgementOf(draft);
    },
    judge: (
      readings: readonly GroupReading[],
      events: readonly GroupEvent[],
      findings: readonly GroupFinding[],
    ) => {
      const draft = freshDraft();
      for (const { late, line, receivedAt } of [...events, ...readings])
        if (late) {
          const { device } = memory.line(line.lineId, line.deviceId);
          device.backlogAt = Math.max(receivedAt, device.backlogAt || 0);
        }
      for (const finding of findings) {
        judgeFinding(draft, watchOf(finding.line), finding, isEnabled);
        const { projectId } = finding.line;
        if (!finding.active && isAway(finding.code) && projectId !== null && outageOver(memory, projectId))
          draft.returned.set(projectId, finding.at);
      }
      for (const event of events) judgeEvent(draft, watchOf(event.line), event, isEnabled, order);
      for (const reading of readings) judgeReading(draft, watchOf(reading.line), reading, isEnabled);
      return judgementOf(draft);
    },
  };
};

/** Within this time and its off-delay, readings show or end an alarm whose cause has ended, if there are any. */
const readWithinMs = 600_000;
const isLeftByCause = ({ parent, code, clearedAt }: ActiveAlarm, at: number): boolean =>
  parent !== null &&
  parent.clearedAt !== null &&
  clearedAt === null &&
  !isRecent(parent.clearedAt, at, readWithinMs + (alarmTypeOf(code)?.off ?? 0) * 1000);

/** A backlog is complete when no message of it has come for this time; nobody waits longer for an endless one. */
const backlogSettlesMs = 60_000;
const longestBacklogMs = 15 * 60_000;
/**
 * A severe alarm from a backlog that is complete: its end did not come, and no reading contradicts it. What only a
 * device can report would never be confirmed by a reading.
 */
const isLeftByBacklog = (
  { device }: LineState,
  { active, quietSince }: Condition & { active: ActiveAlarm },
  at: number,
): boolean => {
  if (!active.late || active.unrecorded || active.clearedAt !== null || !isGrave(active)) return false;
  if (Number.isNaN(device.backlogAt)) device.backlogAt = at;
  const isComplete =
    !isRecent(device.backlogAt, at, backlogSettlesMs) || !isRecent(active.receivedAt, at, longestBacklogMs);
  return isComplete && Number.isNaN(quietSince);
};

/**
 * Live readings show the condition again, as the note says or since it was made: the alarm is another one. Else the
 * next live reading beyond the limit decides.
 */
const takeReturn = (
  draft: Draft,
  memory: AlarmMemory,
  { lineId, alarmId, goneAt, againAt }: Returned,
  at: number,
): void => {
  const alarm = memory.byId(lineId, alarmId);
  const line = memory.known(lineId);
  if (!alarm || !line) {
    draft.returns.add(alarmId);
    return;
  }
  // It was noted because it was handled before that.
  if (againAt !== null) memory.learnProcessed(alarm);
  if (againAt === null && alarm.lastAt <= goneAt) {
    draft.journal.touch(alarm).goneAt = goneAt;
    return;
  }
  draft.cameBack(alarm);
  draft.renewAsIs(line, alarm, againAt ?? alarm.lastAt, at);
};

/** The type is switched on again: conditions that were active without a record are raised. */
const record = (draft: Draft, memory: AlarmMemory, alarm: ActiveAlarm, at: number): void => {
  const type = alarmTypeOf(alarm.code);
  const line = memory.known(alarm.lineId);
  if (!type || !line) return;
  draft.journal.touch(alarm).clearedAt = at;
  const { others, ownEnded } = alarm;
  const recorded = draft.raise(line, {
    ...aboutOf(alarm),
    line: alarm,
    type,
    at: Math.max(at, alarm.raisedAt),
    receivedAt: at,
  });
  Object.assign(recorded, { others, ownEnded });
};

const learnZones = async (batch: Batch, draft: Draft, zones: Map<number, string>) => {
  const unknown = draft.raises
    .map(({ alarm }) => alarm.projectId)
    .filter((id): id is number => id !== null && !zones.has(id));
  if (unknown.length === 0) return;
  const rows = await batch.query<{ id: number; time_zone: string }>(
    'select id, time_zone from projects where id = any($1::int[])',
    [unknown],
  );
  for (const row of rows) zones.set(row.id, row.time_zone);
};

/** Updates memory to the database's result of the draft, and returns the changes. */
const settle = (memory: AlarmMemory, draft: Draft, written: Written): AlarmChange[] => {
  for (const [alarm, count] of written.counted) alarm.unwritten -= count;
  for (const [alarm, row] of written.adopted) {
    alarm.raisedAt = row.raisedAt;
    if (row.level > alarm.level) alarm.level = row.level;
  }
  for (const alarm of written.dropped) {
    const condition = memory.known(alarm.lineId)?.conditions.get(keyOf(alarm.code, alarm.phase));
    if (condition?.active === alarm) Object.assign(condition, freshWatch(), { active: null });
    alarm.clearedAt ??= alarm.lastAt;
  }
  memory.ended(draft.touched);
  memory.ended(written.dropped);
  return draft.changes
    .filter(({ alarm }) => !written.dropped.has(alarm))
    .map(({ alarm, kind, quiet, heldBackBy }) => {
      const row = written.adopted.get(alarm);
      const again = row !== undefined && kind === 'raised';
      return {
        lineId: alarm.lineId,
        alarmId: alarm.id,
        deviceId: alarm.deviceId,
        projectId: alarm.projectId,
        partId: alarm.partId,
        code: alarm.code,
        level: alarm.level,
        severity: alarm.severity,
        kind: again ? 'repeated' : kind,
        quiet: again || quiet,
        ...(heldBackBy !== undefined && { heldBackBy }),
      };
    });
};
