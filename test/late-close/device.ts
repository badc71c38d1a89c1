import { createConnection, type Socket } from 'node:net';
import { generate, type Packet, parser } from 'mqtt-packet';
import { type CmdMessage, topicOf, type UpTopic } from '#contract/telemetry.ts';
import { type Delivery, DeviceClock, type Jump, type Shown } from './model.ts';

/** A connection of which every packet is chosen here; what the network delays is not sent yet. */
class Wire {
  private readonly socket: Socket;
  private packetId = 0;
  private readonly waiting = new Map<string, () => void>();
  readonly onPublish: (topic: string, payload: string, packetId: number) => void;
  isOpen = true;

  private constructor(socket: Socket, onPublish: Wire['onPublish']) {
    this.socket = socket;
    this.onPublish = onPublish;
    const reader = parser();
    reader.on('packet', (packet) => this.hear(packet));
    socket.on('data', (data) => reader.parse(data));
    socket.on('error', () => {});
    socket.on('close', () => {
      this.isOpen = false;
      for (const done of this.waiting.values()) done();
    });
  }
  static async connect(
    port: number,
    account: { number: string; secret: string },
    { clean, boot }: { clean: boolean; boot: number },
    onPublish: Wire['onPublish'],
  ): Promise<Wire> {
    const { number, secret } = account;
    const wire = new Wire(createConnection(port, '127.0.0.1'), onPublish);
    await wire.ask(
      {
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: 4,
        clean,
        clientId: number,
        keepalive: 0,
        username: number,
        password: Buffer.from(secret),
        will: {
          topic: topicOf(number, 'presence'),
          payload: Buffer.from(JSON.stringify({ v: 1, on: false, boot, why: 'lwt' })),
          qos: 1,
          retain: true,
        },
      },
      'connack',
    );
    const subscriptions = (['cmd', 'cfg/set', 'hwm'] as const).map((topic) => ({
      topic: topicOf(number, topic),
      qos: 1 as const,
    }));
    await wire.ask({ cmd: 'subscribe', messageId: ++wire.packetId, subscriptions }, `suback${wire.packetId}`);
    return wire;
  }
  private hear(packet: Packet): void {
    if (packet.cmd === 'publish')
      this.onPublish(packet.topic, packet.payload.toString(), packet.messageId ?? 0);
    const key = packet.cmd === 'connack' ? 'connack' : `${packet.cmd}${packet.messageId}`;
    this.waiting.get(key)?.();
    this.waiting.delete(key);
  }
  private ask(packet: Packet, answer: string): Promise<void> {
    const heard = new Promise<void>((resolve) => this.waiting.set(answer, resolve));
    this.socket.write(generate(packet));
    return heard;
  }
  /** Resolves when the server has taken it, or the connection has ended. */
  publish(topic: string, payload: string, { retain, dup }: { retain: boolean; dup: boolean }): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    this.packetId += 1;
    return this.ask(
      { cmd: 'publish', topic, payload, qos: 1, retain, dup, messageId: this.packetId },
      `puback${this.packetId}`,
    );
  }
  acknowledge(messageId: number): void {
    if (this.isOpen) this.socket.write(generate({ cmd: 'puback', messageId }));
  }
  end(): void {
    this.isOpen = false;
    this.socket.destroy();
  }
}

export interface Habits {
  /** Seconds between reports. */
  every: number;
  /** Error of its clock at the beginning, ms, and its rate. */
  off: number;
  ppm: number;
  /** It asks the broker to keep its session. */
  keepsSession: boolean;
  /** When it acknowledges a command to the broker. */
  acknowledges: 'at once' | 'when delivered' | 'never';
  /** What was not acknowledged on the former connection: sent again unchanged, as MQTT says, or as backlog. */
  resends: 'unchanged' | 'backlog' | 'not';
  /** Every report is sent twice; the second one comes later by so many seconds. */
  doubles: number | null;
  /** Every third report has the retain flag. */
  retains: boolean;
  /** Delays of the network in seconds, in turn. */
  up: number[];
  down: number[];
}
interface Outgoing {
  due: number;
  topic: UpTopic;
  message: Record<string, unknown>;
  retain: boolean;
  dup: boolean;
  measuredAt: number;
  sent: boolean;
}
interface Account {
  number: string;
  secret: string;
  lines: number;
}

