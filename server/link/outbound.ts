import type { DownTopic } from '#contract/telemetry.ts';
import { DeliveryUncertain, type DeviceLink } from '#server/core/group.ts';
import type { Ingress } from './ingress.ts';

const publishMs = 2_000;

/** The way to the devices. Nothing is retained and nothing waits for a device that is away. */
export const deviceLink = (ingress: Ingress): DeviceLink => {
  const publish = async (deviceNumber: string, topic: DownTopic, message: object): Promise<void> => {
    if (!ingress.reaches(deviceNumber, topic)) throw new Error(`Device ${deviceNumber} has no live session`);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new DeliveryUncertain(`Device ${deviceNumber} did not take the message in time`)),
      publishMs,
    );
    try {
      await Promise.race([
        ingress.publish(deviceNumber, topic, Buffer.from(JSON.stringify(message))),
        late.promise,
      ]);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    publishCommand: (deviceNumber, command) => publish(deviceNumber, 'cmd', command),
    publishConfig: (deviceNumber, config) => publish(deviceNumber, 'cfg/set', config),
    disconnect: (deviceNumber) => ingress.disconnect(deviceNumber),
  };
};
