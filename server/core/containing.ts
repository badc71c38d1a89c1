const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** A LIKE pattern that finds the text anywhere, its own wildcards taken literally. */
export const containing = (text: string): string => `%${literal(text)}%`;

/** The same for what begins with the text, so that an index serves it. */
export const beginningWith = (text: string): string => `${literal(text)}%`;
