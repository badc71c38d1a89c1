import type { AckMessage, CfgMessage, InfoMessage, OtaMessage, PositionCause } from '#contract/telemetry.ts';
import type { CommandState } from '#database/tables/control.ts';

/** A line's values that were just stored; channels in the order of `lineChannels[type]`. */
export interface StoredReading {
  lineId: number;
  deviceId: number;
  n: number;
  at: number;
  receivedAt: number;
  boot: number;
  seq: number;
  position: 0 | 1 | null;
  trip: number | null;
  lock: number | null;
  energy: number | null;
  channels: (number | null)[];
  /** False for backfilled readings or ones older than the latest: history only. */
  latest: boolean;
}
export interface AlarmChange {
  lineId: number;
  alarmId: number;
  deviceId: number;
  projectId: number | null;
  partId: number | null;
  code: number;
  level: 1 | 2;
  severity: number;
  /**
   * 'suppressed': it proved to be a consequence of another alarm, and leaves the lists. 'followed': it was
   * processed, and a change of it opened a new work order, which is 'raised' at the same time; the condition
   * persists.
   */
  kind:
    | 'raised'
    | 'escalated'
    | 'repeated'
    | 'suppressed'
    | 'followed'
    | 'cleared'
    | 'handled'
    | 'urged'
    | 'deleted'
    | 'shelved'
    | 'unshelved'
    | 'reset';
  /** Backfilled or suppressed: recorded without a pop-up. */
  quiet: boolean;
  /** Raised earlier and suppressed until now by an alarm with this code. */
  heldBackBy?: number;
}
export interface PositionChange {
  lineId: number;
  deviceId: number;
  at: number;
  boot: number;
  seq: number;
  position: 0 | 1;
  cause: PositionCause;
  code: number | null;
  commandId: string | null;
}

/** A timer came due, with this result. */
export interface TimerRun {
  timerId: number;
  deviceId: number;
  lineId: number;
  projectId: number | null;
  partId: number | null;
  authorId: number;
  dueAt: number;
  action: 'open' | 'close';
  outcome: 'fired' | 'skipped' | 'missed';
  /** Fault code. */
  reason: string | null;
}
export interface TagChange {
  tagId: number;
  kind: 'set' | 'removed' | 'review';
  /** What the tag is set on: exactly one of these three. */
  on: { lineId: number } | { deviceId: number } | { projectId: number };
  /** Project and part of the tag; a tag on a project has no part. */
  projectId: number | null;
  partId: number | null;
  ownerId: number;
}

/**
 * What changed about a device. 'place': it was added, deleted, or moved to another project or part; 'record':
 * the server's data about it, such as its name, secret, voltage or remote control; 'report': the device's own
 * data.
 */
export type DeviceChange = 'place' | 'record' | 'report';

/** All committed events. Features do not call each other to report them; they listen here. */
export interface Events {
  'readings.stored': readonly StoredReading[];
  'alarms.changed': readonly AlarmChange[];
  /** Lines of the devices tripped; the trips are stored. */
  'lines.tripped': { deviceIds: readonly number[] };
  'alarmType.changed': { code: number; enabled: boolean };
  /** For the devices of a type: in one project, or (null) everywhere. */
  'thresholds.changed': { projectId: number | null; deviceType: number };
  'position.changed': readonly PositionChange[];
  'device.online': { deviceId: number; online: boolean; at: number; why: string };
  'device.info': { deviceId: number; info: InfoMessage };
  'device.config': { deviceId: number; config: CfgMessage };
  'device.ota': { deviceId: number; progress: OtaMessage };
  'device.ack': { deviceId: number; ack: AckMessage; receivedAt: number };
  'device.changed': { deviceId: number; what: DeviceChange };
  /** A project was added, edited or deleted; its zone and nominal voltage affect its devices. */
  'project.changed': { projectId: number; timeZone: string };
  'line.changed': { lineId: number; deviceId: number };
  'command.changed': {
    commandId: string;
    deviceId: number;
    lineId: number;
    state: CommandState;
    verb: string;
    batchId: string | null;
  };
  'timer.changed': { deviceId: number };
  'timer.ran': TimerRun;
  'tag.changed': TagChange;
  /** A desired value was set and waits: this wakes the senders of all nodes. */
  'settings.requested': { deviceId: number };
  /** A desired value was sent to the device, refused, withdrawn or completed. */
  'settings.progressed': { deviceId: number };
  /** A job over many devices began (its devices are queued), progressed or ended. */
  'job.changed': { jobId: string; begun?: true };
  /** A firmware rollout began, progressed or ended. */
  'rollout.changed': { rolloutId: number };
  /** A maintenance job is waiting. */
  'maintenance.changed': Record<string, never>;
  /** The backup schedule has changed. */
  'maintenance.planned': Record<string, never>;
  /** A staged restore must be swapped in: every node restarts. */
  'maintenance.swapping': Record<string, never>;
  /** This node was cut off from the others for a while: its memory may be out of date. */
  'events.missed': Record<string, never>;
  /** A user requested a run of a scheduled job. */
  'scheduled.asked': { name: string };
  'session.ended': { userId: number };
  /** Permissions of a role changed: open streams load their callers again. */
  'rights.changed': { roleId: number };
  'message.posted': { userIds: readonly number[] };
}
type Listener<Name extends keyof Events> = (event: Events[Name]) => void;

export interface Bus {
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void;
  on<Name extends keyof Events>(name: Name, listener: Listener<Name>): () => void;
}

/** In-process bus. A listener that throws is reported to `onError`; the others still run. */
export const createBus = (onError: (error: unknown) => void): Bus => {
  const listeners = new Map<string, Set<Listener<keyof Events>>>();
  return {
    emit(name, event) {
      for (const listener of listeners.get(name) ?? []) {
        try {
          listener(event);
        } catch (error) {
          onError(error);
        }
      }
    },
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set);
      set.add(listener as Listener<keyof Events>);
      return () => set.delete(listener as Listener<keyof Events>);
    },
  };
};
