/**
 * Calls of the specification (§7) whose feature is not built yet: published, but not bound. A feature that
 * binds one removes it from this list; a test checks that list and bound endpoints together are exactly §7.
 */
export const unbound: readonly string[] = [];
