import * as z from 'zod';
import { endpoint, exportOf, filter, flag, id, instant, nothing, onlyOneOf } from './endpoint.ts';
import { languages } from './languages.ts';
import { limits } from './limits.ts';
import { passwordPolicies } from './passwords.ts';
import { contactNumber, personName, phoneFormats, phoneNumber } from './people.ts';
import { letters, permissions } from './permissions.ts';
import { tileDatums } from './tiles.ts';

const username = z.string({ error: 'field.account' }).trim().min(1, 'field.account').max(64, 'field.account');
const password = z.string({ error: 'field.password' }).min(1, 'field.password').max(200, 'field.password');
/** The form of the password depends on the installation's policy: `passwordFlaw`. */
const changedPassword = z
  .string({ error: 'password.length' })
  .min(1, 'password.length')
  .max(limits.passwordStrong.max, 'password.length');

/** Six digits, or a recovery code with or without its hyphen. */
const secondCode = z.string({ error: 'twoStep.code' }).trim().min(6, 'twoStep.code').max(20, 'twoStep.code');

/** The first of a user's projects with its contact; null and empty if the user has none. */
const ownProject = {
  project_id: z.int().nullable(),
  projectName: z.string(),
  project_username: z.string(),
  project_phone: z.string(),
  project_add_time: instant.nullable(),
  project_codeid: z.string(),
};
const signedIn = z.object({
  token: z.string(),
  role: z.int(),
  role_menu_auth: z.string(),
  ...ownProject,
});
const region = z.object({
  id: z.union([z.int(), z.literal('')]),
  pid: z.int().nullable(),
  name: z.string(),
  latin: z.string(),
  code: z.string(),
  first: z.string(),
  lat: z.number().nullable(),
  lng: z.number().nullable(),
  level: z.int(),
  merger_name: z.string(),
  pinyin: z.string(),
  region_code: z.string(),
  shortname: z.string(),
  zip_code: z.string(),
  get city() {
    return z.array(region);
  },
});
const isEdit = (body: unknown) =>
  body !== null &&
  typeof body === 'object' &&
  'is_edit' in body &&
  ['1', 1, true, 'true'].includes(body.is_edit as never);

const sendsSms = (body: unknown) =>
  body !== null && typeof body === 'object' && 'mobile' in body && Boolean(body.mobile);

/** Preferences that the server keeps with the user. */
const preferences = z.strictObject({
  theme: z.enum(['system', 'light', 'dark']).optional(),
  density: z.enum(['dense', 'comfortable']).optional(),
  text_size: z.int().min(100).max(200).optional(),
  columns: z.record(z.string().max(40), z.array(z.string().max(40)).max(60)).optional(),
  language: z.enum(languages).optional(),
});

const mapTiles = z.object({
  /** With the placeholders {z}, {x} and {y}. */
  address: z.string(),
  crs: z.enum(tileDatums),
  attribution: z.string(),
});
export type MapTiles = z.output<typeof mapTiles>;

export const mapProviders = ['amap', 'baidu', 'google'] as const;
const mapScript = z.object({
  /** With {callback} for the name of the function that the script calls when it is ready. */
  address: z.string(),
  provider: z.enum(mapProviders),
  /** For AMap: the security code of the key, or the address of the proxy that adds it. */
  security: z.string().optional(),
});
export type MapScript = z.output<typeof mapScript>;

