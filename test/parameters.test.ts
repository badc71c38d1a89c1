import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alarmCatalogue, judgedKeysOf } from '#contract/alarm-catalogue.ts';
import { languages } from '#contract/languages.ts';
import { parameterNames } from '#contract/parameter-names.ts';
import {
  brokenPair,
  enables,
  flawOf,
  parameterOf,
  parameters,
  parametersOf,
  serverParameters,
} from '#contract/parameters.ts';
import { deviceTypes } from '#contract/telemetry.ts';
import {
  areParametersOrdered,
  parameterCatalogue as built,
  enableDefaults,
  isParameterValid,
} from '#simulator/parameters.ts';

const type = fc.constantFrom(...deviceTypes);
const key = fc.constantFrom(...parameters.map((each) => each.key), 'nonsense', 'constructor');
const value = fc.oneof(
  fc.integer({ min: -10, max: 700 }),
  fc.double({ noNaN: false }),
  fc.constantFrom('dt', 'iec_vi', 'x', null, true, 0, 0.85, 600_000),
);

describe('the parameter catalogue', () => {
  it('the parameter catalogue has exactly the parameters of devices', () => {
    expect(parameters.map((each) => each.key).sort()).toEqual(Object.keys(built).sort());
    expect(Object.fromEntries(enables.map((each) => [each.key, each.fallback]))).toEqual(enableDefaults);
  });
  it('the parameter catalogue gives limits of unbalance and neutral current to types that have them, and no voltage below 110 V', () => {
    for (const key of ['unb_u', 'unb_i', 'in_n']) expect(parameterOf(key)!.types).toEqual([2, 4, 6]);
    expect(flawOf('un', 109, 4)).toBe('range');
    expect(flawOf('un', 110, 4)).toBeNull();
  });
  it('the parameter catalogue accepts only values that a device accepts', () => {
    fc.assert(
      fc.property(key, value, type, (key, value, type) => {
        if (flawOf(key, value, type) !== null) return;
        const scope = parameterOf(key)!.of === 'line' ? 'line' : 'dev';
        expect(isParameterValid(key, value, scope, type)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });
  it('the parameter catalogue accepts every value that a device accepts, except values between the steps of a parameter', () => {
    fc.assert(
      fc.property(
        key,
        value,
        type,
        fc.constantFrom('line' as const, 'dev' as const),
        (key, value, type, scope) => {
          if (!isParameterValid(key, value, scope, type)) return;
          expect([null, 'step']).toContain(flawOf(key, value, type));
        },
      ),
      { numRuns: 5000 },
    );
  });
  it('the parameter catalogue requires an order of limits exactly where devices do, and also of power limits', () => {
    fc.assert(
      fc.property(fc.dictionary(key, fc.integer({ min: 1, max: 400 })), (values) => {
        const { op_w: _, op_a: __, ...rest } = values;
        expect(brokenPair(rest) === null).toBe(areParametersOrdered(rest));
      }),
    );
    expect(brokenPair({ op_w: 5000, op_a: 0 })).toBeNull();
    expect(brokenPair({ op_w: 5000, op_a: 4000 })).toEqual(['op_w', 'op_a']);
  });
  it('the parameter catalogue has default values in the right order', () => {
    for (const type of deviceTypes)
      for (const of of ['line', 'device'] as const)
        for (const nominalVoltage of [110, 220, 230, 240]) {
          const rating = {
            type,
            nominalVoltage,
            ratedCurrent: 63,
            poles: [2, 4, 6, 7].includes(type) ? 3 : 1,
          };
          const values = Object.fromEntries(
            parametersOf(type, of).map((each) => [each.key, each.fallback(rating)]),
          );
          for (const [key, value] of Object.entries(values)) expect(flawOf(key, value, type), key).toBeNull();
          expect(brokenPair(values)).toBeNull();
        }
  });
  it('the parameter catalogue has each parameter that sets a limit, a deadband or a delay of an alarm type', () => {
    const keys = new Set(alarmCatalogue.flatMap(judgedKeysOf));
    expect([...keys].filter((key) => parameterOf(key) === undefined)).toEqual([]);
  });
  it('the parameter catalogue has names in every language', () => {
    for (const { key } of [...parameters, ...serverParameters, ...enables])
      for (const language of languages) expect(parameterNames[key]?.[language], key).toMatch(/\S/);
  });
});
