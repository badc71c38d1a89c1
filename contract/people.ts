import * as z from 'zod';
import { limits } from './limits.ts';

const hanName = /^[\p{Script=Han}·]+$/u;

/** A person's name: 2 to 7 characters in Chinese, 2 to 60 in other scripts, which write a name with more letters. */
export const isPersonName = (name: string): boolean => {
  const { min, max } = hanName.test(name) ? limits.realName : limits.otherName;
  const length = [...name].length;
  return length >= min && length <= max;
};

/** A phone number as it is stored: spaces, brackets, hyphens, dots and a leading + are how people write it. */
export const plainPhone = (phone: string): string => phone.replace(/[\s().\-‐-―]/g, '').replace(/^\+/, '');
export const isPhone = (phone: string): boolean =>
  new RegExp(`^\\d{${limits.phoneDigits}}$`).test(plainPhone(phone));

export const personName = z.string().trim().refine(isPersonName, { error: 'name.real' });
export const phoneNumber = z.string().refine(isPhone, { error: 'phone.digits' }).transform(plainPhone);
