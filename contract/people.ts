import * as z from 'zod';
import { limits } from './limits.ts';

const hanName = /^[\p{Script=Han}·]+$/u;

/** A person's name: 2 to 7 characters in Chinese, 2 to 60 in other scripts, whose names have more letters. */
export const isPersonName = (name: string): boolean => {
  const { min, max } = hanName.test(name) ? limits.realName : limits.otherName;
  const length = [...name].length;
  return length >= min && length <= max;
};

/** A phone number as stored, without the spaces, brackets, hyphens, dots and leading + that people write. */
export const plainPhone = (phone: string): string => phone.replace(/[\s().\-‐-―]/g, '').replace(/^\+/, '');
/**
 * `eleven`: 11 digits, like Chinese mobile numbers and Russian ones with their 7; `e164`: numbers of any
 * country.
 */
export const phoneFormats = ['eleven', 'e164'] as const;
type PhoneFormat = (typeof phoneFormats)[number];
const digitsOf = {
  eleven: { min: limits.phoneDigits, max: limits.phoneDigits },
  e164: limits.phoneDigitsE164,
} as const;
let format: PhoneFormat = 'eleven';
/**
 * Runs a check under a format of phone numbers. The check is synchronous, so no other check sees the format.
 */
export const withPhoneFormat = <Checked>(wanted: PhoneFormat, check: () => Checked): Checked => {
  const before = format;
  format = wanted;
  try {
    return check();
  } finally {
    format = before;
  }
};
export const isPhone = (phone: string): boolean => {
  const plain = plainPhone(phone);
  return /^\d+$/.test(plain) && plain.length >= digitsOf[format].min && plain.length <= digitsOf[format].max;
};
/** The sentence for an invalid number in the current format. */
export const phoneFlaw = (): 'phone.digits' | 'phone.international' =>
  format === 'e164' ? 'phone.international' : 'phone.digits';

export const personName = z.string().trim().refine(isPersonName, { error: 'name.real' });
export const phoneNumber = z.string().refine(isPhone, { error: phoneFlaw }).transform(plainPhone);
/** A number, or nothing if none is required. */
const phoneOrNothing = z
  .string()
  .trim()
  .refine((phone) => phone === '' || isPhone(phone), { error: phoneFlaw })
  .transform(plainPhone);
/** 'Contact number cannot be empty' (specification §5). */
export const contactNumber = z
  .string({ error: 'user.mobile' })
  .trim()
  .min(1, 'user.mobile')
  .pipe(phoneOrNothing);
