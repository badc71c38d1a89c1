/**
 * What sees a move through the history before the router does: a window calls its listeners in the order in which they
 * came, so this one has to be there when the router comes.
 */
export const beforeRouter: { pop: ((event: PopStateEvent) => void) | null } = { pop: null };
window.addEventListener('popstate', (event) => beforeRouter.pop?.(event));
