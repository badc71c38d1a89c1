import { deviceNumberPattern } from '#contract/telemetry.ts';

/** The numbers of a typed or pasted list, each once. */
export const numbersIn = (text: string): string[] => [
  ...new Set(text.split(/[\s,;，；、]+/).filter((part) => part !== '')),
];

/**
 * The device number in a scanned code: the code itself, or of an address its query field `number` or its last step.
 * Null: there is none.
 */
export const scannedNumber = (code: string): string | null => {
  const text = code.trim();
  if (deviceNumberPattern.test(text)) return text;
  if (!URL.canParse(text)) return null;
  const { searchParams, pathname } = new URL(text);
  const named = searchParams.get('number') ?? searchParams.get('sn') ?? pathname.split('/').at(-1) ?? '';
  return deviceNumberPattern.test(named) ? named : null;
};
