const mostText = 2000;
const mostItems = 500;
const mostLevels = 10;
const logged = (value: unknown, level = 0): unknown => {
  if (typeof value === 'string')
    return value.length > mostText ? `${value.slice(0, mostText).toWellFormed()}…` : value;
  if (value === null || typeof value !== 'object' || 'toJSON' in value) return value;
  if (level === mostLevels) return null;
  if (Array.isArray(value)) return value.slice(0, mostItems).map((item) => logged(item, level + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !/password|secret|token/i.test(key))
      .slice(0, mostItems)
      .map(([key, inner]) => [key, logged(inner, level + 1)]),
  );
};
/** Of what a call was given, what its row in the log keeps: no secret however deep, and no more than a row can bear. */
export const loggedBody = (body: unknown, secret: readonly string[] = []): Record<string, unknown> =>
  body !== null && typeof body === 'object'
    ? (logged(Object.fromEntries(Object.entries(body).filter(([key]) => !secret.includes(key)))) as Record<
        string,
        unknown
      >)
    : {};
