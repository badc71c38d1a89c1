import {
  type DownTopic,
  type HwmMessage,
  type InfoMessage,
  type PresenceMessage,
  topicOf,
  type UpTopic,
} from '#contract/telemetry.ts';
import { type AlarmPort, createAlarms, type StoredAlarm } from './alarms.ts';
import { move, stepReclose, tripLine, whyNotMove } from './breaker.ts';
import type { Clock } from './clock.ts';
import { capabilities, createCommands } from './commands.ts';
import { type AckFields, type Core, isLocked, type Line, lineNumbered } from './core.ts';
import { createEnvironment } from './environment.ts';
import { createLineUnit, flowEnergy, lineView, observe } from './lineUnit.ts';
import { type DeviceConfig, type Faults, healthy, linePhases } from './model.ts';
import { createOutbox, type Send, type StoredEntry } from './outbox.ts';
import { defaultDeviceParameters, enableDefaults } from './parameters.ts';
import type { TripCurve } from './physics/trip.ts';
import { randomStream } from './random.ts';
import { deviceReport, lineReport, snapshot } from './report.ts';
import { createReporter } from './reporter.ts';
import { createSettings } from './settings.ts';
import { createTimerWheel, wallTime } from './timers.ts';

/** Data that a device keeps over a power failure. */
export interface Flash {
  boot: number;
  lastNumber: number;
  rev: number;
  firmware: string;
  zone: string | number;
  parameters: Core['parameters'];
  enables: Core['enables'];
  timers: Core['timers'];
  custom: unknown;
  answers: AckFields[];
  unsent: StoredEntry[];
  lines: {
    n: number;
    parameters: Line['parameters'];
    position: 0 | 1;
    trip: number;
    energy: number;
    arcTotal: number;
    shortCircuits: number;
    alarms?: StoredAlarm[];
  }[];
  alarms?: StoredAlarm[];
}
export interface DeviceOptions {
  config: DeviceConfig;
  seed: string | number;
  clock: Clock;
  /** Supply events, wrong clocks and register resets as in the field; off for repeatable demonstrations. */
  natural?: boolean;
  /** Number of messages that the ring buffer holds. */
  bufferLimit?: number;
  flash?: Flash | undefined;
}
const epoch2020 = 1_577_836_800;
const day = 86_400_000;
const longestStepSeconds = 10;

/**
 * One device with physics, protection and protocol, but without a network. The same seed and clock give the
 * same behaviour.
 */
