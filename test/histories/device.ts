import mqtt, { type MqttClient } from 'mqtt';
import {
  type AckMessage,
  type CfgSetMessage,
  type CmdMessage,
  topicOf,
  type UpTopic,
} from '#contract/telemetry.ts';

/**
 * A model of a switching device, single-phase (type 3) or three-phase (type 4), written only from the
 * protocol's description. It shares no code with the simulator, so that wrong assumptions of simulator and
 * server cannot cancel out.
 */
export type Fact = 'sw' | 'trip' | 'lock';
export type Loss = 'null' | 'missing';
export type Obedience =
  /** Moves and answers. */
  | 'obeys'
  /** Answers 'rejected' and does not move. */
  | 'refuses'
  /** Answers 'done' and does not move; its reports are true. */
  | 'welded'
  /** Answers 'done', does not move, and reports the requested position; its current disproves it. */
  | 'lies'
  /** Moves and answers, and moves back some seconds later. */
  | 'bounces'
  /** Neither moves nor answers. */
  | 'deaf'
  /** Moves and does not answer. */
  | 'mute'
  /** Moves, then restarts without an answer. */
  | 'restarts';

export interface Habits {
  obedience: Obedience;
  /** Delays of the answer and of the movement, s. */
  answersAfter: number;
  movesAfter: number;
  /** Seconds between readings. */
  every: number;
  /** Whether it reports at once when a contact moves. */
  reportsMoves: boolean;
  /** Whether it sends a position event when a contact moves. */
  sendsMoves: boolean;
  /** Every message is sent twice. */
  doubles: boolean;
  /** Every second reading arrives before the previous one. */
  reorders: boolean;
  /** Its answers have a separate counter. */
  countsApart: boolean;
  /** Quantities that its meter shows: without a current transformer only the power. */
  shows: 'both' | 'power';
  /** Seconds after which a bouncing contact moves back. */
  bounceAfter: number;
}

export type Phase = 'a' | 'b' | 'c';
export type Conductor = Phase | 'n';
interface Line {
  n: number;
  contact: 0 | 1;
  /** The reported position, if it is false. */
  claims: 0 | 1 | null;
  /** Current of each phase while closed, A. */
  load: number;
  phases: readonly Phase[];
  /** The neutral is switched by its own pole. */
  switchesNeutral: boolean;
  /** Poles that stay closed, whatever the drive does and the position reports. */
  welded: Conductor[];
  /** Neutral current from harmonics of the load while closed, A. */
  harmonics: number;
  /** Current of another circuit through the neutral, if its pole is closed, A. */
  borrowed: number;
  volts: number;
  /** Phases whose voltage differs from nominal. */
  phaseVolts: Partial<Record<Phase, number>>;
  /** Conductors whose current the device does not measure. */
  blind: Partial<Record<Conductor, Loss>>;
  leakage: number;
  terminal: number;
  cable: number;
  trip: number;
  lock: number;
  lost: Partial<Record<Fact, Loss>>;
  /** Message values that replace the true ones. */
  wrong: Record<string, unknown>;
}
export interface SaidOfLine {
  n: number;
  /** The true position when the reading was taken. */
  contact: 0 | 1;
  /** The largest true current that its values show. */
  amperes: number;
  /** A conductor that the line can interrupt was not measured. */
  isBlind: boolean;
  said: Record<string, unknown>;
}

