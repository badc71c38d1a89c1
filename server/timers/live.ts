import type { Bus } from '#server/core/bus.ts';
import type { Live } from '#server/core/live.ts';

/** Results of timers, for the consoles of users who may see their lines. */
export const timerLive = ({ bus, live }: { bus: Bus; live: Live }): void => {
  bus.on('timer.ran', ({ timerId, deviceId, lineId, projectId, partId, dueAt, action, outcome, reason }) =>
    live.send(
      'timer_run',
      {
        timer_id: timerId,
        device_id: deviceId,
        line_id: lineId,
        due_at: new Date(dueAt).toISOString(),
        action,
        outcome,
        reason,
      },
      { projectId, partId },
    ),
  );
};
