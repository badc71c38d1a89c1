import type { CfgSetMessage, DeviceTimer } from '#contract/telemetry.ts';
import type { Core } from './core.ts';
import { areParametersOrdered, enableDefaults, isParameterValid, type ParameterSet } from './parameters.ts';
import { isTimer, isZone, timerLimit } from './timers.ts';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Change {
  lines: Map<number, ParameterSet>;
  device: ParameterSet;
  custom?: unknown;
  enables: Record<string, boolean>;
  timers: DeviceTimer[] | null;
  zone: string | number | null;
}
const refusedKey = (place: string, key: string) => `${place}.${key}`;

/** Parses the whole request before anything is changed; a string names the error. */
const readChange = (core: Core, wish: CfgSetMessage): Change | string => {
  const change: Change = {
    lines: new Map(),
    device: { ...core.parameters },
    enables: {},
    timers: null,
    zone: null,
  };
  for (const [place, values] of Object.entries(wish.p ?? {})) {
    if (!isRecord(values)) return place;
    const line = core.lines.find((each) => String(each.config.n) === place);
    if (place !== 'dev' && !line) return place;
    const target = line ? { ...line.parameters } : change.device;
    for (const [key, value] of Object.entries(values)) {
      if (!line && key === 'x') {
        if (!isRecord(value)) return refusedKey(place, key);
        change.custom = value;
        continue;
      }
      if (!isParameterValid(key, value, line ? 'line' : 'dev', core.config.type))
        return refusedKey(place, key);
      target[key] = value;
    }
    if (!areParametersOrdered(target)) return place;
    if (line) change.lines.set(line.config.n, target);
  }
  for (const [key, value] of Object.entries(wish.en ?? {})) {
    if (!Object.hasOwn(enableDefaults, key) || typeof value !== 'boolean') return refusedKey('en', key);
    // The padlock is operated by hand, not by remote control.
    if (key === 'local_lock' && value !== core.enables['local_lock']) return refusedKey('en', key);
    change.enables[key] = value;
  }
  if (wish.timers !== undefined) {
    const numbers = new Set(core.lines.filter((line) => line.config.switchable).map((line) => line.config.n));
    if (!Array.isArray(wish.timers) || wish.timers.length > timerLimit) return 'timers';
    if (new Set(wish.timers.map((timer) => timer?.i)).size !== wish.timers.length) return 'timers';
    for (const timer of wish.timers)
      if (!isRecord(timer) || !isTimer(timer, numbers)) return `timers.${timer?.i}`;
    change.timers = wish.timers;
  }
  if (wish.tz !== undefined) {
    if (typeof wish.tz !== 'string' || !isZone(wish.tz)) return 'tz';
    change.zone = wish.tz;
  } else if (wish.utcoff !== undefined) {
    if (!Number.isInteger(wish.utcoff) || Math.abs(wish.utcoff) > 840) return 'utcoff';
    change.zone = wish.utcoff;
  }
  return change;
};

/** Applies a request completely or not at all; `base` must be the current revision. */
export const createSettings = (core: Core, timersChanged: () => void) => {
  const answered = new Map<string, { st: 'applied' | 'conflict' | 'rejected'; why?: string }>();
  const reply = (id: string, st: 'applied' | 'conflict' | 'rejected', why?: string) => {
    const answer = { st, ...(why ? { why } : {}) };
    answered.set(id, answer);
    if (answered.size > 32) answered.delete(answered.keys().next().value!);
    core.touch();
    core.sendConfig({ id, ...answer });
  };
  return {
    receive(value: unknown) {
      if (core.faults.answers === 'silent' || !isRecord(value)) return;
      const wish = value as unknown as CfgSetMessage;
      if (typeof wish.id !== 'string') return;
      const before = answered.get(wish.id);
      if (before) return core.sendConfig({ id: wish.id, ...before });
      if (typeof wish.exp !== 'number' || core.now() > wish.exp) return reply(wish.id, 'rejected', 'expired');
      if (wish.base !== core.rev) return reply(wish.id, 'conflict');
      const change = readChange(core, wish);
      if (typeof change === 'string') return reply(wish.id, 'rejected', `bad_param ${change}`);
      for (const line of core.lines) line.parameters = change.lines.get(line.config.n) ?? line.parameters;
      core.parameters = change.device;
      if (change.custom !== undefined) core.custom = change.custom;
      core.enables = { ...core.enables, ...change.enables };
      if (change.zone !== null) core.zone = change.zone;
      if (change.timers) {
        core.timers = change.timers;
        timersChanged();
      }
      core.rev++;
      reply(wish.id, 'applied');
    },
  };
};
