import type { IPublishPacket, MqttClient } from 'mqtt';

/**
 * The only place that uses mqtt.js' internals: it sends a PUBACK as soon as its message handler returns and
 * handles one message at a time, so waiting in the handler for a commit would allow one message per commit.
 */
interface Internals {
  _sendPacket(
    packet: { cmd: string; messageId?: number },
    done?: (error?: Error) => void,
    ...rest: unknown[]
  ): void;
}

/**
 * Withholds the PUBACKs of the client; the returned function sends that of a message, unless its connection
 * has ended.
 */
export const holdAcks = (client: MqttClient): ((packet: IPublishPacket) => void) => {
  const internals = client as unknown as Internals;
  const send = internals._sendPacket.bind(client);
  let connection = new Set<number>();
  const received = new WeakMap<IPublishPacket, Set<number>>();
  internals._sendPacket = (packet, done, ...rest) => {
    if (packet.cmd === 'puback') done?.();
    else send(packet, done, ...rest);
  };
  client.on('close', () => {
    connection = new Set();
  });
  client.on('packetreceive', (packet) => {
    if (packet.cmd !== 'publish' || packet.qos !== 1 || packet.messageId === undefined) return;
    connection.add(packet.messageId);
    received.set(packet, connection);
  });
  return (packet) => {
    if (packet.messageId === undefined) return;
    if (received.get(packet) === connection && connection.delete(packet.messageId) && client.connected)
      send({ cmd: 'puback', messageId: packet.messageId });
  };
};
