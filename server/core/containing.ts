const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** A LIKE pattern that finds the text anywhere and treats its wildcards as plain characters. */
export const containing = (text: string): string => `%${literal(text)}%`;

/** A LIKE pattern for values that begin with the text, so that an index can be used. */
export const beginningWith = (text: string): string => `${literal(text)}%`;
