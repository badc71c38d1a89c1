/**
 * Handles a history change before the router does: a window calls its listeners in the order in which they
 * were added, so this one must exist before the router.
 */
export const beforeRouter: { pop: ((event: PopStateEvent) => void) | null } = { pop: null };
window.addEventListener('popstate', (event) => beforeRouter.pop?.(event));
