const mostText = 2000;
const mostItems = 500;
const mostLevels = 10;
/** Characters of one row's parameters, names included. */
const mostInAll = 32_000;

interface Budget {
  left: number;
}

const logged = (value: unknown, budget: Budget, level: number): unknown => {
  if (typeof value === 'string') {
    const most = Math.max(0, Math.min(mostText, budget.left));
    const kept = value.length > most ? `${value.slice(0, most).toWellFormed()}…` : value;
    budget.left -= kept.length + 3;
    return kept;
  }
  if (value === null || typeof value !== 'object' || 'toJSON' in value) {
    budget.left -= 20;
    return value;
  }
  if (level === mostLevels) return null;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value.slice(0, mostItems))
      if (budget.left > 0) items.push(logged(item, budget, level + 1));
    return items;
  }
  const fields: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value).slice(0, mostItems)) {
    if (/password|secret|token/i.test(key) || budget.left <= 0) continue;
    budget.left -= key.length + 4;
    fields.push([key, logged(inner, budget, level + 1)]);
  }
  return Object.fromEntries(fields);
};

/** The part of a call's body that the operation log keeps: no secrets at any depth, and a bounded size. */
export const loggedBody = (body: unknown, secret: readonly string[] = []): Record<string, unknown> =>
  body !== null && typeof body === 'object'
    ? (logged(
        Object.fromEntries(Object.entries(body).filter(([key]) => !secret.includes(key))),
        { left: mostInAll },
        0,
      ) as Record<string, unknown>)
    : {};
