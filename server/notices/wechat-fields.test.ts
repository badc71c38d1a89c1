import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type WechatAlarm, wechatData } from './wechat-fields.ts';

const alarm: WechatAlarm = {
  level: '报警',
  type: '剩余电流（漏电）超过整定值且持续报警',
  project: '深圳湾科技生态园十栋 A 座',
  device: '三层东侧配电箱 AW000123',
  lineN: 3,
  lineName: '照明回路 3',
  value: '60 mA',
  time: '2026-11-22 10:00:00',
  workOrder: 'W20261122000001',
  more: 0,
};

it('fills the fields of the template by their keys', () => {
  const fields = { level: 'phrase1', line: 'thing2', value: 'character_string3', time: 'time4' };
  expect(wechatData(fields, alarm)).toEqual({
    phrase1: { value: '报警' },
    thing2: { value: '照明回路 3' },
    character_string3: { value: '60 mA' },
    time4: { value: '2026-11-22 10:00:00' },
  });
});

it('shortens type and project, never level and line', () => {
  const data = wechatData({ alarm: 'thing1', place: 'thing2' }, alarm);
  expect(data['thing1']!.value).toBe('报警:剩余电流（漏电）超过整定值且持续…');
  expect(data['thing2']!.value).toBe('深圳湾科技生态园十栋 A… 照明回路 3');
});

it('a field stays within twenty characters and keeps level and line number for any names', () => {
  const text = fc.string({ maxLength: 60, unit: 'grapheme' });
  fc.assert(
    fc.property(text, text, text, text, fc.nat({ max: 99 }), (type, project, device, lineName, more) => {
      const data = wechatData(
        { alarm: 'thing1', place: 'thing2' },
        { ...alarm, level: 'Предупреждение', type, project, device, lineName, more },
      );
      const [first, second] = [data['thing1']!.value, data['thing2']!.value];
      expect([...first].length).toBeLessThanOrEqual(20);
      expect([...second].length).toBeLessThanOrEqual(20);
      expect(first.startsWith('Предупреждение')).toBe(true);
      if ([...lineName].length <= 20) expect(second).toContain(lineName);
      else expect(second).toContain('L3');
    }),
  );
});