export const createDevice = (options: DeviceOptions) => {
  const { config, seed, clock, flash } = options;
  const { number, type } = config;
  const own = randomStream(seed, `device/${number}`);
  const natural = options.natural === true;
  const outbox = createOutbox(number, clock, options.bufferLimit ?? 5_000);
  const environment = createEnvironment(seed, config, natural);
  const wheel = createTimerWheel();
  const startedAt = clock.now();
  const drift = own.between(-20e-6, 20e-6);
  const digits = String(Math.floor(own.between(1e8, 1e9)));
  let clockBase = natural && own.chance(0.01) ? 8 * 3_600_000 : 0;
  let clockSetAt = startedAt;
  let boot = Math.max((flash?.boot ?? 0) + 1, Math.floor(startedAt / 1000) - epoch2020);
  let bootedAt = startedAt;
  let seq = 0;
  let events = 0;
  let faults: Faults = healthy;
  let send: Send | null = null;
  let lastStep = startedAt;
  let dirty = true;
  let manualSeen = 0;
  let rssi = config.signal ?? -72;
  let restarting: ((why: string) => void) | null = null;
  const unsentOta: string[] = [];

  const deviceTime = () => {
    const now = clock.now();
    return Math.round(now + clockBase + (now - clockSetAt) * drift + (faults.clockOffsetMs ?? 0));
  };
  const head = () => ({ v: 1 as const, boot, seq: ++seq, t: deviceTime(), tq: 0 as const });
  let lied = false;
  const queue = (topic: UpTopic, message: object, sequence: number) => {
    if (lied && topic !== 'ack') return;
    outbox.add(topic, boot, sequence, JSON.stringify(message));
  };
  const retain = (topic: UpTopic, message: object) => {
    if (!send || lied) return;
    void send({ topic: topicOf(number, topic), payload: JSON.stringify(message), retain: true, kept: false });
  };
  const alarmPort: AlarmPort = {
    nextId: () => core.nextEventId(),
    emit: (event) => core.sendEvent(event),
  };

  const core: Core = {
    config,
    clock,
    random: own,
    now: deviceTime,
    lines: config.lines.map((line) =>
      createLineUnit(
        config,
        line,
        seed,
        alarmPort,
        flash?.lines.find((stored) => stored.n === line.n),
      ),
    ),
    alarms: createAlarms(alarmPort, 0, linePhases(config.lines[0]!, type).length, type, flash?.alarms),
    faults,
    parameters: { ...defaultDeviceParameters(config), ...flash?.parameters },
    enables: { ...enableDefaults, ...config.enables, ...flash?.enables },
    timers: flash?.timers ?? [],
    zone: flash?.zone ?? config.timeZone ?? 'Asia/Shanghai',
    rev: flash?.rev ?? 1,
    firmware: flash?.firmware ?? config.firmware ?? '1.4.2',
    ota: false,
    lastNumber: flash?.lastNumber ?? 0,
    custom: flash?.custom,
    nextEventId: () => `${boot}-${++events}`,
    sendEvent(event) {
      const header = head();
      queue('event', { ...header, bf: 0, ...event }, header.seq);
    },
    sendAck(ack) {
      const { tq: _, ...header } = head();
      if (faults.answers === 'lying' && ack.st === 'done') lied = true;
      queue('ack', { ...header, ...ack }, header.seq);
    },
    sendOta(progress) {
      const payload = JSON.stringify({ v: 1, t: deviceTime(), ...progress });
      if (send) void send({ topic: topicOf(number, 'ota'), payload, retain: false, kept: false });
      else unsentOta.push(payload);
    },
    sendInfo: () => retain('info', info()),
    sendConfig(answer) {
      const p: Record<string, Record<string, unknown>> = {
        dev: { ...core.parameters, ...(core.custom === undefined ? {} : { x: core.custom }) },
      };
      for (const line of core.lines) p[line.config.n] = line.parameters;
      const { enables: en, timers, rev } = core;
      retain('cfg', { v: 1, rev, t: deviceTime(), ...answer, p, en, timers });
    },
    sendTelemetry() {
      const header = head();
      const { hertz } = environment;
      const dev = deviceReport(core, { hertz, rssi, up: (clock.now() - bootedAt) / 1000 });
      const ln = core.lines.map((line) => lineReport(core, line, hertz));
      for (const line of core.lines) line.arcMax = 0;
      reporter.reported(core);
      queue('tele', { ...header, bf: 0, dev, ln }, header.seq);
    },
    settle() {
      const around = environment.around(0, faults, core.zone, clock.now());
      for (const line of core.lines) line.model.step(around, line.conducting, faultsOf(line));
    },
    hurry: () => reporter.hurry(clock.now()),
    setClock(time) {
      clockBase = time - clock.now() - (faults.clockOffsetMs ?? 0);
      clockSetAt = clock.now();
    },
    restart(why) {
      boot++;
      seq = 0;
      bootedAt = clock.now();
      dirty = true;
      restarting?.(why);
    },
    touch() {
      dirty = true;
    },
  };
  const reporter = createReporter(core, own.next());
  const commands = createCommands(core);
  const settings = createSettings(core, wheel.forget);
  if (flash) {
    commands.restore(flash.answers);
    outbox.restore(flash.unsent);
  }

  const faultsOf = (line: Line): Faults =>
    line.config.n === (faults.line ?? config.lines[0]!.n) ? faults : healthy;

  const info = (): InfoMessage => ({
    v: 1,
    type,
    model: config.model ?? `AW${type}-${config.lines[0]!.ratedCurrent}`,
    fw: core.firmware,
    hw: 'B',
    proto: 1,
    imei: `86012304${digits.slice(0, 7)}`,
    imsi: `460001${digits}`,
    iccid: `89860012345${digits}`,
    lines: config.lines.map((line) => ({
      n: line.n,
      in: line.ratedCurrent,
      poles: linePhases(line, type).length === 3 ? 4 : 2,
      ctl: line.switchable,
    })),
    caps: [
      ...capabilities(
        type,
        config.lines.some((line) => line.switchable),
      ),
      ...(config.lines.some((line) => line.switchable) ? ['timer16'] : []),
    ],
  });

  const stepLine = (line: Line, seconds: number, at: number): boolean => {
    const { n } = line.config;
    const fault = faultsOf(line);
    line.model.step(environment.surroundings, line.conducting, fault);
    flowEnergy(core, line, seconds);
    observe(core, line, seconds, at);
    const view = lineView(core, line, environment, rssi, fault);
    const breaking = type === 3 || type === 4 || type === 7;
    const curve = String(line.parameters['oc_curve'] ?? 'dt') as TripCurve;
    const cause =
      breaking && line.conducting
        ? line.trips.judge(view, seconds, (protection) => core.enables[protection] === true, curve)
        : null;
    const snap = () => snapshot(core, line, environment.hertz);
    const act = (code: number) => (code === cause || (code === 701 && cause) ? 'trip' : 'none');
    // The alarm is evaluated before the contacts open, because it must contain the values that caused it.
    let changed = line.alarms.judge(view, seconds, at, act, snap, cause);
    if (cause !== null && line.trip === 0) {
      if (fault.contact === 'stuck') line.trip = cause;
      else tripLine(core, line, cause);
      changed =
        line.alarms.judge(lineView(core, line, environment, rssi, fault), 0, at, act, snap) || changed;
    }
    if (line.config.switchable) stepReclose(core, line, seconds);
    if (line.quota.reached && core.enables['quota_en'] && line.position === 1) move(core, line, 0, 'quota');
    if (n === config.lines[0]!.n)
      changed = core.alarms.judge(view, seconds, at, () => 'none', snap) || changed;
    return changed;
  };

  const runTimers = () => {
    if (!core.enables['timer_en'] || core.timers.length === 0) return false;
    let moved = false;
    for (const timer of wheel.due(core.timers, wallTime(deviceTime(), core.zone))) {
      const line = lineNumbered(core, timer.n);
      const target = timer.action === 'close' ? 1 : 0;
      if (timer.type === 'once') {
        core.timers = core.timers.map((each) => (each === timer ? { ...each, en: 0 } : each));
        core.rev++;
        core.sendConfig();
      }
      if (!line || line.operation || whyNotMove(core, line, target) || faults.contact === 'stuck') continue;
      moved = moved || line.position !== target;
      move(core, line, target, 'timer');
    }
    return moved;
  };

  const operateByHand = () => {
    const count = faults.manualOperations ?? 0;
    if (count <= manualSeen) {
      manualSeen = count;
      return false;
    }
    manualSeen = count;
    const line = lineNumbered(core, faults.line ?? config.lines[0]!.n);
    if (!line || isLocked(core) || (line.trip !== 0 && line.position === 0)) return false;
    move(core, line, line.position === 1 ? 0 : 1, 'manual');
    return true;
  };

  core.settle();
  core.settle();

  return {
    number,
    config,
    core,
    /** Advances the device to the clock's time: physics, protection, timers and reports. */
    step() {
      const now = clock.now();
      // After the process slept, the simulation continues from that time instead of jumping to the present.
      const seconds = Math.min((now - lastStep) / 1000, longestStepSeconds);
      if (seconds <= 0) return;
      lastStep = now;
      const at = deviceTime();
      environment.around(seconds, faults, core.zone, now);
      if (natural && own.chance((seconds * 1000) / day / 500)) {
        core.lines[0]!.energy = 0;
        core.touch();
      }
      let changed = operateByHand();
      for (const line of core.lines) changed = stepLine(line, seconds, at) || changed;
      changed = runTimers() || changed;
      if (changed) {
        dirty = true;
        reporter.hurry(now);
      }
      if (changed || reporter.isDue(core, now)) core.sendTelemetry();
    },
    receive(topic: DownTopic, payload: string) {
      let value: unknown;
      try {
        value = JSON.parse(payload);
      } catch {
        return;
      }
      if (topic === 'cmd') commands.receive(value);
      else if (topic === 'cfg/set') settings.receive(value);
      else {
        const mark = value as Partial<HwmMessage> | null;
        if (Number.isInteger(mark?.boot) && Number.isInteger(mark?.seq)) outbox.mark(mark!.boot!, mark!.seq!);
      }
    },
    /** The last will of the next connection. */
    will: (): PresenceMessage => ({ v: 1, on: false, boot, why: 'lwt' }),
    connected(way: Send): void {
      send = way;
      const presence: PresenceMessage = {
        v: 1,
        on: true,
        boot,
        t: deviceTime(),
        rssi: Math.round(rssi),
        why: 'connect',
      };
      retain('presence', presence);
      core.sendInfo();
      core.sendConfig();
      outbox.connected(way);
      for (const payload of unsentOta.splice(0))
        void way({ topic: topicOf(number, 'ota'), payload, retain: false, kept: false });
      core.sendTelemetry();
    },
    disconnected(): void {
      send = null;
      outbox.disconnected();
    },
    /** The listener is called when the device restarts: its connection ends and a new one follows. */
    onRestart(listener: (why: string) => void): void {
      restarting = listener;
    },
    setFaults(next: Faults): void {
      if (next.answers !== 'lying') lied = false;
      if (faults.contact === 'welded' && next.contact !== 'welded')
        for (const line of core.lines) line.conducting = line.position === 1;
      faults = next;
      core.faults = next;
    },
    setSignal(dbm: number): void {
      rssi = dbm;
    },
    buffered: () => outbox.size(),
    /** Whether there are changes since the last call that should be written to flash. */
    takeDirty(): boolean {
      const was = dirty;
      dirty = false;
      return was;
    },
    flash: (): Flash => ({
      boot,
      lastNumber: core.lastNumber,
      rev: core.rev,
      firmware: core.firmware,
      zone: core.zone,
      parameters: core.parameters,
      enables: core.enables,
      timers: core.timers,
      custom: core.custom,
      answers: commands.remembered(),
      unsent: outbox.unconfirmed().slice(-500),
      lines: core.lines.map((line) => ({
        n: line.config.n,
        parameters: line.parameters,
        position: line.position,
        trip: line.trip,
        energy: line.energy,
        arcTotal: line.arcTotal,
        shortCircuits: line.shortCircuits,
        alarms: line.alarms.remembered(),
      })),
      alarms: core.alarms.remembered(),
    }),
  };
};
export type Device = ReturnType<typeof createDevice>;
