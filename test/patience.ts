/**
 * How long a test waits for an expected state: much more than a busy machine needs; a passing test does not
 * use it.
 */
export const patienceMs = 60_000;

/**
 * How long the product may take to become ready; with a demo estate, about ten seconds on an idle machine.
 */
export const startPatienceMs = 4 * patienceMs;
