import type { controlEndpoints } from '#contract/control.ts';
import type { ReplyOf } from '#contract/endpoint.ts';

export type Possible = ReplyOf<typeof controlEndpoints.possible>;
export type Act = Possible['actions'][number];

export interface ControlDevice {
  device_id: number;
  number: string;
}

export interface ControlLine {
  line_id: number;
  n: number;
  name: string;
}

/**
 * Switching has its own buttons beside the line's state, and a reset beside the trip or alarm that it clears;
 * an update is started from its file.
 */
const elsewhere = ['open', 'close', 'reset', 'ota'] as const;
type Elsewhere = (typeof elsewhere)[number];
export const isElsewhere = (action: Act['action']): action is Elsewhere =>
  (elsewhere as readonly string[]).includes(action);
/** Acts without any risk: sent at once. */
const harmless: readonly string[] = ['read', 'identify', 'time_sync', 'silence'];
/** Acts that interrupt supply or cannot be undone. */
const grave: readonly string[] = ['leak_test', 'arc_test', 'clear_energy', 'reboot'];

export const isHarmless = ({ action }: Pick<Act, 'action'>): boolean => harmless.includes(action);
export const isGrave = ({ action }: Pick<Act, 'action'>): boolean => grave.includes(action);
/** Clearing a register needs the typed device number, because the count is lost for good. */
const asksNumber = ({ action }: Pick<Act, 'action'>): boolean => action === 'clear_energy';
/** The text to type before an act, and its meaning; null if a confirmation is enough. */
export const writtenFor = (
  act: Pick<Act, 'action' | 'confirm_name'>,
  device: ControlDevice,
): { kind: 'number' | 'name'; text: string } | null => {
  if (act.confirm_name !== null) return { kind: 'name', text: act.confirm_name };
  return asksNumber(act) ? { kind: 'number', text: device.number } : null;
};

/**
 * The acts that the device, or one of its lines, supports; an act that is not possible now stays, with the
 * reason.
 */
export const actsOf = ({ actions }: Possible, lineId: number | null): readonly Act[] =>
  actions.filter(
    ({ action, line_id, reason }) => line_id === lineId && reason !== 'unsupported' && !isElsewhere(action),
  );