/** After an event it reports every 5 s. Source: domain reference §1.3. */
const [fastSeconds, fastReports] = [5, 6];

/** A switch that keeps the protocol, behind a slow network, with a clock of its own. */
export class Device {
  readonly clock: DeviceClock;
  readonly ends = new Map<number, number>();
  readonly deliveries: Delivery[] = [];
  readonly jumps: Jump[] = [];
  readonly shown: Shown[] = [];
  private readonly account: Account;
  private readonly habits: Habits;
  private readonly now: () => number;
  private readonly port: () => number;
  private readonly note: (text: string) => void;
  private readonly contacts: (0 | 1)[];
  /** Answers to the last commands: kept without power. */
  private readonly known = new Map<string, string>();
  private wire: Wire | null = null;
  /** A former connection that the server takes for alive. */
  private stale: Wire | null = null;
  private connection = 0;
  private boot = 1;
  private seq = 0;
  private ups = 0;
  private downs = 0;
  private reports = 0;
  /** When the last message to the present connection arrives. */
  private arrives = 0;
  private isPowered = true;
  private outbox: Outgoing[] = [];
  private later: { at: number; connection: number | null; run: () => void | Promise<void> }[] = [];

  constructor(
    account: Account,
    habits: Habits,
    world: { now: () => number; port: () => number; note: (text: string) => void },
  ) {
    this.account = account;
    this.habits = habits;
    this.now = world.now;
    this.port = world.port;
    this.note = world.note;
    this.clock = new DeviceClock(world.now(), world.now() + habits.off, habits.ppm);
    this.contacts = Array.from({ length: account.lines }, () => 0 as const);
  }

  async connect(reportsAfter: number): Promise<void> {
    this.connection += 1;
    this.arrives = 0;
    const connection = this.connection;
    const wire = await Wire.connect(
      this.port(),
      this.account,
      { clean: !this.habits.keepsSession, boot: this.boot },
      (topic, payload, packetId) => this.receive(connection, wire, topic, payload, packetId),
    );
    this.wire = wire;
    this.stale?.end();
    this.stale = null;
    this.note(
      `connected, boot ${this.boot}, clock off by ${Math.round(this.clock.shows(this.now()) - this.now())} ms`,
    );
    const presence = { v: 1, on: true, boot: this.boot, t: this.deviceTime(), why: 'connect' };
    await wire.publish(topicOf(this.account.number, 'presence'), JSON.stringify(presence), {
      retain: true,
      dup: false,
    });
    this.takeUpOutbox();
    this.at(reportsAfter * 1000, () => this.reportsOn(connection), connection);
  }
  private takeUpOutbox(): void {
    const former = this.outbox;
    this.outbox = [];
    if (this.habits.resends === 'not') return;
    for (const one of former) {
      const isBacklog = this.habits.resends === 'backlog' && one.topic === 'tele';
      this.outbox.push({
        ...one,
        due: this.now() + this.nextUp(),
        dup: !isBacklog,
        sent: false,
        message: isBacklog ? { ...one.message, bf: 1 } : one.message,
      });
    }
  }
  private reportsOn(connection: number): void {
    this.report();
    this.at(this.habits.every * 1000, () => this.reportsOn(connection), connection);
  }
  private at(ms: number, run: () => void | Promise<void>, connection: number | null = null): void {
    this.later.push({ at: this.now() + ms, connection, run });
  }
  private nextUp(): number {
    return this.habits.up[this.ups++ % this.habits.up.length]! * 1000;
  }

