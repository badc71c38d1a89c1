import { expect, test } from 'vitest';
import { isPersonName, phoneNumber, withPhoneFormat } from './people.ts';

test.each([
  '王伟',
  '李小龙',
  '古丽·买买提',
  'Константин Константинопольский',
  'Ann Smith',
  'Li',
  '王 Wei-Ming Alexander',
])('accepts %s as a name', (name) => expect(isPersonName(name)).toBe(true));
test.each(['王', '一二三四五六七八', 'A', '', 'x'.repeat(61)])('refuses %j as a name', (name) =>
  expect(isPersonName(name)).toBe(false),
);
test.each([
  ['13800000000', '13800000000'],
  ['138 0000 0000', '13800000000'],
  ['138-0000-0000', '13800000000'],
  ['+7 (912) 345-67-89', '79123456789'],
  ['+1 212.555.0100', '12125550100'],
])('the phone number %s is stored as %s', (given, stored) => expect(phoneNumber.parse(given)).toBe(stored));
test.each(['1380000000', '+86 138 0000 0000', '1380000000a', '13800+000000', ''])(
  'refuses %j as a phone number',
  (given) => expect(phoneNumber.safeParse(given).success).toBe(false),
);

const flawOf = (given: string) => phoneNumber.safeParse(given).error?.issues[0]?.message ?? null;
test.each([
  ['+86 138 0000 0000', null],
  ['+44 20 7946 0958', null],
  ['12345678', null],
  ['123456789012345', null],
  ['1234567', 'phone.international'],
  ['1234567890123456', 'phone.international'],
  ['+44 20 79x6 0958', 'phone.international'],
])('if numbers of any country are allowed, %s gives the fault %s', (given, flaw) => {
  expect(withPhoneFormat('e164', () => flawOf(given))).toBe(flaw);
});
test('the phone number format applies to its own check only, even if that check throws', () => {
  const check = () => {
    throw new Error('over');
  };
  expect(() => withPhoneFormat('e164', check)).toThrow('over');
  expect(flawOf('+44 20 7946 0958')).toBe('phone.digits');
});
