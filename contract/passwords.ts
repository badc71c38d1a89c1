import { limits } from './limits.ts';

export const passwordPolicies = ['classic', 'strong'] as const;
type PasswordPolicy = (typeof passwordPolicies)[number];

/**
 * The beginnings of most passwords in published leaks; a password that only adds digits or marks to one is as
 * common.
 */
const common = new Set(
  (
    'password passwort passw0rd p@ssw0rd p@ssword admin administrator welcome letmein iloveyou sunshine princess ' +
    'football baseball superman batman master monkey dragon shadow michael jennifer jordan michelle charlie ' +
    'trustno whatever freedom starwars computer internet samsung google changeme default secret qwerty qwertyui ' +
    'qwertyuiop qwertz azerty asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx qazwsxedc abc abcd abcdef abcdefg abcdefgh ' +
    'test guest user root love woaini woaini1314 wang zhang ampwatch parol privet marina natasha lubov ghbdtn'
  ).split(' '),
);
const runs = [
  '01234567890',
  '09876543210',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
];

const isCommon = (password: string, username: string): boolean => {
  const plain = password.toLowerCase();
  const word = plain.replace(/[\d\W_]+$/u, '').replace(/^[\d\W_]+/u, '');
  return (
    common.has(plain) ||
    common.has(word) ||
    new Set(plain).size < 4 ||
    runs.some((run) => run.includes(plain.slice(0, 8))) ||
    /^(.{1,4})\1+.{0,3}$/u.test(plain) ||
    (username.length >= 3 && plain.includes(username.toLowerCase())) ||
    /^\d{1,10}$/.test(plain)
  );
};

type PasswordFlaw = 'password.length' | 'password.addLength' | 'password.strongLength' | 'password.common';
/**
 * The fault of a new password under a policy; null: none. The specification allows a longer first password of
 * an account than its user may choose later.
 */
export const passwordFlaw = (
  policy: PasswordPolicy,
  password: string,
  username: string,
  use: 'change' | 'add' = 'change',
): PasswordFlaw | null => {
  if (policy === 'classic') {
    const { min, max } = use === 'add' ? limits.passwordAdd : limits.passwordChange;
    const fits = password.length >= min && password.length <= max;
    if (fits && /^(?=.*\d)(?=.*[A-Za-z])[\dA-Za-z]+$/.test(password)) return null;
    return use === 'add' ? 'password.addLength' : 'password.length';
  }
  const { min, max } = limits.passwordStrong;
  if ([...password].length < min || password.length > max) return 'password.strongLength';
  return isCommon(password, username) ? 'password.common' : null;
};
