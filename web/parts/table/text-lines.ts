const wide = /[\u2E80-\uFFEF]/u;
const broad = /[\p{Lu}шщжюмфыWMwm№@%&]/u;

/** Estimated width of a character in em, rather too large, because fonts differ. */
const widthOf = (character: string): number => {
  if (wide.test(character)) return 1;
  if (character === ' ') return 0.3;
  return broad.test(character) ? 0.85 : 0.6;
};
/** Where a line may be broken: after a space or a hyphen, and around each Han character. */
const pieces = /[\u2E80-\uFFEF]|[^\s\u2E80-\uFFEF-]*[\s-]+|[^\s\u2E80-\uFFEF-]+/gu;

/**
 * How many lines a text takes at most in a column of `room` em, of which `taken` are in use on the first line.
 * Only rows of lists that draw their visible rows alone need it: their height must be known before they are
 * drawn.
 */
export const textLines = (text: string, room: number, taken = 0): number => {
  let lines = 1;
  let used = taken;
  for (const piece of text.match(pieces) ?? []) {
    const widths = [...piece].map(widthOf);
    const whole = widths.reduce((sum, each) => sum + each, 0);
    if (used > 0 && used + whole > room) {
      lines += 1;
      used = 0;
    }
    for (const width of widths) {
      if (used + width > room) {
        lines += 1;
        used = 0;
      }
      used += width;
    }
  }
  return lines;
};
