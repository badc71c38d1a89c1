import type { Logger } from 'pino';
import type { DownTopic } from '#contract/telemetry.ts';
import { DeliveryUncertain, type DeviceLink } from '#server/core/group.ts';
import type { Ingress } from './ingress.ts';
import { Publisher } from './publisher.ts';

const publishMs = 2_000;

/** Sends messages to devices. Nothing is retained and nothing waits for an offline device. */
export const deviceLink = (ingress: Pick<Ingress, 'publish' | 'reaches' | 'disconnect'>): DeviceLink => {
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

export interface Outbound {
  readonly deviceLink: DeviceLink;
  /** Whether messages to devices can be sent. */
  ready(): boolean;
  stop(): Promise<void>;
}

/** Sends messages to devices through the external broker, for a node that receives none. */
export const startOutbound = (url: string, log: Logger): Outbound => {
  const publisher = new Publisher(url, log);
  return {
    deviceLink: deviceLink({
      publish: (deviceNumber, topic, payload) => publisher.publish(deviceNumber, topic, payload),
      reaches: () => publisher.connected,
      disconnect: async () => {},
    }),
    ready: () => publisher.connected,
    stop: () => publisher.stop(),
  };
};
