import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes, type AuthenticateError, type Client } from 'aedes';
import type { Logger } from 'pino';
import { type DownTopic, topicOf } from '#contract/telemetry.ts';
import { guardReads, type ReadGuard, readOn, willTopic } from './aedes-internals.ts';
import { isDeviceNumber, RefusedConnections, secretFits } from './credentials.ts';
import type { Directory } from './directory.ts';
import type { Ingress, IngressEvents } from './ingress.ts';
import { Mqtt5, reasonCodes, refusedConnect } from './mqtt5.ts';
import { NoPersistence } from './no-persistence.ts';
import { Delivery, type Packet, Session } from './session.ts';

interface BrokerConfig {
  host: string;
  port: number;
  tls?: { port: number; cert: string | Buffer; key: string | Buffer } | undefined;
}

const connectMs = 10_000;
/**
 * A device may use keep-alive 0 [MQTT-3.1.2.10]: the operating system then checks whether it is still
 * connected.
 */
const probeMs = 60_000;
const messagesPerSecond = 1_000;
/** Maximum number of open QoS 2 handshakes per device; one more ends its connection. */
const mostHandshakes = 100;
/** Maximum number of bytes per read, which limits a device's messages in memory. */
const readBytes = 16 * 1024;

/** aedes without its routing: devices communicate with the server, never with each other. */
class DeviceBroker extends Aedes {
  override publish(...[, ...rest]: unknown[]): void {
    const done = rest.at(-1);
    if (typeof done === 'function') done();
  }
  override subscribe(_topic: string, _deliver: unknown, done?: () => void): void {
    done?.();
  }
  override unsubscribe(_topic: string, _deliver: unknown, done?: () => void): void {
    done?.();
  }
}

/** Remote address of a connection; IPv4 in its own notation also on a dual-stack socket. */
const addressOf = ({ conn }: Client): string | null =>
  'remoteAddress' in conn && typeof conn.remoteAddress === 'string'
    ? conn.remoteAddress.replace(/^::ffff:/, '')
    : null;

const refusal = (returnCode: number): AuthenticateError =>
  Object.assign<Error, Pick<AuthenticateError, 'returnCode'>>(new Error('refused'), { returnCode });
const serverUnavailable = 3;
const notAuthorized = 5;

/** The embedded broker: devices connect here, each limited to its own topics. */
export class EmbeddedBroker implements Ingress, ReadGuard {
  readonly #config: BrokerConfig;
  readonly #directory: Directory;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #refused: RefusedConnections;
  readonly #handshakes = new NoPersistence();
  readonly #sessions = new Map<string, Session>();
  readonly #byClient = new WeakMap<Client, Session>();
  readonly #mqtt5 = new WeakMap<Client, Mqtt5>();
  readonly #sockets = new Set<Socket>();
  readonly #halted = new Set<Client>();
  readonly #servers: Server[] = [];
  #broker!: DeviceBroker;
  #events!: IngressEvents;
  #paused = false;
  port = 0;

  constructor(config: BrokerConfig, directory: Directory, log: Logger, now: () => number) {
    this.#config = config;
    this.#directory = directory;
    this.#log = log;
    this.#now = now;
    this.#refused = new RefusedConnections(now);
  }

  get ready(): boolean {
    return this.#servers.some((server) => server.listening);
  }

  get connections(): number {
    return this.#sessions.size;
  }

