import mqtt, { type MqttClient } from 'mqtt';
import { topicOf, type UpTopic } from '#contract/telemetry.ts';
import type { Report, Zone } from './model.ts';

interface Account {
  number: string;
  secret: string;
}
/** How a report reaches the server. */
export type Way =
  | 'live'
  /** The link is down: kept, and sent as backlog when it is up again. */
  | 'stored'
  /** Sent unchanged after a later one. */
  | 'overtaken'
  | 'lost';
export type Backlog = 'in order' | 'shuffled' | 'before live';

interface Kept {
  report: Report;
  message: Record<string, unknown>;
}

/** A device that reports one quantity of line 1, and keeps what it cannot send. */
export class Device {
  readonly account: Account;
  readonly reports: Report[] = [];
  private readonly now: () => number;
  private readonly read: (zone: Zone) => Record<string, unknown>;
  private client: MqttClient | null = null;
  /** Resolves when the present connection ends. */
  private cut: Promise<false> = Promise.resolve(false);
  private boot = 1;
  private seq = 0;
  private arrivals = 0;
  private kept: Kept[] = [];
  private held: Kept[] = [];
  private unacknowledged: Kept[] = [];
  /** Error of its clock, ms. */
  off = 0;
  doubles = false;
  backlog: Backlog = 'in order';

  constructor(account: Account, now: () => number, read: (zone: Zone) => Record<string, unknown>) {
    this.account = account;
    this.now = now;
    this.read = read;
  }

  async connect(port: number): Promise<void> {
    this.client?.end(true);
    this.client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
      clientId: this.account.number,
      username: this.account.number,
      password: this.account.secret,
      reconnectPeriod: 0,
    });
    this.client.on('error', () => {});
    const { client } = this;
    this.cut = new Promise((resolve) => client.once('close', () => resolve(false)));
    const again = this.unacknowledged;
    this.unacknowledged = [];
    for (const one of again) await this.send(one);
  }
  leave(): void {
    this.client?.end(true);
  }
  reboot(): void {
    this.boot += 1;
    this.seq = 0;
  }

  async report(zone: Zone, way: Way): Promise<void> {
    this.seq += 1;
    const { boot, seq } = this;
    const measuredAt = this.now();
    const report: Report = {
      boot,
      seq,
      zone,
      measuredAt,
      receivedAt: null,
      place: 0,
      stored: way === 'stored',
    };
    this.reports.push(report);
    const message = { v: 1, boot, seq, t: Math.round(measuredAt + this.off), tq: 0, ln: [this.read(zone)] };
    const one = { report, message };
    if (way === 'lost') return;
    if (way === 'stored') this.kept.push({ report, message: { ...message, bf: 1 } });
    else if (way === 'overtaken') this.held.push(one);
    else await this.sendLive(one);
  }
  private async sendLive(one: Kept): Promise<void> {
    const { kept, held } = this;
    this.kept = [];
    this.held = [];
    const ordered = this.backlog === 'shuffled' ? kept.toSorted((a, b) => hash(a) - hash(b)) : kept;
    if (this.backlog === 'before live') for (const each of ordered) await this.send(each);
    await this.send(one);
    for (const each of held) await this.send(each);
    if (this.backlog !== 'before live') for (const each of ordered) await this.send(each);
  }
  private async send(one: Kept): Promise<void> {
    const { report, message } = one;
    for (const _ of this.doubles ? [1, 2] : [1]) {
      const done = await this.publish('tele', message);
      if (done) this.arrived(report);
      else if (!this.unacknowledged.includes(one)) this.unacknowledged.push(one);
    }
  }
  private arrived(report: Report): void {
    if (report.receivedAt !== null) return;
    this.arrivals += 1;
    Object.assign(report, { receivedAt: this.now(), place: this.arrivals });
  }
  private async publish(topic: UpTopic, message: Record<string, unknown>): Promise<boolean> {
    const { client } = this;
    if (!client?.connected) return false;
    const sent = client.publishAsync(topicOf(this.account.number, topic), JSON.stringify(message), {
      qos: 1,
    });
    return Promise.race([
      sent.then(
        () => true,
        () => false,
      ),
      this.cut,
    ]);
  }
}

const hash = ({ report }: Kept) => (report.seq * 7919) % 101;
