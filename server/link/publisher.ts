import mqtt, { type MqttClient } from 'mqtt';
import type { Logger } from 'pino';
import { type DownTopic, topicOf } from '#contract/telemetry.ts';

/** The broker drops a command or parameters for an offline device after this time. */
const messageSeconds = 30;

/** The connection to an external broker for messages to devices. It receives none. */
export class Publisher {
  readonly #client: MqttClient;

  constructor(url: string, log: Logger) {
    this.#client = mqtt.connect(url, {
      protocolVersion: 5,
      clientId: `ampwatch-publisher-${crypto.randomUUID()}`,
      queueQoSZero: false,
      resubscribe: false,
    });
    this.#client.on('error', (error) => log.warn({ role: 'publisher', error: error.message }, 'broker'));
    this.#client.on('close', () => log.debug({ role: 'publisher' }, 'connection to the broker closed'));
  }

  get connected(): boolean {
    return this.#client.connected;
  }

  async publish(deviceNumber: string, topic: DownTopic, payload: Buffer): Promise<void> {
    const client = this.#client;
    if (!client.connected) throw new Error('the broker is away');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const lost = () => reject(new Error('the connection to the broker ended'));
    client.once('close', lost);
    const properties = { messageExpiryInterval: messageSeconds };
    client.publish(topicOf(deviceNumber, topic), payload, { qos: 1, retain: false, properties }, (error) =>
      error ? reject(error) : resolve(),
    );
    const id = client.getLastMessageId();
    try {
      await promise;
    } catch (error) {
      client.removeOutgoingMessage(id); // otherwise it would be sent after a reconnect, when no caller waits for it
      throw error;
    } finally {
      client.off('close', lost);
    }
  }

  async stop(): Promise<void> {
    await this.#client.endAsync(true);
  }
}
