import { makeDevice, makeProject, makeUser } from '../factories.ts';
import type { CallAnswer, Server } from '../product-process.ts';
import { eventually } from '../wait.ts';
import { testPassword } from '../world.ts';
import { ModelDevice } from './device.ts';
import { type Deed, type Forbidding, type History, type Step, settlingSeconds } from './history.ts';

/** A call as the operator saw it: positions of its beginning and end in the order of all observations. */
export interface Call {
  path: string;
  by: 'operator' | 'chief';
  // biome-ignore lint/suspicious/noExplicitAny: bodies and answers are read freely
  body: any;
  begun: number;
  ended: number;
  at: number;
  /** Real time of the answer, ms. */
  wall: number;
  answer: CallAnswer;
}
export interface Sample {
  begun: number;
  ended: number;
  at: number;
  /** The lines of the device, and the totals of the operator, who sees only this device. */
  answer: CallAnswer;
  census: CallAnswer;
}
/** The course of a history, as the devices and the operators know it. */
export interface Played {
  history: History;
  device: ModelDevice;
  deviceId: number;
  number: string;
  lineIds: number[];
  calls: Call[];
  /** Conditions that begin or end outside the device: changes of rights and bindings. */
  samples: Sample[];
  /** Alarm types that were switched off for the whole installation. */
  disabled: readonly number[];
  /** Which trips keep a line open until its inspection is recorded. */
  inspectAfter: 'never' | 'grave';
  // biome-ignore lint/suspicious/noExplicitAny: rows of the command log
  commands: any[];
  /** Switching requests by line, including one-key and timers. */
  asked: { index: number; line: number; verb: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: rows of the alarm list, those held back by their cause too
  alarms: any[];
  /** Bodies of the webhooks that named this device's project. */
  hooks: string[];
  notes: string[];
  startedAt: number;
  endedAt: number;
  /** How often the product was killed during this history, and how often it ended by itself. */
  kills: number;
  crashes: number;
  /** Times of the faults of the server and its database. */
  faultsAt: number[];
  /** How often the server's clock was set. All times here are true times. */
  /** Places in the order of things at which the server's clock was set. */
  clockSets: number[];
}
/**
 * A failure of the whole server in the second `at` of the history, `after` real milliseconds from its beginning.
 */
export interface Fault {
  at: number;
  do: 'kill' | 'cutDatabase' | 'stopDatabase' | 'crashBackend' | 'crashDatabase' | 'setClock';
  after: number;
  /** By how much the clock is set, ms. */
  ms?: number;
}

const stepMs = 1000;
const stoppedMs = 400;
const oldSessionMs = 30 * 60_000;
const tailSeconds = 62;
/** A notice that was being sent at a fault is sent again when its claim expires, after a minute. */
const tailAfterFaults = 78;
const sampledAfter = 30;
const sampleEvery = 8;
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

class Player {
  readonly played: Played;
  private readonly server: Server;
  private readonly token: string;
  private readonly chief: string;
  private readonly projectId: number;
  private readonly userId: number;
  private index = 0;
  private readonly begunAt: number;
  private tagIds: number[] = [];
  private cutUntil = 0;
  private start = 0;

