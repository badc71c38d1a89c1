/** How long a test looks for what must come: far more than a busy machine needs, and nothing where all is well. */
export const patienceMs = 60_000;

/** How long a process of the product may take until it is ready: with a demo estate, ten seconds where it is alone. */
export const startPatienceMs = 4 * patienceMs;
