/** How long a test looks for what must come: far more than a busy machine needs, and nothing where all is well. */
export const patienceMs = 60_000;