  static async furnish(server: Server, history: History, admin: string): Promise<Player> {
    const project = await makeProject(server.db, { time_zone: 'UTC', nominal_voltage: 220 });
    const device = await makeDevice(server.db, {
      number: newNumber(),
      project_id: project.id,
      type: history.phases === 3 ? 4 : 3,
      lines: history.lines.length,
    });
    await server.db
      .updateTable('devices')
      .set({ upload_seconds: history.habits.every, bound_at: new Date(server.now() - 60_000) })
      .where('id', '=', device.id)
      .execute();
    for (const [index, { rated, switchesNeutral, critical }] of history.lines.entries())
      await server.db
        .updateTable('lines')
        .set({
          ...(rated === undefined ? {} : { rated_current: rated }),
          poles: history.phases === 1 ? 1 : switchesNeutral ? 4 : 3,
          critical: critical ?? false,
        })
        .where('id', '=', device.lines[index]!.id)
        .execute();
    const user = await makeUser(server.db, { role: 3, projects: [project] });
    const token = await server.signIn(user.id, history.oldSession ? oldSessionMs : 0);
    // After a batch that crashed PostgreSQL the server may still answer that it has no database.
    await eventually(
      async () => {
        const rule = await server.call(admin, '/device_warning/add_warning_timing', {
          channel: 'webhook',
          webhook_url: `${server.hooks.url}/${device.number}`,
          project_ids: [project.id],
        });
        if (rule.status !== 200 && rule.status !== 503)
          throw new Error(`no notice rule: ${JSON.stringify(rule)}`);
        return rule.status === 200;
      },
      { said: () => 'no notice rule' },
    );
    return new Player(server, history, device, project.id, user.id, { operator: token, chief: admin });
  }
  private constructor(
    server: Server,
    history: History,
    device: Awaited<ReturnType<typeof makeDevice>>,
    projectId: number,
    userId: number,
    tokens: { operator: string; chief: string },
  ) {
    this.server = server;
    this.token = tokens.operator;
    this.chief = tokens.chief;
    this.projectId = projectId;
    this.userId = userId;
    this.begunAt = server.time();
    const notes: string[] = [];
    const model = new ModelDevice(
      device,
      history.lines.map(({ contact, load, switchesNeutral }, at) => ({
        n: at + 1,
        contact,
        claims: null,
        load,
        phases: history.phases === 3 ? ['a', 'b', 'c'] : ['a'],
        switchesNeutral: history.phases === 3 && switchesNeutral === true,
        welded: [],
        harmonics: 0,
        borrowed: 0,
        volts: 220,
        phaseVolts: {},
        blind: {},
        leakage: 3,
        terminal: 30,
        cable: 30,
        trip: 0,
        lock: 0,
        lost: {},
        wrong: {},
      })),
      history.habits,
      {
        now: () => server.time(),
        next: () => this.next(),
        note: (text) => this.note(text),
      },
    );
    model.clockOff = history.clockOff;
    this.played = {
      history,
      device: model,
      deviceId: device.id,
      number: device.number,
      lineIds: device.lines.map(({ id }) => id),
      calls: [],
      samples: [],
      disabled: [],
      inspectAfter: 'never',
      commands: [],
      asked: [],
      alarms: [],
      hooks: [],
      notes,
      startedAt: server.time(),
      endedAt: 0,
      kills: 0,
      crashes: 0,
      faultsAt: [],
      clockSets: [],
    };
  }
  private next(): number {
    this.index += 1;
    return this.index;
  }
  note(text: string): void {
    const seconds = (this.server.time() - this.begunAt) / 1000;
    this.played.notes.push(`${String(this.index).padStart(4)} ${seconds.toFixed(1).padStart(6)} s ${text}`);
  }
  noteClockSet(): void {
    this.played.clockSets.push(this.next());
  }
  get device(): ModelDevice {
    return this.played.device;
  }

  async connect(): Promise<void> {
    this.start = this.server.starts();
    this.device.wantsPort = null;
    await this.device.connect(this.server.port()).catch((error: unknown) => {
      this.note(`cannot connect: ${String(error)}`);
    });
  }
  /** Reconnects each device that asks for it. */
  async reconnect(): Promise<void> {
    if (this.server.time() < this.cutUntil) return;
    if (this.device.isConnected() && this.start === this.server.starts() && this.device.wantsPort === null)
      return;
    this.device.cut();
    await this.connect();
  }
  leave(): void {
    this.device.leave();
  }

  async call(
    path: string,
    body: Record<string, unknown>,
    by: 'operator' | 'chief' = 'operator',
  ): Promise<CallAnswer> {
    const begun = this.next();
    const answer = await this.server.call(by === 'chief' ? this.chief : this.token, path, body);
    const ended = this.next();
    this.played.calls.push({
      path,
      by,
      body,
      begun,
      ended,
      at: this.server.time(),
      wall: performance.now(),
      answer,
    });
    this.note(
      `${path} ${JSON.stringify(body)} → ${answer.status} ${JSON.stringify(answer.data).slice(0, 160)}`,
    );
    return answer;
  }
  /** A change by another transaction of the database: it counts from its commit. */
  private async byAnother(path: string, act: () => Promise<unknown>): Promise<void> {
    const begun = this.next();
    // The database may crash meanwhile.
    for (let tries = 0; ; tries += 1) {
      try {
        await act();
        break;
      } catch (error) {
        if (tries === 100) throw error;
        await wait(100);
      }
    }
    const ended = this.next();
    const answer = { status: 200, code: 200, data: null };
    this.played.calls.push({
      path,
      by: 'operator',
      body: {},
      begun,
      ended,
      at: this.server.time(),
      wall: performance.now(),
      answer,
    });
    this.note(`${path}: done`);
  }