const voltsOf = (line: Line, phase: Phase): number => line.phaseVolts[phase] ?? line.volts;
/** A test of the leakage protection trips the line by leakage. */
const testTrip = 301;
/** A load draws almost nothing from a lost phase. */
const leastVolts = 30;
/** True currents of the conductors, A. */
const currentsOf = (line: Line): Record<string, number> => {
  const { phases, contact, welded, switchesNeutral } = line;
  const isThrough = (conductor: Conductor) => contact === 1 || welded.includes(conductor);
  const returns = !switchesNeutral || isThrough('n');
  const live = phases.filter((phase) => isThrough(phase) && voltsOf(line, phase) >= leastVolts);
  const flows = live.length >= 2 || (live.length === 1 && returns);
  const ofPhases = phases.map((phase) => [phase, flows && live.includes(phase) ? line.load : 0] as const);
  const unbalance = flows && returns && live.length < phases.length ? line.load : 0;
  const neutral = returns ? (contact === 1 ? line.harmonics : 0) + unbalance + line.borrowed : 0;
  return Object.fromEntries([...ofPhases, ...(phases.length === 3 ? [['n', neutral] as const] : [])]);
};
export interface Reading {
  index: number;
  at: number;
  measuredAt: number;
  /** Which equipment behind the number sent it, from 1 on. */
  equipment: number;
  /** Its boot, above every boot of former equipment. */
  boot: number;
  seq: number;
  /** Sent at once, and acknowledged on the same connection. */
  live: boolean;
  /**
   * The message was sent again as backlog because the connection ended. It is unknown which of the two the
   * server accepted.
   */
  resent: boolean;
  lines: SaidOfLine[];
  /** Index and time of the acknowledgement. */
  acked: number | null;
  ackedAt: number | null;
}
interface SentEvent {
  index: number;
  at: number;
  equipment: number;
  boot: number;
  message: Record<string, unknown>;
  /** Sent again after a lost connection: the first, live message may have arrived. */
  resent: boolean;
  acked: number | null;
  ackedAt: number | null;
}
export interface Received {
  index: number;
  at: number;
  equipment: number;
  command: CmdMessage;
  /** Real time, ms. */
  wall: number;
  /** Error of the device's clock, ms. */
  clockOff: number;
  /** Refused because the command had expired by the device's clock. */
  refusedAsLate: boolean;
  /** A second delivery of a command that the device knows. */
  again: boolean;
  obeyed: boolean;
}
interface Outgoing {
  topic: UpTopic;
  message: Record<string, unknown>;
  acked: boolean;
  done: ((index: number, at: number) => void) | null;
  event?: SentEvent;
  reading?: Reading;
}
interface Scribe {
  now(): number;
  /** All observations are numbered in one order. */
  next(): number;
  note(text: string): void;
}

export class ModelDevice {
  readonly readings: Reading[] = [];
  readonly events: SentEvent[] = [];
  readonly received: Received[] = [];
  /** What the connections of former equipment received after it was replaced, in real time. */
  readonly overheard: { index: number; wall: number; topic: string }[] = [];
  /** Connections of former equipment that nobody had ended at the end. */
  formerLeft = 0;
  private readonly former: MqttClient[] = [];
  readonly configs: { index: number; wall: number; config: CfgSetMessage }[] = [];
  boot = 1;
  equipment = 1;
  clockOff = 0;
  /** True time until which it sends nothing but stores its readings. */
  silentUntil = 0;
  /** Answers given to received commands, by id. */
  private readonly known = new Map<string, AckMessage['st']>();
  private seq = 0;
  private apart = 0;
  private eventSerial = 0;
  private client: MqttClient | null = null;
  private connected = 0;
  private outbox: Outgoing[] = [];
  private kept: Outgoing | null = null;
  private due: { at: number; run: () => void }[] = [];
  private nextReading = 0;
  private readonly account: { number: string; secret: string };
  readonly lines: Line[];
  readonly habits: Habits;
  private readonly scribe: Scribe;

  constructor(account: { number: string; secret: string }, lines: Line[], habits: Habits, scribe: Scribe) {
    this.account = account;
    this.lines = lines;
    this.habits = habits;
    this.scribe = scribe;
  }

  isConnected(): boolean {
    return this.client?.connected === true;
  }
  get pending(): number {
    return this.isConnected() ? this.outbox.length : 0;
  }

