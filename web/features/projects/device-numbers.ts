import { deviceNumberPattern } from '#contract/telemetry.ts';

/** The numbers of a typed or pasted list, each once. */
export const numbersIn = (text: string): string[] => [
  ...new Set(text.split(/[\s,;，；、]+/).filter((part) => part !== '')),
];

/**
 * The device number in a scanned code: the code itself, or in an address the query field `number` or the last
 * path segment. Null: none.
 */
export const scannedNumber = (code: string): string | null => {
  const text = code.trim();
  if (deviceNumberPattern.test(text)) return text;
  if (!URL.canParse(text)) return null;
  const { searchParams, pathname } = new URL(text);
  const named = searchParams.get('number') ?? searchParams.get('sn') ?? pathname.split('/').at(-1) ?? '';
  return deviceNumberPattern.test(named) ? named : null;
};