export const sessionEndpoints = {
  signIn: endpoint({
    method: 'POST',
    path: '/sign_user/signin',
    permission: 'public',
    log: 'session.signIn',
    secret: ['password', 'code', 'code_id'],
    body: z.strictObject({
      username,
      password,
      code: z
        .string({ error: 'field.code' })
        .regex(/^\d{4}$/, 'field.code')
        .optional(),
      code_id: z.uuid('field.code').optional(),
    }),
    reply: signedIn,
    secretReply: true,
  }),
  /** Only for accounts marked 'auto sign-in'. */
  signInByQuery: endpoint({
    method: 'GET',
    path: '/sign_user/signin',
    permission: 'public',
    log: 'session.autoSignIn',
    secret: ['pwd', 'password'],
    body: z
      .strictObject({
        user: username.optional(),
        username: username.optional(),
        pwd: password.optional(),
        password: password.optional(),
      })
      .check(onlyOneOf('user', 'username'), onlyOneOf('pwd', 'password')),
    reply: signedIn,
    secretReply: true,
  }),
  autoSignIn: endpoint({
    method: 'POST',
    path: '/sign_user/autologin',
    permission: 'public',
    log: 'session.autoSignIn',
    secret: ['pwd'],
    body: z.strictObject({ user: username, pwd: password }),
    reply: signedIn,
    secretReply: true,
  }),
  /** The one-time link that the server prints at its first start. */
  signInByLink: endpoint({
    method: 'POST',
    path: '/sign_user/link',
    permission: 'public',
    log: 'session.linkSignIn',
    secret: ['link'],
    body: z.strictObject({ link: z.string().max(100) }),
    reply: signedIn,
    secretReply: true,
  }),
  /** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
  twoStep: endpoint({
    method: 'POST',
    path: '/sign_user/two_step',
    permission: 'public',
    log: 'session.twoStep',
    secret: ['ticket', 'code'],
    body: z.strictObject({ ticket: z.string().min(20).max(100), code: secondCode }),
    reply: signedIn,
    secretReply: true,
  }),
  twoStepBegin: endpoint({
    method: 'POST',
    path: '/sign_user/two_step_begin',
    permission: 'signedIn',
    beforeTwoStep: true,
    log: 'session.twoStepBegin',
    secret: ['password'],
    body: z.strictObject({ password }),
    /** The secret, as text and as the address that the app reads from a QR code. */
    reply: z.object({ secret: z.string(), uri: z.string() }),
    secretReply: true,
  }),
  twoStepConfirm: endpoint({
    method: 'POST',
    path: '/sign_user/two_step_confirm',
    permission: 'signedIn',
    beforeTwoStep: true,
    log: 'session.twoStepConfirm',
    secret: ['code'],
    body: z.strictObject({ code: secondCode }),
    reply: z.object({ recovery_codes: z.array(z.string()) }),
    secretReply: true,
  }),
  twoStepRecovery: endpoint({
    method: 'POST',
    path: '/sign_user/two_step_recovery',
    permission: 'signedIn',
    log: 'session.twoStepRecovery',
    secret: ['password', 'code'],
    body: z.strictObject({ password, code: secondCode }),
    reply: z.object({ recovery_codes: z.array(z.string()) }),
    secretReply: true,
  }),
  twoStepDisable: endpoint({
    method: 'POST',
    path: '/sign_user/two_step_disable',
    permission: 'signedIn',
    log: 'session.twoStepDisable',
    secret: ['password', 'code'],
    body: z.strictObject({ password, code: secondCode }),
    reply: nothing,
  }),
  code: endpoint({
    method: 'POST',
    path: '/index/get_code',
    permission: 'public',
    session: 'optional',
    log: 'session.smsCode',
    writesWhen: sendsSms,
    /** With `mobile`, and a session: sends a code to that number instead. */
    body: z.strictObject({ alternative: filter(flag), mobile: filter(phoneNumber) }),
    reply: z.object({ code_id: z.uuid(), image: z.string(), question: z.string(), required: z.boolean() }),
  }),
  regions: endpoint({
    method: 'POST',
    path: '/sign_user/get_address',
    permission: 'signedIn',
    body: nothing,
    reply: z.array(region),
  }),
  check: endpoint({
    method: 'POST',
    path: '/sign_user/check_login',
    permission: 'signedIn',
    body: nothing,
    reply: z.object({
      user_id: z.int(),
      username: z.string(),
      nickname: z.string(),
      role: z.int(),
      role_menu_auth: z.string(),
      letters: z.array(z.enum(letters)),
      permissions: z.array(z.enum(permissions)),
      preferences,
      authenticated_at: instant,
      project_id: z.int().nullable(),
      projectName: z.string(),
      /** Whether the console blocks the browser's zoom shortcuts. */
      block_zoom: z.boolean(),
      password_policy: z.enum(passwordPolicies),
      phone_format: z.enum(phoneFormats),
      /** Whether the caller manages every project, and so may change settings of the whole installation. */
      every_project: z.boolean(),
      /** Projects of which the caller manages only parts: acts on the whole project are refused. */
      partial_projects: z.array(z.int()),
      demo: z.boolean(),
      /** Street tiles of the installation; absent: the offline map is used. */
      map_tiles: mapTiles.optional(),
      map_script: mapScript.optional(),
      /**
       * The installation has no project, no bound device or no notification rule yet, and the caller may add
       * them.
       */
      setting_up: z.boolean(),
      /** The role needs two-step sign-in and the user has not set it up: nothing else works before that. */
      two_step_due: z.boolean(),
      /** A stream of events that names it brings everything that happens after this answer. */
      last_event: z.string(),
    }),
    beforeTwoStep: true,
  }),
  userInfo: endpoint({
    method: 'POST',
    path: '/sign_user/user_info',
    permission: 'signedIn',
    log: 'session.profile',
    writesWhen: isEdit,
    secret: ['sms_code'],
    beforeTwoStep: true,
    body: z.strictObject({
      is_edit: flag.default(false),
      nickname: personName.optional(),
      mobile: phoneNumber.optional(),
      /** Confirms the number at once; without it an administrator confirms the number. */
      sms_code: filter(z.string().regex(/^\d{4}$/, 'sms.code')),
      email: z.email('email.form').optional(),
    }),
    reply: z.object({
      user_id: z.int(),
      username: z.string(),
      nickname: z.string(),
      mobile: z.string(),
      /** Whether an administrator has confirmed the number: before that it receives no alarms of contacts. */
      mobile_confirmed: z.boolean(),
      email: z.string(),
      role: z.int(),
      role_name: z.string(),
      role_menu_auth: z.string(),
      ...ownProject,
      created_at: instant,
      two_step: z.object({ enabled: z.boolean(), required: z.boolean(), recovery_left: z.int() }),
    }),
  }),
  /** Sets and confirms the phone number of an account; an empty number removes it. */
  confirmPhone: endpoint({
    method: 'POST',
    path: '/user/confirm_phone',
    permission: 'user.write',
    log: 'user.phone',
    secret: ['password'],
    body: z.strictObject({ user_id: id, mobile: contactNumber, password }),
    reply: nothing,
  }),
  changePassword: endpoint({
    method: 'POST',
    path: '/sign_user/change_password',
    permission: 'signedIn',
    log: 'session.password',
    secret: ['old_password', 'new_password', 'repeat_password'],
    body: z
      .strictObject({ old_password: password, new_password: changedPassword, repeat_password: z.string() })
      .refine((body) => body.new_password === body.repeat_password, {
        path: ['repeat_password'],
        error: 'password.repeat',
      })
      .refine((body) => body.new_password !== body.old_password, {
        path: ['new_password'],
        error: 'password.same',
      }),
    reply: nothing,
  }),
  preferences: endpoint({
    method: 'POST',
    path: '/sign_user/preferences',
    permission: 'signedIn',
    log: 'session.preferences',
    beforeTwoStep: true,
    body: preferences,
    reply: preferences,
  }),
  /** Checks the password again for acts that require it. */
  confirm: endpoint({
    method: 'POST',
    path: '/sign_user/confirm_password',
    permission: 'signedIn',
    log: 'session.confirm',
    secret: ['password'],
    body: z.strictObject({ password }),
    reply: z.object({ authenticated_at: instant }),
  }),
  sessions: endpoint({
    method: 'POST',
    path: '/sign_user/sessions',
    permission: 'signedIn',
    body: nothing,
    reply: z.array(
      z.object({
        id: z.string(),
        current: z.boolean(),
        created_at: instant,
        seen_at: instant,
        address: z.string(),
        agent: z.string(),
      }),
    ),
  }),
  exportSessions: exportOf('/sign_user/export_sessions', 'signedIn', {}),
  endSession: endpoint({
    method: 'POST',
    path: '/sign_user/end_session',
    permission: 'signedIn',
    log: 'session.endOther',
    body: z.strictObject({ id: z.string().regex(/^[0-9a-f]{16}$/) }),
    reply: nothing,
  }),
  signOut: endpoint({
    method: 'POST',
    path: '/sign_user/logout',
    permission: 'signedIn',
    log: 'session.signOut',
    beforeTwoStep: true,
    body: nothing,
    reply: nothing,
  }),
};

/** Mock endpoints of the specification: aliases of the real ones. */
export const aliasEndpoints = {
  login: { ...sessionEndpoints.signIn, path: '/login' },
  logout: { ...sessionEndpoints.signOut, path: '/logout' },
};
