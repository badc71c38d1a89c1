import * as z from 'zod';
import { chosenDevice, endpoint, filter, id, integer } from './endpoint.ts';
import { letters, type Permission, permissions, timerPermissions } from './permissions.ts';

/** Acts that can be checked for a device, and the permissions that each act needs: all of them. */
export const accessActs = {
  see: ['device.read'],
  close: ['line.switch'],
  open: ['line.switch'],
  control: ['device.control'],
  configure: ['device.configure'],
  edit: ['device.write'],
  rename: ['line.rename'],
  tag: ['tag.write'],
  timer: timerPermissions,
  handle: ['alarm.handle'],
  unbind: ['device.bind'],
  delete: ['device.delete'],
} as const satisfies Record<string, readonly Permission[]>;
export type AccessAct = keyof typeof accessActs;
export const accessActNames = Object.keys(accessActs) as [AccessAct, ...AccessAct[]];

const act = z.enum(accessActNames);
/** How an account's scope reaches a device. */
const reach = z.enum(['everything', 'region', 'project', 'part', 'none']);
const person = z.object({
  user_id: z.int(),
  name: z.string(),
  username: z.string(),
  role_name: z.string(),
  reach,
});
export type AccessReach = z.output<typeof reach>;

/**
 * Why the line itself does not allow the act now; the same for every caller. Null: the act concerns no line,
 * or no line was named.
 */
const line = z.object({ allowed: z.boolean(), message: z.string().nullable() }).nullable();

export const accessEndpoints = {
  /**
   * Whether this user may do this on this device, with the reasons: account, role and letter, scope, and the
   * line's interlocks.
   */
  explain: endpoint({
    method: 'POST',
    path: '/user/explain_access',
    permission: 'user.read',
    body: z.strictObject({ user_id: id, device_id: chosenDevice, line_id: filter(id), act }),
    reply: z.object({
      allowed: z.boolean(),
      user: z.object({ user_id: z.int(), name: z.string(), username: z.string() }),
      device: z.object({ device_id: z.int(), number: z.string(), name: z.string(), project: z.string() }),
      /** The account is enabled, and so is its role. */
      account: z.object({ ok: z.boolean(), why: z.enum(['enabled', 'disabled', 'roleDisabled']) }),
      permission: z.object({
        ok: z.boolean(),
        role_name: z.string(),
        built_in: z.boolean(),
        /**
         * All of them are needed. `by`: letters of the role that grant it; `letters`: all letters that would.
         */
        needs: z.array(
          z.object({
            permission: z.enum(permissions),
            ok: z.boolean(),
            by: z.array(z.enum(letters)),
            letters: z.array(z.enum(letters)),
          }),
        ),
      }),
      scope: z.object({ ok: z.boolean(), reach, places: z.array(z.string()) }),
      line,
    }),
  }),
  /** Accounts that may do this on the device, among those that the caller manages. */
  who: endpoint({
    method: 'POST',
    path: '/user/who_may',
    permission: 'user.read',
    body: z.strictObject({
      device_id: chosenDevice,
      line_id: filter(id),
      act,
      limit: integer.pipe(z.int().min(1).max(200)).default(100),
    }),
    reply: z.object({
      list: z.array(person),
      /** Accounts that may do it too, but are managed by others. */
      others: z.int(),
      more: z.boolean(),
      line,
    }),
  }),
};
