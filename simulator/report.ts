import { type LineTelemetry, lineChannels, switchingTypes, type TeleMessage } from '#contract/telemetry.ts';
import { type Core, type Line, lockOf } from './core.ts';
import { harmonicOrders } from './physics/filter.ts';
import type { LineReadings, Port } from './physics/line.ts';

type Tree = { [key: string]: number | null | Tree };

const decimals: Record<string, number> = { U: 1, P: 1, Q: 1, PF: 3, F: 2, IL: 1, T: 1, HU: 1, HI: 1 };
const roundTo = (value: number, digits: number) => {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
};
const roundOf = (quantity: string, value: number) =>
  roundTo(value, decimals[quantity] ?? (quantity === 'I' ? (value > 100 ? 2 : 3) : 1));

const phaseIndex = (name: string) => name.charCodeAt(0) - 97;

const portValue = (port: Port, readings: LineReadings, quantity: string, at: string): number | undefined => {
  const k = phaseIndex(at);
  switch (quantity) {
    case 'U':
      return readings.volts[k];
    case 'I':
      return at === 'n' ? (readings.volts.length === 3 ? port.neutral : undefined) : port.current[k];
    case 'P':
      return at === 't' ? port.watts.reduce((sum, watts) => sum + watts, 0) : port.watts[k];
    case 'Q':
      return readings.vars;
    case 'PF':
      return port.powerFactor;
    case 'HU':
      return k < readings.volts.length ? port.voltageDistortion : undefined;
    case 'HI':
      return k < readings.volts.length ? port.distortion : undefined;
    default: {
      const order = harmonicOrders.findIndex((each) => `H${each}` === quantity);
      return order < 0 ? undefined : (port.harmonics[order] ?? 0) * 100;
    }
  }
};

const temperature = (readings: LineReadings, at: string, phases: boolean): number | undefined => {
  if (at === 'l') return readings.cable;
  if (at === 'm') return Math.max(...readings.terminals);
  if (phases) return at === 'n' ? readings.neutralTerminal : readings.terminals[phaseIndex(at)];
  return at === 'c' ? readings.case : undefined;
};

const channelValue = (core: Core, line: Line, hertz: number, key: string): number | null | undefined => {
  const { readings } = line.model;
  const parts = key.split('.');
  const raw = parts[0] === 'in' ? readings.raw : null;
  if (parts[0] === 'in' || parts[0] === 'out') parts.shift();
  const [quantity = '', at = ''] = parts;
  if (quantity === 'F') return hertz;
  if (quantity === 'IL') return readings.leakage;
  if (quantity === 'arc') return line.arcTotal;
  if (quantity === 'arcH') return line.arcMax;
  if (quantity === 'sc') return line.shortCircuits;
  if (quantity === 'T') {
    if (at === 'l' && core.faults.brokenSensor && line === core.lines[0]) return null;
    return temperature(readings, at, core.config.type === 4 || core.config.type >= 6);
  }
  return portValue(raw ?? readings.main, readings, quantity, at);
};

/** Channel paths, split once per type. */
const paths = (type: Core['config']['type']) =>
  lineChannels[type].map((key) => ({ key, path: key.split('.') }));
const pathCache = new Map<number, ReturnType<typeof paths>>();

const lineTree = (core: Core, line: Line, hertz: number): Tree => {
  const { type } = core.config;
  let wanted = pathCache.get(type);
  if (!wanted) {
    wanted = paths(type);
    pathCache.set(type, wanted);
  }
  const tree: Tree = {};
  for (const { key, path } of wanted) {
    const value = channelValue(core, line, hertz, key);
    if (value === undefined) continue;
    let node = tree;
    for (const step of path.slice(0, -1)) {
      node[step] ??= {};
      node = node[step] as Tree;
    }
    const side = path[0] === 'in' || path[0] === 'out' ? 1 : 0;
    node[path[path.length - 1]!] = value === null ? null : roundOf(path[side]!, value);
  }
  return tree;
};

export const energyRegisterEnd = 1_000_000;

/** The register has hundredths and is cut off, not rounded: it never exceeds the energy. */
const shownEnergy = (line: Line) => Math.floor(line.energy * 100 + 1e-6) / 100;

export const lineReport = (core: Core, line: Line, hertz: number): LineTelemetry => ({
  n: line.config.n,
  ...(line.config.switchable ? { sw: line.position } : {}),
  ...(switchingTypes.includes(core.config.type) || line.config.switchable ? { trip: line.trip } : {}),
  lock: lockOf(core),
  E: shownEnergy(line),
  ...lineTree(core, line, hertz),
});

export const deviceReport = (
  core: Core,
  around: { hertz: number; rssi: number; up: number },
): NonNullable<TeleMessage['dev']> => ({
  F: roundTo(around.hertz, 2),
  T: { c: roundTo(core.lines[0]!.model.readings.case, 1) },
  rssi: Math.round(around.rssi),
  up: Math.floor(around.up),
});

export const snapshot = (core: Core, line: Line, hertz: number): Record<string, unknown> => {
  const { F: _, ...tree } = lineTree(core, line, hertz);
  return tree;
};
