import * as z from 'zod';
import { listShape, optionalNumber, optionalOf, optionalText } from '#web/parts/url-state.ts';

/** Address fields of the user list. */
export const userSearch = z.object({
  ...listShape,
  sort: optionalOf(['username', '-username', 'nickname', '-nickname', 'created_at', '-created_at']),
  search: optionalText,
  role_id: optionalNumber,
  status: optionalOf(['enabled', 'disabled']),
  project_id: optionalNumber,
  region_id: optionalNumber,
  /** The user whose sessions are shown. */
  sessions: optionalNumber,
});
