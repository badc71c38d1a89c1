import { describe, expect, it } from 'vitest';
import { channelSpan, deviceTypes, lineChannels, registerLimits } from '#contract/telemetry.ts';
import { scenes } from './scenes.ts';
import { workbench } from './workbench.ts';

/** Codes that only the server can raise, because they concern what the server receives. */
const serverCodes = [703, 704, 801, 803];
/** These scenes need a parameter or a radio that this test does not provide. */
const prepared = ['recloseLockout', 'weakNet'];

describe('scenes', () => {
  const cases = scenes
    .filter(
      (scene) => scene.codes.some((code) => !serverCodes.includes(code)) && !prepared.includes(scene.id),
    )
    .flatMap((scene) => scene.types.map((type) => ({ id: scene.id, type, scene })));
  it.each(cases)('$id on type $type raises an expected alarm in time and no other', ({ scene, type }) => {
    const bench = workbench(type);
    bench.connect();
    bench.run(30);
    const before = bench.alarms().length;
    const limit = scene.firstAlarmSeconds! * 1.5 + 65;
    const first = bench.play(scene.id, limit, undefined, () => bench.alarms().length > before);
    expect(scene.codes).toContain(bench.alarms()[before]?.code);
    if (process.env['SCENE_TIMES']) console.log(scene.id, type, bench.alarms()[before]!.code, first);
  });

  it.each(deviceTypes)(
    'a sound device of type %d stays without alarms for a week and within the ranges',
    (type) => {
      const bench = workbench(type, { config: { tele_s: 600 } });
      bench.connect();
      for (let day = 0; day < 7; day++)
        for (let i = 0; i < 8640; i++) {
          bench.clock.advance(10_000);
          bench.device.step();
        }
      expect(bench.alarms()).toEqual([]);
      const outside: string[] = [];
      const ranges = (node: unknown, path: string[]): void => {
        if (typeof node === 'object' && node !== null)
          for (const [key, value] of Object.entries(node)) ranges(value, [...path, key]);
        else {
          const quantity = path[0] === 'in' || path[0] === 'out' ? path[1]! : path[0]!;
          const range = quantity === 'E' ? registerLimits : channelSpan[quantity];
          if (!range) return;
          const known = quantity === 'E' || lineChannels[type].includes(path.join('.'));
          if (!known || typeof node !== 'number' || !(node >= range[0] && node <= range[1]))
            outside.push(`${path.join('.')} ${node}`);
        }
      };
      for (const tele of bench.tele())
        for (const { n: _, sw: __, trip: ___, lock: ____, ...line } of tele.ln) ranges(line, []);
      expect(outside).toEqual([]);
    },
  );

  it('a slow loose joint causes a warning, an alarm and a trip in the order of the table, and no rate-of-rise alarm', () => {
    const bench = workbench(3);
    bench.connect();
    bench.run(30);
    bench.play('looseJointSlow', 2 * 3600, 1, () => bench.line().trip !== 0);
    const codes = bench.alarms().map(({ code, lvl }) => `${code}/${lvl}`);
    expect(codes).toEqual(['402/1', '402/2', '701/2']);
  });

  it('an overload opens the line by its trip curve after 324 s', () => {
    const bench = workbench(3);
    bench.connect();
    bench.run(30);
    const seconds = bench.play('overload', 400, 1, () => bench.line().trip !== 0);
    expect(Math.abs(seconds - 324)).toBeLessThanOrEqual(2);
    expect(bench.alarms().map(({ code }) => code)).toEqual([202, 201, 701]);
    expect(bench.positions()).toMatchObject([{ sw: 0, by: 'trip', code: 201 }]);
    bench.run(1);
    expect(bench.lastTele().ln[0]).toMatchObject({ sw: 0, trip: 201, I: { a: 0 } });
  });

  it('a lost phase is reported as a lost phase, not as undervoltage', () => {
    const bench = workbench(6);
    bench.connect();
    bench.run(30);
    bench.play('phaseLoss', 60);
    expect(new Set(bench.alarms().map(({ code }) => code))).toEqual(new Set([103]));
    expect(bench.alarms()[0]).toMatchObject({ ph: 'b', st: 'raise', lvl: 2 });
  });

  it('recloses a limited number of times after overvoltage, then locks out', () => {
    const bench = workbench(3, { config: { enables: { auto_reclose: true } } });
    bench.connect();
    bench.run(30);
    bench.play('recloseLockout', 400);
    expect(bench.positions().filter(({ by }) => by === 'reclose')).toHaveLength(3);
    expect(bench.alarms().map(({ code }) => code)).toContain(702);
    expect(bench.line().position).toBe(0);
  });

  it('a simulated device never recloses after leakage', () => {
    const bench = workbench(3, { config: { enables: { auto_reclose: true } } });
    bench.connect();
    bench.run(30);
    bench.play('leakStep', 5);
    bench.device.setFaults({});
    bench.run(7200);
    expect(bench.positions().map(({ by }) => by)).toEqual(['trip']);
  });

  it('a weak network raises a signal warning', () => {
    const bench = workbench(3);
    bench.connect();
    bench.device.setSignal(-112);
    bench.run(905);
    expect(bench.alarms()).toMatchObject([{ code: 802, lvl: 2, n: 0 }]);
  });

  it('a broken sensor reports null, never 0', () => {
    const bench = workbench(5);
    bench.connect();
    bench.play('sensorBreak', 30);
    expect((bench.lastTele().ln[0]!['T'] as { l: unknown }).l).toBeNull();
  });
});
