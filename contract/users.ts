import * as z from 'zod';
import {
  chosen,
  endpoint,
  exportOf,
  filter,
  flag,
  id,
  instant,
  integer,
  listBody,
  listOf,
  listReply,
  nothing,
  outcomeOfCount,
  rowResult,
  selectionOf,
} from './endpoint.ts';
import { limits } from './limits.ts';
import { contactNumber, isPersonName } from './people.ts';

/** The required fields of specification §5, each with its own sentence for an empty value. */
const username = z
  .string({ error: 'user.username' })
  .trim()
  .min(1, 'user.username')
  .max(32, 'user.usernameForm')
  .regex(/^[\p{L}\p{N}._@-]*$/u, 'user.usernameForm');
const nickname = z
  .string({ error: 'user.nickname' })
  .trim()
  .min(1, 'user.nickname')
  .refine((name) => name === '' || isPersonName(name), { error: 'name.real' });
const email = z
  .string({ error: 'user.email' })
  .trim()
  .min(1, 'user.email')
  .max(200, 'email.form')
  .pipe(z.email('email.form'));
/** The form of the password depends on the installation's policy: `addedPasswordFlaw`. */
const password = z
  .string({ error: 'user.password' })
  .min(1, 'user.password')
  .max(limits.passwordStrong.max, 'password.strongLength');
/** The caller's own password, if it was not given recently. */
const ownPassword = z.string().max(200).optional();
const nullableId = z.preprocess((given) => (given === '' ? null : given), id.nullable());

/**
 * Where a user works: a region with everything below it, one project, or some of its parts. The role decides
 * which.
 */
const place = {
  region_id: nullableId.optional(),
  project_id: nullableId.optional(),
  part_ids: listOf(id, 200).optional(),
};
const filters = {
  search: filter(z.string().trim().max(60)),
  role_id: filter(id),
  status: filter(z.enum(['enabled', 'disabled'])),
  project_id: filter(id),
  region_id: filter(id),
};
const userLabels = ['superadmin', 'admin'] as const;

/** Maximum number of projects of a user that a list row, a cell of the export, and the details name. */
export const mostNamedProjects = { row: 3, cell: 50, detail: 10_000 } as const;
const userRow = z.object({
  user_id: z.int(),
  username: z.string(),
  nickname: z.string(),
  role: z.int(),
  role_id: z.int(),
  role_name: z.string(),
  /** 'superadmin' sees every project; 'admin' is one of the other built-in administrators. */
  label: z.enum(userLabels).nullable(),
  mobile: z.string(),
  mobile_confirmed: z.boolean(),
  email: z.string(),
  region_id: z.int().nullable(),
  /** The region the user works in, or that of the project. */
  area: z.string(),
  /** The first by name; `/user/detail` has all of them. */
  projects: z.array(
    z.object({
      project_id: z.int(),
      name: z.string(),
      parts: z.array(z.object({ part_id: z.int(), name: z.string() })),
    }),
  ),
  project_count: z.int(),
  /** Passwords are never shown, only when they were set. */
  password_changed_at: instant,
  created_at: instant,
  status: z.enum(['enabled', 'disabled']),
  /** The role is disabled, and therefore the account too. */
  role_disabled: z.boolean(),
  auto_sign_in: z.boolean(),
  two_step: z.boolean(),
  sessions: z.int(),
  seen_at: instant.nullable(),
  /** The caller's own account. */
  own: z.boolean(),
  revision: z.int(),
});
export type UserRow = z.output<typeof userRow>;

const sessionRow = z.object({
  id: z.string(),
  current: z.boolean(),
  created_at: instant,
  seen_at: instant,
  address: z.string(),
  agent: z.string(),
});

