import * as z from 'zod';
import {
  chosen,
  endpoint,
  flag,
  id,
  integer,
  listReply,
  nothing,
  selectionOf,
  shortListFields,
} from './endpoint.ts';
import { letters } from './permissions.ts';

const name = z.string({ error: 'role.name' }).trim().min(1, 'role.name').max(40);
const description = z.string({ error: 'role.description' }).trim().min(1, 'role.description').max(200);
const chosenLetters = z.preprocess(
  (given) => (typeof given === 'string' && /^[A-N]*$/.test(given) ? [...given] : given),
  selectionOf(z.enum(letters, { error: 'role.letters' }), letters.length, 'role.letters'),
);
const parentId = chosen('role.parent');
const ownPassword = z.string().max(200).optional();
export const mostRoles = 1000;

const roleRow = z.object({
  role_id: z.int(),
  role: z.int(),
  name: z.string(),
  description: z.string(),
  parent_id: z.int().nullable(),
  parent_name: z.string(),
  letters: z.array(z.enum(letters)),
  status: z.enum(['enabled', 'disabled']),
  built_in: z.boolean(),
  /** Its users must sign in with a second step. */
  two_step: z.boolean(),
  /** Accounts with this role that the caller manages. */
  users: z.int(),
  /** The caller's own role, which is the top of the visible tree. */
  own: z.boolean(),
  editable: z.boolean(),
  revision: z.int(),
});
export type RoleRow = z.output<typeof roleRow>;

export const roleEndpoints = {
  /** The caller's role and those below it, each parent before its children. */
  list: endpoint({
    method: 'POST',
    path: '/role/get_list',
    permission: 'role.read',
    body: z.strictObject(shortListFields),
    reply: listReply(roleRow),
  }),
  export: endpoint({
    method: 'POST',
    path: '/role/export',
    permission: 'role.read',
    body: nothing,
    reply: z.unknown(),
    stream: true,
  }),
  add: endpoint({
    method: 'POST',
    path: '/role/add',
    permission: 'role.write',
    log: 'role.add',
    secret: ['own_password'],
    body: z.strictObject({
      name,
      description,
      parent_id: parentId,
      letters: chosenLetters,
      enabled: flag.default(true),
      own_password: ownPassword,
    }),
    reply: z.object({ role_id: z.int() }),
  }),
  edit: endpoint({
    method: 'POST',
    path: '/role/edit',
    permission: 'role.write',
    log: 'role.edit',
    secret: ['own_password'],
    body: z.strictObject({
      role_id: id,
      revision: integer.optional(),
      name: name.optional(),
      description: description.optional(),
      parent_id: parentId.optional(),
      letters: chosenLetters.optional(),
      own_password: ownPassword,
    }),
    reply: nothing,
  }),
  setStatus: endpoint({
    method: 'POST',
    path: '/role/set_status',
    permission: 'role.write',
    log: 'role.status',
    body: z.strictObject({ role_id: id, enabled: flag }),
    reply: nothing,
  }),
  /**
   * Whether users of the role need two-step sign-in; a user who manages everything also decides it for their
   * own role.
   */
  setTwoStep: endpoint({
    method: 'POST',
    path: '/role/set_two_step',
    permission: 'role.write',
    log: 'role.twoStep',
    body: z.strictObject({ role_id: id, required: flag }),
    reply: nothing,
  }),
  remove: endpoint({
    method: 'POST',
    path: '/role/delete',
    permission: 'role.write',
    log: 'role.delete',
    body: z.strictObject({ role_id: id }),
    reply: nothing,
  }),
};