  async start(events: IngressEvents): Promise<void> {
    this.#events = events;
    this.#broker = new DeviceBroker({
      persistence: this.#handshakes,
      maxInflightInbound: mostHandshakes,
      connectTimeout: connectMs,
      maxTopicLevels: 8,
      preConnect: (client, packet, done) => {
        if (packet.protocolVersion !== 5) return done(null, true);
        const refused = refusedConnect(packet);
        const connection = new Mqtt5(client, packet);
        this.#mqtt5.set(client, connection);
        if (refused === null) return done(null, true);
        connection.refuse(refused);
        done(new Error('unsupported CONNECT'), false);
      },
      authenticate: (client, username, password, done) => {
        this.#authenticate(client, username, password).then(
          (error) => done(error, error === null),
          () => done(refusal(serverUnavailable), null),
        );
      },
      authorizePublish: (client, packet, done) => this.#publish(client, packet, done),
      authorizeSubscribe: (client, subscription, done) => {
        const session = this.#byClient.get(client);
        const topic = session?.downTopic(subscription.topic) ?? null;
        if (topic) session?.subscribed.add(topic);
        done(null, topic ? subscription : null);
      },
    });
    await this.#broker.listen();
    this.#broker.on('client', (client) => this.#began(client));
    this.#broker.on('clientDisconnect', (client) => this.#ended(client));
    this.#broker.on('unsubscribe', (topics, client) => {
      const session = this.#byClient.get(client);
      for (const name of topics) {
        const topic = session?.downTopic(name);
        if (topic) session?.subscribed.delete(topic);
      }
    });
    this.#broker.on('clientError', (client, error) =>
      this.#log.debug({ device: client.id, error: error.message }, 'connection ended'),
    );
    const { host, port, tls } = this.#config;
    const accept = (socket: Socket) => this.#accept(socket);
    const options = { highWaterMark: readBytes, noDelay: true };
    const plain = createServer(options, accept);
    this.port = await this.#listen(plain, port, host);
    if (tls) {
      const secure = createTlsServer(
        { ...options, cert: tls.cert, key: tls.key, minVersion: 'TLSv1.2' },
        accept,
      );
      secure.on('tlsClientError', (error) =>
        this.#log.debug({ error: error.message }, 'TLS handshake failed'),
      );
      await this.#listen(secure, tls.port, host);
    }
  }

  async stopReading(): Promise<void> {
    for (const server of this.#servers) server.close();
    this.#paused = true;
  }

  async stop(): Promise<void> {
    const closed = this.#servers.filter((server) => server.listening).map((server) => once(server, 'close'));
    for (const server of this.#servers) server.close();
    for (const session of this.#sessions.values()) session.replaced = true;
    for (const socket of this.#sockets) socket.destroySoon();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#broker.close(resolve);
    await promise;
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    const halted = [...this.#halted];
    this.#halted.clear();
    for (const client of halted) if (!client.closed) readOn(client);
  }

  halts(client: Client): boolean {
    if (this.#paused) {
      this.#halted.add(client);
      return true;
    }
    const session = this.#byClient.get(client);
    if (!session || session.messages < messagesPerSecond) return false;
    const now = Date.now();
    const wait = (session.second + 1) * 1000 - now;
    if (wait <= 0) return false;
    setTimeout(() => {
      if (!client.closed) readOn(client);
    }, wait).unref();
    return true;
  }

  tooLarge(client: Client, topic: string, excerpt: Buffer): void {
    const session = this.#byClient.get(client);
    if (!session) return;
    this.#events.tooLarge(session.deviceNumber, {
      topic: session.upTopic(topic),
      payload: excerpt,
      receivedAt: this.#now(),
    });
  }

  reaches(deviceNumber: string, topic: DownTopic): boolean {
    return this.#sessions.get(deviceNumber)?.subscribed.has(topic) ?? false;
  }

  publish(deviceNumber: string, topic: DownTopic, payload: Buffer): Promise<void> {
    const client = this.#sessions.get(deviceNumber)?.client;
    if (!client) return Promise.reject(new Error(`Device ${deviceNumber} has no live session`));
    const name = topicOf(deviceNumber, topic);
    if (this.#mqtt5.get(client)?.takes(name, payload) === false)
      return Promise.reject(new Error(`Device ${deviceNumber} accepts no such message now`));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const packet = {
      cmd: 'publish',
      topic: name,
      payload,
      qos: 1,
      retain: false,
      dup: false,
    } as const;
    client.publish(packet, (error) => (error ? reject(error) : resolve()));
    return promise;
  }

  readonly endsConnections = true;
  async disconnect(deviceNumber: string): Promise<void> {
    const client = this.#sessions.get(deviceNumber)?.client;
    if (!client) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    client.close(resolve);
    await promise;
  }

  async #listen(server: Server, port: number, host: string): Promise<number> {
    this.#servers.push(server);
    server.listen(port, host);
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setKeepAlive(true, probeMs);
    socket.on('close', () => this.#sockets.delete(socket));
    guardReads(socket, this);
    this.#broker.handle(socket);
  }

  async #authenticate(
    client: Client,
    username: string | undefined,
    password: Buffer | undefined,
  ): Promise<AuthenticateError | null> {
    const address = addressOf(client) ?? 'unknown';
    const will = willTopic(client);
    const wellFormed =
      isDeviceNumber(username) &&
      username === client.id &&
      password !== undefined &&
      (will === null || will === topicOf(username, 'presence'));
    const device = wellFormed ? await this.#directory.loadPresent(username) : null;
    if (!wellFormed || !secretFits(device, password)) {
      const times = this.#refused.count(address);
      if (times !== null)
        this.#log.warn(
          { address, client: client.id.slice(0, 32), times },
          'connections with wrong credentials were refused',
        );
      return refusal(notAuthorized);
    }
    const before = this.#sessions.get(username);
    if (before && !before.client.closed) {
      before.replaced = true;
      this.#mqtt5.get(before.client)?.end(reasonCodes.sessionTakenOver);
      this.#events.takeover(username);
      this.#log.warn({ device: username, address }, 'a second connection took over');
    }
    this.#byClient.set(client, new Session(client, username));
    return null;
  }

  #began(client: Client): void {
    const session = this.#byClient.get(client);
    if (!session) return;
    this.#sessions.set(session.deviceNumber, session);
    this.#events.session(session.deviceNumber, true, this.#now(), 'connect', addressOf(session.client));
  }

  #ended(client: Client): void {
    this.#halted.delete(client);
    void this.#handshakes.cleanIncoming(client);
    const session = this.#byClient.get(client);
    if (!session || this.#sessions.get(session.deviceNumber) !== session) return;
    this.#sessions.delete(session.deviceNumber);
    if (!session.replaced) this.#events.session(session.deviceNumber, false, this.#now(), 'disconnect', null);
  }

  #publish(client: Client | null, packet: Packet, done: (error?: Error | null) => void): void {
    const session = client ? this.#byClient.get(client) : undefined;
    if (!session) {
      done(new Error('no session'));
      return;
    }
    const receivedAt = this.#now();
    if (session.client.closed) {
      // The last will of a broken connection; no client needs an acknowledgement. The device may be back already.
      const present = this.#sessions.get(session.deviceNumber) ?? session;
      if (!session.replaced && present === session)
        this.#events.message(new Delivery(session, { ...packet, qos: 2 }, receivedAt, () => {}));
      done(new Error('taken'));
      return;
    }
    const second = Math.floor(Date.now() / 1000);
    if (session.second !== second) {
      session.second = second;
      session.messages = 0;
    }
    session.messages += 1;
    this.#events.message(new Delivery(session, packet, receivedAt, done));
  }
}
