import { timerPermissions } from '#contract/permissions.ts';
import { useSignedIn } from '#web/api/session.ts';

/** The element that says why timers cannot be set now. */
export const refusalId = 'timers-refusal';

/** Whether the reader may add, change, enable and disable timers; to delete them, `timer.write` is enough. */
export const useMaySetTimers = (): boolean => {
  const { permissions } = useSignedIn();
  return timerPermissions.every((permission) => permissions.includes(permission));
};