  async sample(): Promise<void> {
    const begun = this.next();
    const answer = await this.server.call(this.token, '/device_line/get_list', {
      device_id: this.played.deviceId,
    });
    const census = await this.server.call(this.token, '/index/census');
    this.played.samples.push({ begun, ended: this.next(), at: this.server.time(), answer, census });
  }

  perform(step: Step): Promise<unknown> {
    const { at: _at, ...deed } = step;
    this.note(JSON.stringify(deed));
    return this.act(deed);
  }
  private lineAt(given: number): number {
    return given % this.played.history.lines.length;
  }
  private async act(deed: Deed): Promise<unknown> {
    const { device } = this;
    switch (deed.do) {
      case 'switch':
        return this.switch(deed.verb, this.lineAt(deed.line), deed.way);
      case 'interrupt':
        return this.interrupt(deed);
      case 'weld':
        this.lineOf(deed.line).welded = deed.poles;
        return;
      case 'phase': {
        const truth = this.lineOf(deed.line);
        if (truth.phases.includes(deed.phase)) truth.phaseVolts[deed.phase] = deed.volts;
        return;
      }
      case 'neutral':
        this.lineOf(deed.line)[deed.of] = deed.amperes;
        return;
      case 'blind': {
        const truth = this.lineOf(deed.line);
        if (truth.phases.length === 3 || deed.conductor === 'a') truth.blind[deed.conductor] = deed.how;
        return;
      }
      case 'reset':
        return this.call('/device_do/device_do', {
          device_id: this.played.deviceId,
          line_id: this.lineId(deed.line),
          action: 'reset',
          ...this.password(),
        });
      case 'ask':
        return this.call('/device_do/device_do', {
          device_id: this.played.deviceId,
          line_id: this.lineId(deed.line),
          action: deed.verb,
          ...this.password(),
        });
      case 'forbid':
        return this.forbid(this.lineAt(deed.line), deed.what);
      case 'permit':
        return this.permit(this.lineAt(deed.line), deed.what);
      case 'race': {
        const closing = this.switch('close', this.lineAt(deed.line), deed.way);
        await wait(deed.gap);
        await this.forbid(this.lineAt(deed.line), deed.what);
        return closing;
      }
      case 'lose':
        this.lineOf(deed.line).lost[deed.fact] = deed.how;
        return;
      case 'find':
        delete this.lineOf(deed.line).lost[deed.fact];
        return;
      case 'value':
        this.lineOf(deed.line)[deed.of] = deed.value;
        return;
      case 'wrong': {
        const { channel, value } = deed;
        this.lineOf(deed.line).wrong =
          channel === 'T'
            ? { T: this.played.history.phases === 3 ? { a: value } : { m: value, l: 30, c: 30 } }
            : channel === 'U'
              ? { U: { a: value } }
              : { [channel]: value };
        return;
      }
      case 'right':
        this.lineOf(deed.line).wrong = {};
        return;
      case 'clock':
        device.clockOff += deed.ms;
        return;
      case 'clockTo':
        device.clockOff = Date.UTC(deed.year, 5, 1) - this.server.time();
        return;
      case 'silent':
        device.silentUntil = this.server.time() + deed.seconds * 1000;
        return;
      case 'cut':
        this.cutUntil = this.server.time() + deed.seconds * 1000;
        device.cut();
        return;
      case 'restart':
        device.restart();
        return;
      case 'replace':
        return this.replace(deed);
      case 'claim':
        this.lineOf(deed.line).claims = deed.position;
        return;
      case 'hand':
        device.move(this.lineOf(deed.line), deed.to, 'manual');
        return;
      case 'timeSync':
        return this.call('/device_do/device_do', {
          device_id: this.played.deviceId,
          action: 'time_sync',
          ...(deed.t === null ? {} : { parameters: { t: deed.t } }),
          ...this.password(),
        });
      case 'enable':
        return this.call('/device_do/device_use', {
          device_id: this.played.deviceId,
          enables: { [deed.key]: true },
          ...this.password(),
        });
      case 'custom':
        return this.call('/device/set_customize_console', {
          device_id: this.played.deviceId,
          custom: deed.custom,
          ...this.password(),
        });
      case 'deviceTimer': {
        const due = new Date(this.server.now() + deed.minutes * 60_000).toISOString();
        return this.call('/device_timing/add_device_timing', {
          line_id: this.lineId(deed.line),
          type: 'once',
          date: due.slice(0, 10),
          time: due.slice(11, 16),
          action: deed.verb,
          run_by: 'device',
        });
      }
      case 'handle':
      case 'shelve':
        return this.handle(deed.do);
      case 'inspect':
        return this.call('/maintenance/add_record', {
          project_id: this.projectId,
          device_id: this.played.deviceId,
          line_ids: [this.lineId(deed.line)],
          kind: deed.kind,
          maintenance_time: new Date(this.server.now()).toISOString(),
          handler_name: 'Wang Jun',
          handler_phone: '13900000202',
          content: 'Insulation measured: 80 MΩ',
        });
    }
  }
  private password(): { password?: string } {
    return this.played.history.oldSession ? {} : { password: testPassword };
  }
  private lineOf(line: number) {
    return this.device.lines[this.lineAt(line)]!;
  }
  private lineId(line: number): number {
    return this.played.lineIds[this.lineAt(line)]!;
  }