export const userEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/user/get_list',
    permission: 'user.read',
    body: listBody(filters, ['username', 'nickname', 'created_at']),
    reply: listReply(userRow),
  }),
  export: endpoint({
    method: 'POST',
    path: '/user/export',
    permission: 'user.read',
    body: z.strictObject(filters),
    reply: z.unknown(),
    stream: true,
  }),
  /** A user, and what would stop without the account. */
  detail: endpoint({
    method: 'POST',
    path: '/user/detail',
    permission: 'user.read',
    body: z.strictObject({ user_id: id }),
    reply: z.object({
      user: userRow,
      /** Enabled server timers that use this account's permissions. */
      timers: z.int(),
      /** Lock-out tags that this user has set. */
      tags: z.int(),
    }),
  }),
  add: endpoint({
    method: 'POST',
    path: '/user/add',
    permission: 'user.write',
    log: 'user.add',
    secret: ['password', 'own_password'],
    body: z.strictObject({
      username,
      nickname,
      email,
      mobile: contactNumber,
      password,
      role_id: chosen('user.role'),
      ...place,
      enabled: flag.default(true),
      auto_sign_in: flag.default(false),
      own_password: ownPassword,
    }),
    reply: z.object({ user_id: z.int() }),
  }),
  /**
   * Fields that are left out do not change. Role and place change together: leave out all of them or none.
   */
  edit: endpoint({
    method: 'POST',
    path: '/user/edit',
    permission: 'user.write',
    log: 'user.edit',
    secret: ['own_password'],
    body: z.strictObject({
      user_id: id,
      revision: integer.optional(),
      username: username.optional(),
      nickname: nickname.optional(),
      email: email.optional(),
      mobile: contactNumber.optional(),
      role_id: chosen('user.role').optional(),
      ...place,
      auto_sign_in: flag.optional(),
      own_password: ownPassword,
    }),
    reply: nothing,
  }),
  setStatus: endpoint({
    method: 'POST',
    path: '/user/set_status',
    permission: 'user.write',
    log: 'user.status',
    body: z.strictObject({ user_id: id, enabled: flag }),
    reply: nothing,
  }),
  remove: endpoint({
    method: 'POST',
    path: '/user/delete',
    permission: 'user.write',
    log: 'user.delete',
    body: z.strictObject({ ids: selectionOf(id, 200) }),
    reply: z.object({ results: z.array(rowResult), done: z.int(), denied: z.int() }),
    outcome: outcomeOfCount,
  }),
  resetPassword: endpoint({
    method: 'POST',
    path: '/user/reset_password',
    permission: 'user.write',
    log: 'user.resetPassword',
    secret: ['password', 'repeat_password', 'own_password'],
    body: z
      .strictObject({
        user_id: id,
        password,
        repeat_password: z.string(),
        own_password: ownPassword,
      })
      .refine((body) => body.password === body.repeat_password, {
        path: ['repeat_password'],
        error: 'password.repeat',
      }),
    reply: nothing,
  }),
  sessions: endpoint({
    method: 'POST',
    path: '/user/sessions',
    permission: 'user.read',
    body: z.strictObject({ user_id: id }),
    reply: z.array(sessionRow),
  }),
  exportSessions: exportOf('/user/export_sessions', 'user.read', { user_id: id }),
  /** Signs one session of a user out, or all of them. */
  endSessions: endpoint({
    method: 'POST',
    path: '/user/end_session',
    permission: 'user.write',
    log: 'user.endSession',
    body: z.strictObject({ user_id: id, id: filter(z.string().regex(/^[0-9a-f]{16}$/)) }),
    reply: z.object({ done: z.int() }),
    outcome: outcomeOfCount,
  }),
  /** For a user who lost the app and the recovery codes. */
  resetTwoStep: endpoint({
    method: 'POST',
    path: '/user/two_step_reset',
    permission: 'user.write',
    log: 'user.resetTwoStep',
    secret: ['own_password'],
    body: z.strictObject({ user_id: id, own_password: ownPassword }),
    reply: nothing,
  }),
  /** The SMS gateway of the whole installation; an empty address removes it. */
  smsGateway: endpoint({
    method: 'POST',
    path: '/user/sms_gateway',
    permission: 'user.write',
    log: 'user.smsGateway',
    writesWhen: (body: unknown) => body !== null && typeof body === 'object' && 'url' in body,
    secret: ['token', 'own_password'],
    body: z.strictObject({
      url: z
        .union([z.literal(''), z.url({ protocol: /^https?$/, error: 'sms.url' }).max(500, 'sms.url')], {
          error: 'sms.url',
        })
        .optional(),
      /** If left out, it does not change. */
      token: z.string().max(500).optional(),
      /** The gateway may be in the private network. */
      allow_private: flag.optional(),
      own_password: ownPassword,
    }),
    reply: z.object({
      url: z.string(),
      has_token: z.boolean(),
      /** The token was encrypted with another key file: nothing is sent until it is given again. */
      token_unreadable: z.boolean(),
      allow_private: z.boolean(),
    }),
  }),
  /** The latest SMS; their texts only while no gateway is configured. */
  smsOutbox: endpoint({
    method: 'POST',
    path: '/user/sms_outbox',
    permission: 'user.write',
    body: nothing,
    reply: z.array(
      z.object({
        id: z.int(),
        at: instant,
        username: z.string(),
        mobile: z.string(),
        state: z.enum(['kept', 'sent', 'failed']),
        text: z.string().nullable(),
        error: z.string().nullable(),
      }),
    ),
  }),
  /** Roles that the caller may assign, with what each requires. */
  roles: endpoint({
    method: 'POST',
    path: '/user/roles',
    permission: 'user.read',
    body: nothing,
    reply: z.array(
      z.object({
        role_id: z.int(),
        role: z.int(),
        name: z.string(),
        enabled: z.boolean(),
        place: z.enum(['none', 'region', 'project', 'parts', 'regionOrProject']),
      }),
    ),
  }),
};

/** What a role requires: none, a region, a project or parts. */
export type PlaceKind = 'none' | 'region' | 'project' | 'parts' | 'regionOrProject';
