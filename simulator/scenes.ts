import type { DeviceType } from '#contract/telemetry.ts';
import type { Faults } from './model.ts';
import { starPointShift } from './physics/electrical.ts';

export interface SceneOptions {
  line?: number;
  /** 1 is as fast as in the field; a higher value makes the cause stronger or faster, never the device's clock. */
  speed?: number;
  /** The scene ends by itself after this many seconds. */
  seconds?: number;
}
export interface Scene {
  id: string;
  types: readonly DeviceType[];
  /** Expected codes of the device and of the server. */
  codes: readonly number[];
  /** Typical seconds to the first alarm at `demoSpeed`; null if no alarm is expected. */
  firstAlarmSeconds: number | null;
  /** The speed for a demonstration. */
  demoSpeed: number;
  /** 'project': all devices of the project take part. */
  scope: 'device' | 'project';
  /** Seconds after which the scene ends by itself. */
  seconds?: number;
  needs?: 'switchable' | 'threePhase';
  faults(elapsed: number, speed: number, site: { feeder: boolean }): Faults;
}
const all: readonly DeviceType[] = [1, 2, 3, 4, 5, 6, 7];
const switching: readonly DeviceType[] = [3, 4, 7];
const threePhase: readonly DeviceType[] = [2, 4, 6, 7];

const scene = (
  id: string,
  types: readonly DeviceType[],
  codes: readonly number[],
  firstAlarmSeconds: number | null,
  faults: Scene['faults'],
  more: Partial<Scene> = {},
): Scene => ({ id, types, codes, firstAlarmSeconds, faults, demoSpeed: 1, scope: 'device', ...more });
const three = { needs: 'threePhase' } as const;
const switchable = { needs: 'switchable' } as const;

