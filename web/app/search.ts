/**
 * Plain strings in both directions: the router's own parser would turn device numbers into numbers and lose
 * digits.
 */
export const parseSearch = (search: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(search));

export const stringifySearch = (search: Record<string, unknown>): string => {
  const given = Object.entries(search).flatMap(([key, value]) =>
    value === undefined || value === null || value === ''
      ? []
      : [[key, `${value as string | number | boolean}`]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
};
