import * as z from 'zod';
import { listShape, optionalNumber, optionalOf } from '#web/parts/url-state.ts';

/** Fields of the address of the notice settings. */
export const noticeSearch = z.object({
  ...listShape,
  sort: optionalOf(['id', '-id']),
  channel: optionalOf(['app', 'wechat', 'webhook']),
  status: optionalOf(['enabled', 'disabled']),
  project_id: optionalNumber,
  /** The form of a new rule is shown. */
  add: optionalOf(['1']),
  /** The rule whose test is shown. */
  trial: optionalNumber,
});
