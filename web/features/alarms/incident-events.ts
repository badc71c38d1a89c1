import type { AlarmDetailed } from './alarms.query.ts';

type History = AlarmDetailed['history'][number];
type Command = AlarmDetailed['commands'][number];
type Delivery = AlarmDetailed['deliveries'][number];
type Consequence = AlarmDetailed['consequences'][number];
/** An event around an alarm: an act of a user or of the system. */
export type IncidentEvent =
  | { at: string; key: string; kind: 'history'; step: History }
  | { at: string; key: string; kind: 'command'; command: Command }
  | { at: string; key: string; kind: 'delivery'; delivery: Delivery }
  | { at: string; key: string; kind: 'consequence'; alarm: Consequence };

const deliveredAt = (row: Delivery) => row.ended_at ?? row.sent_at ?? row.created_at;

/**
 * History, commands, notifications and consequences in one order, oldest first; at the same moment the
 * alarm's own events come first.
 */
export const incidentEvents = (
  alarm: Pick<AlarmDetailed, 'history' | 'commands' | 'deliveries' | 'consequences'>,
): readonly IncidentEvent[] =>
  [
    ...alarm.history.map(
      (step, index): IncidentEvent => ({ at: step.at, key: `h${index}`, kind: 'history', step }),
    ),
    ...alarm.consequences.map(
      (each): IncidentEvent => ({ at: each.time, key: `a${each.id}`, kind: 'consequence', alarm: each }),
    ),
    ...alarm.commands.map(
      (command): IncidentEvent => ({
        at: command.created_at,
        key: `c${command.command_id}`,
        kind: 'command',
        command,
      }),
    ),
    ...alarm.deliveries.map(
      (delivery): IncidentEvent => ({
        at: deliveredAt(delivery),
        key: `d${delivery.id}`,
        kind: 'delivery',
        delivery,
      }),
    ),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
