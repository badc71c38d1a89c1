import type { AckMessage, CfgMessage, InfoMessage, OtaMessage, PositionCause } from '#contract/telemetry.ts';
import type { CommandState } from '#database/tables/control.ts';

/** A line's values as just stored; channels in the order of `lineChannels[type]`. */
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
  /** False for backfilled or older than what is known: history only. */
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
   * 'suppressed': it turned out to be the consequence of another one, and leaves the lists. 'followed': it was
   * processed, and news about it opened a new work order, which is 'raised' beside this; the phenomenon is not over.
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
  /** Backfilled or suppressed: recorded, never popped up. */
  quiet: boolean;
  /** Raised long ago and held back until now by an alarm with this code, which no longer holds it back. */
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

/** What became of a timer that came due. */
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
  /** Where it is; a tag on a project has no part. */
  projectId: number | null;
  partId: number | null;
  ownerId: number;
}

/**
 * What changed about a device. 'place': it was added, deleted, or came to another project or part; 'record': what the
 * server knows about it, such as its name, secret, voltage or remote control; 'report': what it says about itself.
 */
export type DeviceChange = 'place' | 'record' | 'report';

/** Everything that happened and is committed. Features do not call each other to report it; they listen here. */
export interface Events {
  'readings.stored': readonly StoredReading[];
  'alarms.changed': readonly AlarmChange[];
  'alarmType.changed': { code: number; enabled: boolean };
  /** Of the devices of a type: of one project, or (null) wherever they are. */
  'thresholds.changed': { projectId: number | null; deviceType: number };
  'position.changed': readonly PositionChange[];
  'device.online': { deviceId: number; online: boolean; at: number; why: string };
  'device.info': { deviceId: number; info: InfoMessage };
  'device.config': { deviceId: number; config: CfgMessage };
  'device.ota': { deviceId: number; progress: OtaMessage };
  'device.ack': { deviceId: number; ack: AckMessage; receivedAt: number };
  'device.changed': { deviceId: number; what: DeviceChange };
  /** A project was added, edited or deleted; its zone and nominal voltage concern its devices. */
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
  /** A desired value was set and waits: the senders of all nodes look for it. */
  'settings.requested': { deviceId: number };
  /** A desired value was sent to the device, refused or withdrawn, or it ended. */
  'settings.progressed': { deviceId: number };
  /** A job over many devices was begun (its devices are queued), moved on or ended. */
  'job.changed': { jobId: string; begun?: true };
  /** A rollout of firmware began, moved on or ended. */
  'rollout.changed': { rolloutId: number };
  /** A job on the database waits. */
  'maintenance.changed': Record<string, never>;
  /** When backups are made has changed. */
  'maintenance.planned': Record<string, never>;
  /** A restore is swapped in next: every node restarts. */
  'maintenance.swapping': Record<string, never>;
  /** This node was cut off from the others for a while: what it remembers may be out of date. */
  'events.missed': Record<string, never>;
  /** A user requested a run of a scheduled job. */
  'scheduled.asked': { name: string };
  'session.ended': { userId: number };
  /** Permissions of a role changed: open streams look up their callers again. */
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