  async connect(port: number): Promise<void> {
    const { number, secret } = this.account;
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
      clientId: number,
      username: number,
      password: secret,
      // Devices may use either; a restart or a cut link changes it.
      protocolVersion: this.connected % 2 === 0 ? 5 : 4,
      reconnectPeriod: 0,
      connectTimeout: 20_000,
      keepalive: 0,
      will: {
        topic: topicOf(number, 'presence'),
        payload: Buffer.from(JSON.stringify({ v: 1, on: false, boot: this.boot, why: 'lwt' })),
        qos: 1,
        retain: true,
      },
    });
    client.on('error', () => {});
    const { equipment } = this;
    client.on('message', (topic, payload) => {
      if (equipment === this.equipment) this.hear(topic, payload);
      else this.overheard.push({ index: this.scribe.next(), wall: performance.now(), topic });
    });
    this.client = client;
    this.connected += 1;
    await client.subscribeAsync(
      [topicOf(number, 'cmd'), topicOf(number, 'cfg/set'), topicOf(number, 'hwm')],
      {
        qos: 1,
      },
    );
    const presence = { v: 1, on: true, boot: this.boot, t: this.deviceTime(), why: 'connect' };
    await client.publishAsync(topicOf(number, 'presence'), JSON.stringify(presence), {
      qos: 1,
      retain: true,
    });
    // Messages without an acknowledgement are sent again; a live reading is backlog then.
    for (const one of this.outbox.splice(0)) {
      if (one.topic === 'tele') one.message['bf'] = 1;
      if (one.reading?.live) Object.assign(one.reading, { live: false, resent: true });
      if (one.event) one.event.resent = true;
      this.put(one);
    }
  }
  /**
   * Other equipment behind the same number: it knows nothing of the former one, whose connection stays, and who
   * tries to come back.
   */
  replace(by: { secret: string; clockOff: number; contact: 0 | 1; lost: Partial<Record<Fact, Loss>> }): void {
    const { number, secret } = this.account;
    const port = this.client?.options.port;
    if (this.client) this.former.push(this.client);
    if (port !== undefined) void this.signInAsFormer(port, { number, secret });
    this.client = null;
    this.connected += 1;
    this.account.secret = by.secret;
    this.equipment += 1;
    this.clockOff = by.clockOff;
    [this.boot, this.seq, this.apart, this.eventSerial, this.silentUntil, this.nextReading] = [
      1, 0, 0, 0, 0, 0,
    ];
    [this.outbox, this.due, this.kept, this.parameters] = [[], [], null, {}];
    this.known.clear();
    for (const line of this.lines)
      Object.assign(line, {
        ...{ contact: by.contact, claims: null, welded: [], blind: {}, wrong: {}, lost: { ...by.lost } },
        ...{ harmonics: 0, borrowed: 0, volts: 220, phaseVolts: {}, trip: 0, lock: 0 },
        ...{ leakage: 3, terminal: 30, cable: 30 },
      });
    this.scribe.note(`other equipment, contacts ${by.contact}, clock off by ${by.clockOff} ms`);
  }
  private async signInAsFormer(port: number, { number, secret }: { number: string; secret: string }) {
    const options = { clientId: number, username: number, password: secret, reconnectPeriod: 0 };
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, options).catch(() => null);
    // A sign-in within the moment before the link has read the new secret is ended when it has.
    client?.on('error', () => {});
    if (client) this.former.push(client);
  }
  leave(): void {
    this.cut();
    this.formerLeft = this.former.filter(({ connected }) => connected).length;
    for (const client of this.former) client.end(true);
  }
  /** Boots of later equipment are above those of former equipment. */
  rank(): number {
    return this.equipment * 1_000_000 + this.boot;
  }
  cut(): void {
    this.client?.end(true);
    this.client = null;
  }

  deviceTime(): number {
    return this.scribe.now() + this.clockOff;
  }
  later(seconds: number, run: () => void): void {
    this.due.push({ at: this.scribe.now() + seconds * 1000, run });
  }
  /** Does the work that is due. */
  tick(): void {
    const now = this.scribe.now();
    const due = this.due.filter(({ at }) => at <= now);
    this.due = this.due.filter(({ at }) => at > now);
    for (const { run } of due) run();
    if (now >= this.nextReading) {
      this.nextReading = now + this.habits.every * 1000;
      this.report();
    }
  }

  report(): void {
    const live = this.scribe.now() >= this.silentUntil;
    const lines = this.lines.map((line) => this.say(line));
    this.seq += 1;
    const reading: Reading = {
      index: this.scribe.next(),
      at: this.scribe.now(),
      measuredAt: this.scribe.now(),
      equipment: this.equipment,
      boot: this.rank(),
      seq: this.seq,
      live: live && this.isConnected(),
      resent: false,
      lines,
      acked: null,
      ackedAt: null,
    };
    this.readings.push(reading);
    const message = {
      v: 1,
      boot: this.boot,
      seq: this.seq,
      t: this.deviceTime(),
      tq: 0,
      dev: { F: 50, rssi: -70 },
      ln: lines.map(({ said }) => said),
    };
    const one: Outgoing = {
      topic: 'tele',
      message,
      reading,
      acked: false,
      done: (index, at) => {
        reading.acked ??= index;
        reading.ackedAt ??= at;
      },
    };
    if (!live || !this.isConnected()) {
      Object.assign(message, { bf: 1 });
      reading.live = false;
      if (this.scribe.now() < this.silentUntil) this.later(this.silentFor() + 1, () => this.put(one));
      else this.outbox.push(one);
      return;
    }
    if (!this.habits.reorders) this.put(one);
    else if (this.kept) {
      const kept = this.kept;
      this.kept = null;
      this.put(one);
      this.put(kept);
    } else this.kept = one;
  }
  private silentFor(): number {
    return Math.max(0, (this.silentUntil - this.scribe.now()) / 1000);
  }

  private say(line: Line): SaidOfLine {
    const { phases } = line;
    const currents = currentsOf(line);
    const powers = Object.fromEntries(
      phases.map((phase) => [phase, Math.round((currents[phase] ?? 0) * voltsOf(line, phase))]),
    );
    const measured: Record<string, number | null> = this.habits.shows === 'both' ? { ...currents } : {};
    for (const [conductor, loss] of Object.entries(line.blind)) {
      if (loss === 'null') measured[conductor] = null;
      else delete measured[conductor];
    }
    const said: Record<string, unknown> = {
      n: line.n,
      sw: line.claims ?? line.contact,
      trip: line.trip,
      lock: line.lock,
      U: Object.fromEntries(phases.map((phase) => [phase, voltsOf(line, phase)])),
      ...(Object.keys(measured).length > 0 ? { I: measured } : {}),
      P: {
        t: Object.values(powers).reduce((sum, power) => sum + power, 0),
        ...(phases.length === 3 ? powers : {}),
      },
      PF: { t: 1 },
      IL: line.leakage,
      T:
        phases.length === 3
          ? { a: line.terminal, b: 30, c: 30, n: 30 }
          : { m: line.terminal, l: line.cable, c: 30 },
      ...structuredClone(line.wrong),
    };
    for (const [fact, loss] of Object.entries(line.lost)) {
      if (loss === 'null') said[fact] = null;
      else delete said[fact];
    }
    const shown = Object.entries(currents).filter(
      ([conductor]) => typeof measured[conductor] === 'number' || (powers[conductor] ?? 0) > 0,
    );
    const interrupted = [...phases, ...(line.switchesNeutral ? ['n'] : [])];
    return {
      n: line.n,
      contact: line.contact,
      amperes: Math.max(0, ...shown.map(([, amperes]) => amperes)),
      isBlind: interrupted.some((conductor) => typeof measured[conductor] !== 'number'),
      said,
    };
  }

  /** Sends an alarm or position event with the caller's content. */
  event(message: Record<string, unknown>): SentEvent {
    this.seq += 1;
    this.eventSerial += 1;
    const whole = {
      v: 1,
      boot: this.boot,
      seq: this.seq,
      t: this.deviceTime(),
      eid: `${this.boot}-${this.eventSerial}`,
      ...message,
    };
    const event: SentEvent = {
      index: this.scribe.next(),
      at: this.scribe.now(),
      equipment: this.equipment,
      boot: this.rank(),
      message: whole,
      resent: false,
      acked: null,
      ackedAt: null,
    };
    this.events.push(event);
    this.put({
      topic: 'event',
      message: whole,
      event,
      acked: false,
      done: (index, at) => {
        event.acked ??= index;
        event.ackedAt ??= at;
      },
    });
    return event;
  }

  private put(one: Outgoing): void {
    this.outbox.push(one);
    const client = this.client;
    if (!client || !this.isConnected()) return;
    const connected = this.connected;
    const once = () =>
      client.publish(
        topicOf(this.account.number, one.topic),
        JSON.stringify(one.message),
        { qos: 1 },
        (error) => {
          if (error || connected !== this.connected || one.acked) return;
          one.acked = true;
          this.outbox = this.outbox.filter((other) => other !== one);
          one.done?.(this.scribe.next(), this.scribe.now());
        },
      );
    once();
    if (this.habits.doubles) once();
  }

  private hear(topic: string, payload: Buffer): void {
    if (topic.endsWith('/cfg/set')) this.configure(JSON.parse(payload.toString()) as CfgSetMessage);
    if (!topic.endsWith('/cmd')) return;
    const command = JSON.parse(payload.toString()) as CmdMessage;
    const again = this.known.has(command.id);
    const received: Received = {
      index: this.scribe.next(),
      at: this.scribe.now(),
      equipment: this.equipment,
      command,
      wall: performance.now(),
      clockOff: this.clockOff,
      again,
      refusedAsLate: false,
      obeyed: false,
    };
    this.received.push(received);
    this.scribe.note(`device received ${command.cmd} ${command.n ?? ''}${again ? ' again' : ''}`);
    const answered = this.known.get(command.id);
    if (answered !== undefined) {
      this.answer(command, answered);
      return;
    }
    if (command.exp < this.deviceTime()) {
      received.refusedAsLate = true;
      this.known.set(command.id, 'expired');
      this.answer(command, 'expired');
      return;
    }
    this.known.set(command.id, 'done');
    this.obey(received);
  }

  private revision = 1;
  private parameters: Record<string, Record<string, unknown>> = {};
  private enables: Record<string, boolean> = { net_ctrl: true, auto_reclose: false, timer_en: true };
  private configure(config: CfgSetMessage): void {
    this.configs.push({ index: this.scribe.next(), wall: performance.now(), config });
    this.scribe.note(
      `device received settings ${JSON.stringify({ en: config.en, p: config.p, timers: config.timers })}`,
    );
    this.revision += 1;
    for (const [n, given] of Object.entries(config.p ?? {}))
      this.parameters[n] = { ...this.parameters[n], ...given };
    Object.assign(this.enables, config.en);
    this.put({
      topic: 'cfg',
      message: {
        v: 1,
        rev: this.revision,
        t: this.deviceTime(),
        id: config.id,
        st: 'applied',
        p: this.parameters,
        en: this.enables,
        ...(config.timers ? { timers: config.timers } : {}),
      },
      acked: false,
      done: null,
    });
  }

  private obey(received: Received): void {
    const { command } = received;
    const { obedience, answersAfter, movesAfter } = this.habits;
    const line = this.lines.find(({ n }) => n === command.n);
    if (command.cmd === 'time_sync') this.clockOff = command.t - this.scribe.now();
    if (command.cmd === 'reset' && line && obedience === 'obeys') {
      line.trip = 0;
      received.obeyed = true;
    }
    if (command.cmd === 'reboot' && obedience === 'obeys') this.later(answersAfter + 1, () => this.restart());
    if (command.cmd === 'leak_test' && line && obedience === 'obeys' && !this.refusal(line, 0)) {
      received.obeyed = true;
      this.later(movesAfter, () => {
        line.trip = testTrip;
        this.move(line, 0, 'trip');
      });
    }
    if (!line || (command.cmd !== 'open' && command.cmd !== 'close')) {
      this.later(answersAfter, () => this.answer(command, 'done'));
      return;
    }
    const asked = command.cmd === 'close' ? 1 : 0;
    const refusal = this.refusal(line, asked);
    if (obedience === 'deaf') return;
    if (obedience === 'refuses' || refusal) {
      this.known.set(command.id, 'rejected');
      this.later(answersAfter, () => this.answer(command, 'rejected', refusal ?? 'hw_fail'));
      return;
    }
    if (obedience === 'lies') line.claims = asked;
    if (['obeys', 'bounces', 'mute', 'restarts'].includes(obedience)) {
      received.obeyed = true;
      this.later(movesAfter, () => this.move(line, asked, 'cmd', command.id));
      if (obedience === 'bounces')
        this.later(movesAfter + this.habits.bounceAfter, () =>
          this.move(line, asked === 1 ? 0 : 1, 'manual'),
        );
    }
    if (obedience === 'restarts') this.later(movesAfter + 1, () => this.restart());
    else if (obedience !== 'mute') this.later(answersAfter, () => this.answer(command, 'done'));
  }
  private refusal(line: Line, asked: 0 | 1): 'tripped' | 'locked' | null {
    if (line.lock & 3) return 'locked';
    return asked === 1 && line.trip !== 0 ? 'tripped' : null;
  }

  private answer(command: CmdMessage, st: AckMessage['st'], why?: string): void {
    if (this.habits.countsApart) this.apart += 1;
    else this.seq += 1;
    const line = this.lines.find(({ n }) => n === command.n);
    this.put({
      topic: 'ack',
      message: {
        v: 1,
        id: command.id,
        boot: this.boot,
        seq: this.habits.countsApart ? this.apart : this.seq,
        t: this.deviceTime(),
        st,
        ...(why ? { why } : {}),
        ...(line ? { n: line.n, sw: line.claims ?? line.contact, trip: line.trip } : {}),
      },
      acked: false,
      done: null,
    });
  }

  readonly moves: { index: number; at: number; n: number; to: 0 | 1; by: string }[] = [];
  move(line: Line, position: 0 | 1, by: string, id?: string): void {
    if (line.contact === position) return;
    line.contact = position;
    if (by === 'cmd') line.claims = null;
    this.moves.push({ index: this.scribe.next(), at: this.scribe.now(), n: line.n, to: position, by });
    this.scribe.note(`contact ${line.n} moves to ${position} (${by})`);
    if (this.habits.sendsMoves)
      this.event({ kind: 'pos', n: line.n, sw: position, by, ...(id ? { id } : {}) });
    if (this.habits.reportsMoves) this.report();
  }

  /** Contacts keep their positions; counters of the boot restart. */
  restart(): void {
    this.boot += 1;
    this.seq = 0;
    this.apart = 0;
    this.scribe.note('device restarts');
    const port = this.client?.options.port;
    this.cut();
    if (port) this.wantsPort = port;
  }
  /** Asks the player to connect the device again. */
  wantsPort: number | null = null;
}
