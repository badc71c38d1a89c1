import { type LiveEvent, liveEndpoints } from '#contract/live.ts';
import { type DeviceType, lineChannels } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { raisedSince } from '#server/alarms/raised-since.ts';
import type { AlarmChange, Bus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import { Fault, fault } from '#server/core/fault.ts';
import { summaryOf } from '#server/core/line-summary.ts';
import type { Audience, Live } from '#server/core/live.ts';
import { stateOf } from '#server/core/position.ts';
import { mustBeAdmitted } from '#server/core/scope.ts';
import type { Serve } from '#server/core/serve.ts';
import { callerOfHash } from '#server/core/session.ts';
import { unreadOf } from '#server/messages/messages.store.ts';

interface Place extends Audience {
  type: DeviceType;
}
const rememberedPlaces = 50_000;
const wantEveryMs = 10_000;
/** Maximum per user: enough for many wall screens, but not for a loop that opens streams. */
const mostStreams = 100;

const alarmEvent = (change: AlarmChange): LiveEvent['alarm'] => ({
  id: change.alarmId,
  kind: change.kind,
  device_id: change.deviceId,
  line_id: change.lineId,
  project_id: change.projectId,
  typeNumber: change.code,
  level: change.level,
  severity: change.severity,
  quiet: change.quiet,
  ...(change.heldBackBy !== undefined && { held_back_by: change.heldBackBy }),
});

/** Turns events of the bus into messages to the consoles, within the scope of each event's audience. */
export const liveListen = ({
  db,
  bus,
  live,
  clock,
  want = () => {},
}: {
  db: Db;
  bus: Bus;
  live: Live;
  clock: Clock;
  /** Requests the readings of these devices from the nodes with the device link, for half a minute. */
  want?: (deviceIds: readonly number[]) => void;
}): (() => void) => {
  const places = new Map<number, Promise<Place>>();
  bus.on('device.changed', ({ deviceId, what }) => {
    if (what === 'place') places.delete(deviceId);
  });
  bus.on('events.missed', () => places.clear());
  const placeOf = (deviceId: number): Promise<Place> => {
    const known = places.get(deviceId);
    if (known) return known;
    if (places.size > rememberedPlaces) places.clear();
    const found = db
      .selectFrom('devices')
      .select(['project_id', 'part_id', 'type'])
      .where('id', '=', deviceId)
      .executeTakeFirst()
      .then((row) => ({
        projectId: row?.project_id ?? null,
        partId: row?.part_id ?? null,
        type: (row?.type ?? 3) as DeviceType,
      }));
    found.catch(() => places.delete(deviceId));
    places.set(deviceId, found);
    return found;
  };
  const toAudience = (deviceId: number, send: (place: Place) => void) => {
    placeOf(deviceId).then(send, () => {}); // the database is down: consoles load again when it is back
  };
  const iso = (at: number) => new Date(at).toISOString();

  bus.on('alarms.changed', (changes) => {
    for (const change of changes)
      live.send(
        change.kind === 'raised' || change.kind === 'escalated' ? 'alarm' : 'alarm_update',
        alarmEvent(change),
        { projectId: change.projectId, partId: change.partId, wholeProject: change.lineId < 0 },
      );
  });
  bus.on('device.online', ({ deviceId, online, at }) =>
    toAudience(deviceId, (place) =>
      live.send('device_state', { device_id: deviceId, online, at: iso(at) }, place),
    ),
  );
  const settingsMoved = ({ deviceId }: { deviceId: number }) =>
    toAudience(deviceId, (place) => live.send('settings', { device_id: deviceId }, place));
  bus.on('settings.requested', settingsMoved);
  bus.on('settings.progressed', settingsMoved);
  bus.on('command.changed', ({ commandId, deviceId, lineId, state, verb, batchId }) =>
    toAudience(deviceId, (place) =>
      live.send(
        'command',
        {
          command_id: commandId,
          device_id: deviceId,
          line_id: lineId,
          action: verb,
          state,
          reason: null,
          batch_id: batchId,
          at: iso(clock.now()),
        },
        place,
      ),
    ),
  );

  bus.on('readings.stored', (readings) => {
    if (live.size() === 0) return;
    for (const reading of readings) {
      if (!reading.latest || !live.isWatched(reading.deviceId)) continue;
      toAudience(reading.deviceId, (place) => {
        const state = stateOf(reading.position);
        const names = lineChannels[place.type];
        live.send(
          'reading',
          {
            device_id: reading.deviceId,
            line_id: reading.lineId,
            at: iso(reading.at),
            state,
            trip: reading.trip,
            lock: reading.lock,
            energy: reading.energy,
            ...summaryOf(place.type, reading.channels),
            values: Object.fromEntries(names.map((name, index) => [name, reading.channels[index] ?? null])),
          },
          { ...place, watchedDeviceId: reading.deviceId },
        );
      });
    }
  });
  bus.on('position.changed', (changes) => {
    for (const change of changes)
      toAudience(change.deviceId, (place) =>
        live.send(
          'line_state',
          {
            device_id: change.deviceId,
            line_id: change.lineId,
            state: stateOf(change.position),
            observed_at: iso(change.at),
            switched_by: change.cause,
          },
          place,
        ),
      );
  });
  bus.on('message.posted', ({ userIds }) => {
    if (live.size() === 0) return;
    unreadOf(db, userIds).then(
      (unread) => {
        for (const [userId, count] of unread)
          live.send('message', { unread: count }, { projectId: null, partId: null, userIds: [userId] });
      },
      () => {}, // the database is down: consoles load again when it is back
    );
  });
  bus.on('maintenance.swapping', () =>
    live.send('restoring', { at: iso(clock.now()) }, { projectId: null, partId: null, everyone: true }),
  );
  bus.on('session.ended', ({ userId }) => live.drop(userId));
  bus.on('rights.changed', () => void live.renew());
  // Its region decides which regional administrators see it.
  bus.on('project.changed', () => void live.renew());

  live.onWatch(want);
  let cancel = () => {};
  const wantAgain = () => {
    want(live.watched());
    cancel = clock.after(wantEveryMs, wantAgain);
  };
  wantAgain();
  return () => cancel();
};

export const liveRoutes = (serve: Serve, live: Live, clock: Clock): void => {
  serve(liveEndpoints.live, ({ caller, body, db, request, reply }) => {
    const lastEventId = request.headers['last-event-id'];
    // Its console polls instead, so an endless loop in one console cannot use up the memory of other users.
    if (live.streamsOf(caller.userId) >= mostStreams)
      return fault('request.tooMany', { with: { seconds: 60 } });
    live.attach({
      reply,
      caller,
      devices: new Set(body.device ?? []),
      // The last event's id: the browser sends it when it reconnects; a new stream of the console has it in its
      // address.
      resumesAfter: typeof lastEventId === 'string' ? lastEventId : body.since,
      renew: () =>
        callerOfHash(db, caller.tokenHash, clock.now(), false)
          .then((present) => {
            mustBeAdmitted(present, liveEndpoints.live);
            return present;
          })
          .catch((error: unknown) => {
            if (error instanceof Fault) return null;
            throw error;
          }),
      alarmsSince: async (since, { scope }) =>
        (await raisedSince(db, scope, since)).map((change) => alarmEvent(change)),
    });
    return reply;
  });
};