/** Source: the scenario table of domain reference §7, and the behaviour of dishonest devices and networks. */
export const scenes: readonly Scene[] = [
  // Load and heat
  scene(
    'overload',
    all,
    [201, 202, 402, 404, 701],
    60,
    (_, speed) => ({ currentRatio: Math.min(4.5, 1 + 0.25 * speed) }),
    {
      demoSpeed: 4,
    },
  ),
  scene('shortCircuit', switching, [205, 701], 1, () => ({ currentRatio: 8 }), { seconds: 3, ...switchable }),
  scene('tripLatched', switching, [205, 701], 1, () => ({ currentRatio: 6 }), { seconds: 3, ...switchable }),
  scene(
    'looseJointSlow',
    [1, 2, 3, 4, 7],
    [404, 402, 701],
    240,
    (_, speed) => ({ currentRatio: 0.6, looseRate: (7 / 7200) * speed }),
    {
      demoSpeed: 40,
    },
  ),
  scene(
    'looseJointFast',
    [1, 2, 3, 4, 7],
    [404, 402, 701],
    180,
    (_, speed) => ({ currentRatio: 0.8, looseRate: (7 / 600) * speed }),
    {
      demoSpeed: 4,
    },
  ),
  scene('cableHeat', all, [401], 100, (_, speed) => ({ heat: Math.min(600, 60 * speed) }), { demoSpeed: 10 }),
  scene('caseHeat', all, [403], 150, (_, speed) => ({ caseHeat: Math.min(900, 60 * speed) }), {
    demoSpeed: 15,
  }),
  scene('heater', [3], [207], 5, () => ({ heater: 2000, powerFactor: 0.995, thirdHarmonic: 0.02 })),
  scene('currentUnbalance', [2, 4, 6], [204, 203], 600, () => ({ currentRatio: 0.4, skew: 0.7 }), three),
  scene('lowPowerFactor', [2, 4], [206], 900, () => ({ currentRatio: 0.4, powerFactor: 0.7 }), three),
  scene(
    'neutralOverload',
    [2, 4, 7],
    [204, 603],
    60,
    () => ({ currentRatio: 0.7, thirdHarmonic: 0.75, filterHealth: 0.2 }),
    three,
  ),
  // Insulation and arcs
  scene(
    'leakGrowth',
    all,
    [301, 302, 701],
    80,
    (elapsed, speed, { feeder }) => ({
      insulation: Math.max(1e-4, (feeder ? 1 : 0.06) * 0.5 ** ((elapsed * speed) / 1800)),
    }),
    { demoSpeed: 60 },
  ),
  scene('leakStep', all, [301, 302, 701], 5, (_, __, { feeder }) => ({ leakStep: feeder ? 400 : 45 })),
  scene('seriesArc', [5, 6, 7], [501, 701], 1, (elapsed) => ({
    currentRatio: 0.5,
    ...(elapsed % 30 < 3 ? { arcRate: 30 } : {}),
  })),
  scene(
    'parallelArc',
    [5, 6, 7],
    [502, 205, 701],
    1,
    () => ({ parallelArc: { amperes: 150, halfCycles: 8 } }),
    { seconds: 2 },
  ),
  scene('selftestFail', [3, 4, 5, 6], [303, 503], 1, () => ({ selftestFails: true })),
  // Supply
  scene('undervoltage', all, [102], 5, () => ({ supplyFactor: 0.78 })),
  scene('overvoltage', all, [101, 701], 5, (_, speed) => ({ supplyFactor: speed > 1 ? 1.32 : 1.22 })),
  scene('phaseLoss', threePhase, [103, 701], 2, () => ({ phaseFactors: [1, 0.4, 1] }), three),
  scene('neutralBreak', threePhase, [104, 701], 1, () => ({ phaseFactors: starPointShift(0.25) }), three),
  scene('voltageUnbalance', [2, 4, 6], [105], 600, () => ({ phaseFactors: [1, 0.945, 1.03] }), three),
  scene('frequency', all, [106], 60, () => ({ hertzOffset: 0.8 })),
  scene('sag', [1, 2, 4], [107], 1, (elapsed, speed) => ({
    dip: { count: 1 + Math.floor((elapsed * speed) / 60), factor: 0.55, seconds: 0.3 },
  })),
  scene('swell', [1, 2, 4], [108], 1, (elapsed, speed) => ({
    dip: { count: 1 + Math.floor((elapsed * speed) / 60), factor: 1.2, seconds: 0.3 },
  })),
  scene('phaseSequence', [2, 4, 6], [110], 5, () => ({ reversedSequence: true }), three),
  scene('outage', all, [109, 801], 1, (elapsed) => ({ supplyFactor: 0, offline: elapsed > 6 })),
  scene('siteOutage', all, [109, 801], 1, (elapsed) => ({ supplyFactor: 0, offline: elapsed > 6 }), {
    scope: 'project',
  }),
  scene(
    'recloseLockout',
    [3, 4],
    [101, 701, 702],
    5,
    (elapsed) => ({ supplyFactor: elapsed % 90 < 12 ? 1.32 : 1 }),
    switchable,
  ),
  // Filters
  scene('filterFault', [1, 2], [602, 603], 600, () => ({ currentRatio: 0.5, filterHealth: 0.2 })),
  scene('currentHarmonics', [1, 2], [204, 602, 603], 600, () => ({
    currentRatio: 0.5,
    filterHealth: 0.05,
    thirdHarmonic: 0.7,
  })),
  scene('voltageHarmonics', [1, 2], [601], 600, () => ({ currentRatio: 0.5, voltageDistortion: 9 })),
  // The device itself
  scene('sensorBreak', all, [805], 10, () => ({ brokenSensor: 'T.l' })),
  scene('internalFault', all, [804], 1, () => ({ internalFault: true })),
  scene('localLock', switching, [], null, () => ({ localLock: true }), switchable),
  scene('manualOperation', switching, [704], 2, () => ({ manualOperations: 1 }), switchable),
  // Dishonest devices
  scene('stuckContact', switching, [703], 15, () => ({ contact: 'stuck' }), switchable),
  scene('weldedPole', switching, [703], 15, () => ({ contact: 'welded' }), switchable),
  scene('lyingAck', switching, [], null, () => ({ answers: 'lying' }), switchable),
  scene('silent', all, [], null, () => ({ answers: 'silent' })),
  scene('wrongClock', all, [803], 300, () => ({ clockOffsetMs: -3 * 3_600_000 })),
  scene('malformed', all, [], null, () => ({ malformedShare: 0.5, burstSeconds: 2 })),
  // Dishonest networks
  scene('weakNet', all, [802, 801], 900, (_, speed) => ({
    signal: -112,
    flapping: { up: 600 / speed, down: 60 / speed },
  })),
  scene('flapping', all, [801], 30, () => ({ flapping: { up: 15, down: 10 } })),
  scene('silence', all, [801], 180, () => ({ offline: true })),
  scene('duplicates', all, [], null, () => ({ duplicateShare: 1, burstSeconds: 5 })),
  scene('reordered', all, [], null, () => ({ reorderShare: 0.5, burstSeconds: 2 })),
  scene('late', all, [], null, () => ({ lateMs: 20_000 })),
  scene(
    'replay',
    all,
    [801],
    180,
    (elapsed, speed) => ({ offline: elapsed * speed < 6 * 3600, burstSeconds: 5 }),
    { demoSpeed: 90 },
  ),
  scene('messageStorm', all, [], null, () => ({ burstSeconds: 1 })),
  scene('flood', all, [102], 5, () => ({ supplyFactor: 0.78 }), { scope: 'project', seconds: 120 }),
];

export const sceneById = (id: string): Scene | undefined => scenes.find((each) => each.id === id);
export const isSceneFor = (
  each: Scene,
  device: { type: DeviceType; threePhase: boolean; switchable: boolean },
): boolean =>
  each.types.includes(device.type) &&
  (each.needs !== 'threePhase' || device.threePhase) &&
  (each.needs !== 'switchable' || device.switchable);
