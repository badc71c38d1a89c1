import { parseArgs } from 'node:util';
import { type DeviceType, deviceNumberPattern, deviceTypes, switchingTypes } from '#contract/telemetry.ts';
import type { DeviceConfig, LineConfig } from './model.ts';
import { type LoadProfile, loadProfiles } from './physics/load.ts';

interface CliArguments {
  url: string;
  seed: string;
  devices: DeviceConfig[];
  scene: string | null;
  speed: number | null;
  line: number | null;
  list: boolean;
  natural: boolean;
}
export const usage = `Usage: npm run simulate -- --url mqtt://127.0.0.1:1883 --device NUMBER:SECRET:TYPE[:LINES] [--device …]
  --scene ID      play a scene on every device it fits; --list names them
  --speed N       stronger or quicker cause (default: the scene's own demonstration speed)
  --line N        the line the scene acts on (default: the first)
  --profile NAME  ${loadProfiles.join(', ')} (default office)
  --interval S    upload interval in seconds (default 15)
  --seed TEXT     same seed, same course (default 1)
  --natural       weather, lost sessions and wrong clocks as in the field`;

/** A device of a type as it is usually built. */
export const typicalDevice = (
  number: string,
  secret: string,
  type: DeviceType,
  lineCount: number,
  profile: LoadProfile,
  interval: number,
): DeviceConfig => {
  const three = type === 2 || type === 4 || type === 6 || type === 7;
  const ratedCurrent = three ? 63 : 40;
  const kilowatts = (three ? 3 : 1) * 0.22 * ratedCurrent * 0.45;
  const lines: LineConfig[] = Array.from({ length: lineCount }, (_, i) => ({
    n: i + 1,
    ratedCurrent,
    switchable: switchingTypes.includes(type),
    load: kilowatts,
    profile,
  }));
  return { number, secret, type, lines, nominalVoltage: 220, projectKey: 'cli', tele_s: interval };
};

/** Throws with a sentence about the first invalid argument. */
export const readArguments = (argv: readonly string[]): CliArguments => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      url: { type: 'string', default: 'mqtt://127.0.0.1:1883' },
      device: { type: 'string', multiple: true, default: [] },
      scene: { type: 'string' },
      speed: { type: 'string' },
      line: { type: 'string' },
      profile: { type: 'string', default: 'office' },
      interval: { type: 'string', default: '15' },
      seed: { type: 'string', default: '1' },
      natural: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
    },
  });
  const profile = loadProfiles.find((each) => each === values.profile);
  if (!profile) throw new Error(`--profile is one of ${loadProfiles.join(', ')}.`);
  const positive = (name: string, text: string) => {
    const value = Number(text);
    if (!(value > 0)) throw new Error(`--${name} is a number above 0.`);
    return value;
  };
  const interval = positive('interval', values.interval);
  const devices = values.device.map((text) => {
    const [number = '', secret = '', typeText = '', linesText = '1'] = text.split(':');
    const type = deviceTypes.find((each) => String(each) === typeText);
    const lineCount = Number(linesText);
    if (!deviceNumberPattern.test(number) || secret === '' || !type)
      throw new Error(
        `--device is NUMBER:SECRET:TYPE[:LINES] with a type from 1 to 7, not "${number}:…:${typeText}".`,
      );
    if (!Number.isInteger(lineCount) || lineCount < 1 || lineCount > 8)
      throw new Error('A device has 1 to 8 lines.');
    return typicalDevice(number, secret, type, lineCount, profile, interval);
  });
  return {
    url: values.url,
    seed: values.seed,
    devices,
    scene: values.scene ?? null,
    speed: values.speed === undefined ? null : positive('speed', values.speed),
    line: values.line === undefined ? null : positive('line', values.line),
    list: values.list,
    natural: values.natural,
  };
};
