import type { CmdMessage } from '#contract/telemetry.ts';
import { DeliveryUncertain, type DeviceLink } from '#server/core/group.ts';
import type { Stimulus } from './control.life.ts';
import type { Parcel } from './control.request.ts';
import type { CommandRow } from './control.store.ts';

/**
 * Sends a claimed command and says what became of it. Claiming before sending is what makes a crash harmless: a row
 * that was not claimed was never sent, and one that was claimed is never sent again.
 */
export const sendCommand = async (
  link: Pick<DeviceLink, 'publishCommand'>,
  command: CommandRow,
  sentAt: number,
  { deviceNumber, n }: Parcel,
): Promise<Stimulus> => {
  const message: CmdMessage = {
    v: 1,
    id: command.id,
    no: command.number,
    t: sentAt,
    exp: command.expiresAt,
    cmd: command.verb,
    ...(n > 0 ? { n } : {}),
    by: `u:${command.userId ?? 0}`,
    batch: command.batchId,
    ...(Object.keys(command.parameters).length > 0 ? { p: command.parameters } : {}),
  };
  try {
    await link.publishCommand(deviceNumber, message);
    return { kind: 'published' };
  } catch (error) {
    return error instanceof DeliveryUncertain
      ? { kind: 'published' }
      : { kind: 'refused', reason: 'offline' };
  }
};

/** One after the other for each device, so that commands go out in the order of their numbers. */
export const createQueues = () => {
  const tails = new Map<number, Promise<void>>();
  return (deviceId: number, turn: () => Promise<void>): Promise<void> => {
    const tail: Promise<void> = (tails.get(deviceId) ?? Promise.resolve()).then(turn).finally(() => {
      if (tails.get(deviceId) === tail) tails.delete(deviceId);
    });
    tails.set(deviceId, tail);
    return tail;
  };
};