  private async switch(
    verb: 'open' | 'close',
    line: number,
    way: 'button' | 'oneKey' | 'timer',
  ): Promise<unknown> {
    const { deviceId, lineIds } = this.played;
    this.played.asked.push({ index: this.next(), line, verb });
    if (way === 'button')
      return this.call('/device_do/device_do', {
        device_id: deviceId,
        line_id: lineIds[line],
        action: verb,
        ...this.password(),
      });
    if (way === 'oneKey')
      return this.call('/device_line/onekey_opening', {
        device_id: deviceId,
        line_ids: [lineIds[line]],
        action: verb,
        ...this.password(),
      });
    const due = new Date(Math.ceil((this.server.now() + 1000) / 60_000) * 60_000).toISOString();
    return this.call('/device_timing/add_device_timing', {
      line_id: lineIds[line],
      type: 'once',
      date: due.slice(0, 10),
      time: due.slice(11, 16),
      action: verb,
    });
  }

  private interrupt({ verb, line, by, typed }: Extract<Deed, { do: 'interrupt' }>): Promise<unknown> {
    const { deviceId } = this.played;
    const index = this.lineAt(line);
    const { history } = this.played;
    const isWhole = verb === 'reboot' || verb === 'selftest';
    const named = isWhole ? history.lines.findIndex(({ critical }) => critical) : index;
    if (verb === 'open') this.played.asked.push({ index: this.next(), line: index, verb });
    return this.call(
      '/device_do/device_do',
      {
        device_id: deviceId,
        ...(isWhole ? {} : { line_id: this.lineId(index) }),
        action: verb,
        ...(typed === 'nothing' ? {} : { confirm_name: typed === 'right' ? `Line ${named + 1}` : 'Line 9' }),
        ...this.password(),
      },
      by,
    );
  }
  private async forbid(line: number, what: Forbidding): Promise<void> {
    const truth = this.device.lines[line]!;
    const { deviceId, lineIds } = this.played;
    switch (what.by) {
      case 'alarm':
        this.device.event({
          kind: 'alarm',
          st: 'raise',
          code: what.code,
          lvl: 2,
          n: truth.n,
          latched: true,
          val: 100,
          thr: 30,
        });
        return;
      case 'trip':
        truth.trip = what.code ?? 301;
        if (truth.contact === 1) truth.contact = 0;
        return this.device.report();
      case 'lock':
        truth.lock = 2;
        return this.device.report();
      case 'supply':
        truth.volts = what.volts;
        return this.device.report();
      case 'tag': {
        const on =
          what.on === 'line'
            ? { line_id: lineIds[line] }
            : what.on === 'device'
              ? { device_id: deviceId }
              : { project_id: this.projectId };
        const { data } = await this.call('/lockout_tag/add_tag', { ...on, reason: 'work' });
        if (typeof data?.tag_id === 'number') this.tagIds.push(data.tag_id);
        return;
      }
      case 'control':
        await this.call('/device_do/setDeviceEnableNetCtrl', { device_id: deviceId, enabled: false });
        return;
      case 'rights':
        return this.byAnother('rights taken', () =>
          this.server.db.deleteFrom('user_projects').where('user_id', '=', this.userId).execute(),
        );
      case 'binding':
        await this.call('/Device/remove_device', { device_ids: [deviceId] });
        return;
    }
  }
  private async permit(line: number, what: Forbidding): Promise<void> {
    const truth = this.device.lines[line]!;
    switch (what.by) {
      case 'alarm':
        this.device.event({ kind: 'alarm', st: 'clear', code: what.code, lvl: 2, n: truth.n, latched: true });
        return;
      case 'trip':
        truth.trip = 0;
        return;
      case 'lock':
        truth.lock = 0;
        return;
      case 'supply':
        truth.volts = 220;
        return;
      case 'tag':
        for (const tag_id of this.tagIds.splice(0)) await this.call('/lockout_tag/remove_tag', { tag_id });
        return;
      case 'control':
        await this.call('/device_do/setDeviceEnableNetCtrl', {
          device_id: this.played.deviceId,
          enabled: true,
        });
        return;
      case 'rights':
      case 'binding':
        return;
    }
  }
  /** What the former equipment has sent may still be on its way, and counts as sent by the new one: decision 0524. */
  private async replace({ contact, clockOff, away, lost }: Extract<Deed, { do: 'replace' }>): Promise<void> {
    const { device } = this;
    const end = Date.now() + 500;
    while (Date.now() < end && device.pending > 0) await wait(1);
    const { status, data } = await this.call(
      '/device/reset_secret',
      { device_id: this.played.deviceId },
      'chief',
    );
    if (status !== 200) return;
    this.cutUntil = this.server.time() + away * 1000;
    device.replace({ secret: data.secret, contact, clockOff, lost });
  }
  private async handle(what: 'handle' | 'shelve'): Promise<void> {
    const { data } = await this.call('/device_warning/WarningList', {
      device_id: this.played.deviceId,
      status: 'unprocessed',
      limit: 50,
    });
    const ids = (data?.list ?? []).map(({ id }: { id: number }) => id);
    if (ids.length === 0) return;
    if (what === 'handle') await this.call('/device_warning/batchHandle', { ids, content: 'seen to' });
    else await this.call('/device_warning/shelve', { ids, minutes: 30, reason: 'known' });
  }

