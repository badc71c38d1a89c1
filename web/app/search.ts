/** Plain strings both ways: the router's own parser turns device numbers into numbers and loses digits. */
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