  private deviceTime(): number {
    return Math.round(this.clock.shows(this.now()));
  }
  private put(topic: UpTopic, message: Record<string, unknown>, retain = false, laterBy = 0): void {
    const due = this.now() + this.nextUp() + laterBy;
    // A connection keeps its order.
    const one = { due, topic, message, retain, dup: false, measuredAt: this.now(), sent: false };
    const last = this.outbox.at(-1);
    if (last && last.due > one.due) one.due = last.due;
    this.outbox.push(one);
  }
  report(): void {
    this.reports += 1;
    this.seq += 1;
    const lines = this.contacts.map((sw, index) => ({
      n: index + 1,
      sw,
      trip: 0,
      lock: 0,
      U: { a: 220 },
      I: { a: sw === 1 ? 5 : 0 },
      P: { t: sw === 1 ? 1100 : 0 },
      PF: { t: 1 },
      IL: 3,
      T: { m: 30, l: 30, c: 30 },
    }));
    const message = {
      v: 1,
      boot: this.boot,
      seq: this.seq,
      t: this.deviceTime(),
      tq: 0,
      dev: { F: 50, rssi: -70 },
      ln: lines,
    };
    this.put('tele', message, this.habits.retains && this.reports % 3 === 0);
    if (this.habits.doubles !== null) this.put('tele', message, false, this.habits.doubles * 1000);
  }

  /** Does what is due, and resolves when the server has taken every message that reached it. */
  async tick(): Promise<void> {
    const now = this.now();
    const due = this.later.filter(({ at }) => at <= now);
    this.later = this.later.filter(({ at }) => at > now);
    for (const { connection, run } of due)
      if (connection === null || (this.isPowered && connection === this.connection)) await run();
    await this.send();
  }
  private async send(): Promise<void> {
    const now = this.now();
    const wire = this.wire ?? this.stale;
    if (!wire?.isOpen) return;
    const due = this.outbox.filter((one) => !one.sent && one.due <= now);
    await Promise.all(
      due.map(async (one) => {
        one.sent = true;
        const { topic, message, retain, dup } = one;
        await wire.publish(topicOf(this.account.number, topic), JSON.stringify(message), { retain, dup });
        if (!wire.isOpen || this.wire !== wire) return;
        this.outbox = this.outbox.filter((other) => other !== one);
        if (topic === 'tele' && !retain && message['bf'] !== 1)
          this.shown.push({ measuredAt: one.measuredAt, arrivedAt: now, connection: this.connection });
      }),
    );
  }