  /**
   * Reads the product's final state as an administrator, because the operator may have lost the permission.
   */
  async finish(admin: string): Promise<void> {
    this.played.endedAt = this.server.time();
    const device_id = this.played.deviceId;
    // biome-ignore lint/suspicious/noExplicitAny: rows of the product
    const list = async (path: string, more: object = {}): Promise<any[]> => {
      for (let tries = 0; tries < 5; tries += 1) {
        const answer = await this.server.call(admin, path, { device_id, limit: 100, ...more });
        if (answer.status === 200) return answer.data.list;
        this.note(`${path} answers ${answer.status}`);
        await wait(200);
      }
      throw new Error(`${path} cannot be read`);
    };
    this.played.commands = (await list('/device_log/get_list')).map((row) => this.inTrueTime(row));
    const { hooks } = this.server;
    this.played.hooks = hooks.heard
      .filter(({ path }) => path.endsWith(this.played.number))
      .map(({ body }) => body);
    this.played.alarms = [
      ...(await list('/device_warning/WarningList')),
      ...(await list('/device_warning/WarningList', { suppressed: true })),
      ...(await list('/device_warning/WarningList', { shelved: true })),
    ].map((row) => this.inTrueTime(row));
  }
  /** A row of the product with its times as true times; an expiry is as long after its creation as it was. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of the product
  private inTrueTime(row: any): any {
    const trueTime = (at: string) => new Date(this.server.timeOf(Date.parse(at))).toISOString();
    const times = shownTimes.filter((key) => typeof row[key] === 'string');
    const changed = Object.fromEntries(times.map((key) => [key, trueTime(row[key])]));
    if (typeof row.expires_at === 'string') {
      const lifeMs = Date.parse(row.expires_at) - Date.parse(row.created_at);
      changed['expires_at'] = new Date(Date.parse(changed['created_at']!) + lifeMs).toISOString();
    }
    return { ...row, ...changed };
  }
}
const shownTimes = [
  'created_at',
  'sent_at',
  'acknowledged_at',
  'ended_at',
  'received_at',
  'last_time',
  'processed_at',
];
let serial = Math.floor(Math.random() * 1e6);
const newNumber = (): string => {
  serial += 1;
  return `HIST${serial.toString().padStart(7, '0')}`;
};

interface Surroundings {
  faults?: readonly Fault[];
  disabled?: readonly number[];
  /** 'never', because otherwise the first trip would block all later acts on the line. */
  inspectAfter?: 'never' | 'grave';
}
/** Plays histories in parallel on one server, second by second. */
export const play = async (
  server: Server,
  histories: readonly History[],
  { faults = [], disabled = [], inspectAfter = 'never' }: Surroundings = {},
): Promise<Played[]> => {
  const crashes = server.crashes();
  server.agree();
  server.hooks.heard.length = 0;
  const administrator = (await makeUser(server.db, { role: 1 })).id;
  let admin = await server.signIn(administrator);
  await server.call(admin, '/settings/set', { name: 'control.inspectAfter', value: inspectAfter });
  await server.call(admin, '/device_warning/set_notice_settings', {
    private_targets: true,
    language: 'en-US',
  });
  const switchTypes = (enabled: boolean) =>
    Promise.all(
      disabled.map((typeNumber) =>
        server.call(admin, '/device_warning_type/set_status', { typeNumber, enabled }),
      ),
    );
  await switchTypes(false);
  const players = await Promise.all(histories.map((history) => Player.furnish(server, history, admin)));
  await server.advance(1000);
  await Promise.all(players.map((player) => player.connect()));
  const begun = server.time();
  const active = new Set(players);
  const remaining = new Map(players.map((player) => [player, [...player.played.history.steps]]));
  const lastStep = (player: Player) =>
    Math.max(settlingSeconds, ...player.played.history.steps.map(({ at }) => at));

  /** Waits until every message is acknowledged, at most two seconds. */
  const drained = async (): Promise<void> => {
    const end = Date.now() + 2000;
    while (Date.now() < end && [...active].some(({ device }) => device.pending > 0)) await wait(1);
  };
  for (let at = 0; active.size > 0; at += stepMs / 1000) {
    const present = [...active];
    await Promise.all(present.map((player) => player.reconnect()));
    for (const player of present) player.device.tick();
    const deeds = present.flatMap((player) => {
      const steps = remaining.get(player)!;
      const due: Promise<unknown>[] = [];
      while (steps[0] && steps[0].at <= at) due.push(player.perform(steps.shift()!));
      return due;
    });
    for (const fault of faults.filter((each) => each.at === at)) {
      await wait(fault.after);
      for (const player of present) {
        player.note(`the server: ${fault.do} ${fault.ms ?? ''}`);
        if (fault.do === 'setClock') player.noteClockSet();
        else player.played.faultsAt.push(server.time());
      }
      if (fault.do === 'setClock') await server.setClock(fault.ms!);
      else if (fault.do === 'kill') {
        await server.kill();
        for (const player of present) player.played.kills += 1;
      } else if (fault.do === 'cutDatabase') await server.cutDatabase(60);
      else if (fault.do === 'stopDatabase') await server.stopDatabase(stoppedMs);
      else await server.crashDatabase(fault.do === 'crashBackend' ? 'backend' : 'server');
    }
    await Promise.all(deeds);
    await drained();
    if (deeds.length > 0) await server.advance(0);
    const sampled = present.filter(
      (player, index) =>
        (at + index) % sampleEvery === 0 && at >= settlingSeconds && at < lastStep(player) + sampledAfter,
    );
    await Promise.all(sampled.map((player) => player.sample()));
    await server.advance(stepMs);
    const tail = faults.some((fault) => fault.do !== 'setClock') ? tailAfterFaults : tailSeconds;
    const over = present.filter((player) => at >= lastStep(player) + tail);
    if (over.length > 0) admin = await server.signIn(administrator);
    await Promise.all(
      over.map(async (player) => {
        await player.finish(admin);
        player.leave();
        active.delete(player);
      }),
    );
  }
  if (server.time() < begun) throw new Error('the clock went back');
  await switchTypes(true);
  for (const { played } of players) {
    played.crashes = server.crashes() - crashes;
    played.disabled = disabled;
    played.inspectAfter = inspectAfter;
  }
  return players.map(({ played }) => played);
};
