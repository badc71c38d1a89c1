/**
 * Calls of the specification (§7) whose feature is not built yet: part of the published interface, not bound.
 * A feature that binds one takes it off this list; a test holds that list and bound endpoints together are exactly §7.
 */
export const unbound: readonly string[] = [];