  private receive(connection: number, wire: Wire, topic: string, payload: string, packetId: number): void {
    const { acknowledges, down } = this.habits;
    // A connection keeps its order.
    this.arrives = Math.max(this.arrives, this.now() + down[this.downs++ % down.length]! * 1000);
    const delay = this.arrives - this.now();
    if (acknowledges === 'at once') wire.acknowledge(packetId);
    const run = () => {
      if (acknowledges === 'when delivered') wire.acknowledge(packetId);
      this.deliver(topic, payload, delivery, sent);
    };
    let delivery: Delivery | null = null;
    const sent = { at: this.now(), deliveries: this.deliveries.length };
    if (topic.endsWith('/cmd')) {
      const command = JSON.parse(payload) as CmdMessage;
      this.note(
        `sent ${command.cmd} ${command.n ?? ''} on connection ${connection}, for ${Math.round(command.exp - this.clock.shows(this.now()))} ms by the device's clock`,
      );
      if (command.cmd === 'close') {
        delivery = {
          id: command.id,
          exp: command.exp,
          at: this.now(),
          connection,
          obeyedAt: null,
          refusedAt: null,
          before: null,
        };
        this.deliveries.push(delivery);
      }
    }
    if (this.wire === wire || connection === this.connection) this.at(delay, run, connection);
  }
  private deliver(
    topic: string,
    payload: string,
    delivery: Delivery | null,
    sent: { at: number; deliveries: number },
  ): void {
    if (!topic.endsWith('/cmd')) return;
    const command = JSON.parse(payload) as CmdMessage;
    const answered = this.known.get(command.id);
    if (answered !== undefined) {
      this.answer(command, answered);
      return;
    }
    const isLate = command.exp < this.deviceTime();
    this.note(`delivered ${command.cmd} ${command.n ?? ''}: ${isLate ? 'expired' : 'obeyed'}`);
    this.known.set(command.id, isLate ? 'expired' : 'done');
    if (isLate) {
      if (delivery) delivery.refusedAt = this.now();
      this.answer(command, 'expired');
      return;
    }
    if (command.cmd === 'time_sync') {
      const ms = command.t - this.clock.shows(this.now());
      this.jumps.push({ at: this.now(), ms, by: 'timeSync', sentAt: sent.at });
      for (const earlier of this.deliveries)
        if (
          earlier.connection === this.connection &&
          !earlier.before &&
          this.deliveries.indexOf(earlier) < sent.deliveries
        )
          earlier.before = this.now();
      this.clock.set(this.now(), command.t);
      this.note(`clock set by ${Math.round(ms)} ms`);
    }
    if (delivery) delivery.obeyedAt = this.now();
    if (command.cmd === 'close' || command.cmd === 'open')
      this.contacts[(command.n ?? 1) - 1] = command.cmd === 'close' ? 1 : 0;
    this.answer(command, 'done');
    this.report();
    for (let times = 1; times <= fastReports; times += 1)
      this.at(times * fastSeconds * 1000, () => this.report(), this.connection);
  }
  private answer(command: CmdMessage, st: string): void {
    this.seq += 1;
    const sw = command.n ? { n: command.n, sw: this.contacts[command.n - 1], trip: 0 } : {};
    this.put('ack', {
      v: 1,
      id: command.id,
      boot: this.boot,
      seq: this.seq,
      t: this.deviceTime(),
      st,
      ...sw,
    });
  }

  /** Its clock is set by somebody at the device, or by a time service of the network. */
  jump(ms: number): void {
    if (!this.isPowered) return;
    this.jumps.push({ at: this.now(), ms, by: 'itself', sentAt: null });
    this.clock.set(this.now(), this.clock.shows(this.now()) + ms);
    this.note(`the clock jumps by ${ms} ms`);
  }
  /** The connection ends; the server notices it at once, or only by the next one. */
  drop(seconds: number, { noticed, reportsAfter }: { noticed: boolean; reportsAfter: number }): void {
    if (!this.wire) return;
    this.ends.set(this.connection, this.now());
    this.note(`connection ${this.connection} ends${noticed ? '' : ' unnoticed'}`);
    if (noticed) this.wire.end();
    else this.stale = this.wire;
    this.wire = null;
    if (noticed) for (const one of this.outbox) one.sent = one.due <= this.now();
    const { connection } = this;
    this.later.push({
      at: this.now() + seconds * 1000,
      connection: null,
      run: () => (this.connection === connection ? this.connect(reportsAfter) : undefined),
    });
  }
  /** It restarts: without power its clock stands still, runs on, or begins again from an older time. */
  power(
    seconds: number,
    given: { noticed: boolean; reportsAfter: number; clock: 'stands' | 'runs' | 'older'; olderMs: number },
  ): void {
    if (!this.wire) return;
    this.isPowered = false;
    const off = this.now();
    if (given.clock !== 'runs') this.clock.stop(off);
    this.drop(seconds, given);
    const connect = this.later.at(-1)!;
    const { run } = connect;
    connect.run = () => {
      this.isPowered = true;
      this.boot += 1;
      this.seq = 0;
      if (given.clock !== 'runs')
        this.clock.set(
          this.now(),
          this.clock.shows(this.now()) - (given.clock === 'older' ? given.olderMs : 0),
        );
      return run();
    };
  }
  leave(): void {
    this.wire?.end();
    this.stale?.end();
  }
}
