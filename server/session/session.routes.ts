import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import type { FastifyReply } from 'fastify';
import { limits } from '#contract/limits.ts';
import { passwordFlaw } from '#contract/passwords.ts';
import { aliasEndpoints, sessionEndpoints } from '#contract/session.ts';
import { sessionSheet } from '#contract/session-columns.ts';
import { accountOf, provedUnlessChanged } from '#server/core/account.ts';
import { browserCookie, browserOf } from '#server/core/browser.ts';
import { createBuckets } from '#server/core/buckets.ts';
import type { Config } from '#server/core/config.ts';
import { fault } from '#server/core/fault.ts';
import { proveIdentity } from '#server/core/identity.ts';
import { readSettings } from '#server/core/installation-settings.ts';
import type { Live } from '#server/core/live.ts';
import { mapForConsole, presentMap } from '#server/core/map.ts';
import { networkOf } from '#server/core/network.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { browserMs } from '#server/core/retention.ts';
import { needsEveryProject } from '#server/core/scope.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import { sessionCookie } from '#server/core/serve.ts';
import { hashToken, openSession } from '#server/core/session.ts';
import { eachOf, sendTable } from '#server/core/table.ts';
import type { Vault } from '#server/core/vault.ts';
import { movePushes, tellPushesEnded } from '#server/notices/push.store.ts';
import { regionTree } from '#server/regions/regions.store.ts';
import { keepCaptcha, redeemCaptcha } from './captcha.ts';
import { codeInWords } from './code-in-words.ts';
import { createCodePictures } from './code-pictures.ts';
import { endSession, endSessions } from './end-sessions.ts';
import { rememberBrowser } from './known-browsers.ts';
import { spendLink } from './links.ts';
import { isSettingUp, sessionStore } from './session.store.ts';
import { networkNeedsCode, provePassword, proveSignIn } from './sign-in.ts';
import { sendCode, takeCode } from './sms.ts';
import { giveTicket } from './tickets.ts';
import { twoStep } from './two-step.ts';

export interface SessionDeps {
  captcha: boolean;
  secureCookie: boolean;
  demo: boolean;
  vault: Vault;
  live: Pick<Live, 'lastEventId'>;
  /** What the server's variables say about maps. */
  map: Config['map'];
}
type OpenCall = Omit<Call<unknown>, 'caller' | 'body'>;

export const sessionRoutes = (serve: Serve, deps: SessionDeps): void => {
  const pictures = createCodePictures();
  /** Programs solve codes in words more easily, so a network gets fewer of them. */
  const inWords = createBuckets({ burst: 10, perSecond: 0.1 });
  const setCookie = (reply: FastifyReply, token: string, maxAgeMs: number, name: string = sessionCookie) =>
    reply.setCookie(name, token, {
      path: '/',
      httpOnly: true,
      sameSite: 'strict',
      secure: deps.secureCookie,
      maxAge: Math.floor(maxAgeMs / 1000),
    });

  const begin = async (call: OpenCall, userId: number) => {
    const { singleSession } = await readSettings(call.db, 'session');
    // Simultaneous sign-ins are counted one after the other.
    if (singleSession)
      await call.db.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute();
    const { token } = await openSession(call.db, userId, call.now, {
      address: call.address,
      agent: String(call.request.headers['user-agent'] ?? ''),
    });
    setCookie(call.reply, token, limits.sessionMs);
    const browser = { userId, token: call.request.cookies[browserCookie], now: call.now };
    const known = await rememberBrowser(call.db, browser);
    setCookie(call.reply, known, browserMs, browserCookie);
    const from = browserOf(call.request);
    if (from) {
      const moved = { userId, tokenHash: hashToken(token), from, to: hashToken(known) };
      const lostBy = await movePushes(call.db, moved);
      const told = await tellPushesEnded(call.db, { userIds: lostBy, count: 1, now: call.now });
      if (told.length > 0) call.emit('message.posted', { userIds: told });
    }
    if (singleSession) await endSessions(call, userId, 'replaced', hashToken(token));
    const { username, ...about } = await sessionStore(call.db).signedIn(userId);
    call.note({ userId, operator: username });
    return { token, ...about };
  };

  const attemptOf = (
    { request, address, now }: OpenCall,
    username: string,
    password: string,
    automatic: boolean,
  ) => ({ username, password, automatic, address, now, browser: request.cookies[browserCookie] });

  const signIn = async (
    call: OpenCall & {
      body: { username: string; password: string; code?: string | undefined; code_id?: string | undefined };
    },
  ) => {
    const { username, password, code, code_id } = call.body;
    if (deps.captcha || (await networkNeedsCode(call.db, call.address, call.now))) {
      if (code === undefined || code_id === undefined)
        fault('request.invalid', { fields: { code: 'field.code' } });
      else if (!(await redeemCaptcha(call.db, code_id, code, call.now)))
        fault('signIn.code', { fields: { code: 'signIn.code' }, commit: true });
    }
    const { id } = await proveSignIn(call.db, attemptOf(call, username, password, false));
    const second = twoStep(call.db, deps.vault);
    if (await second.isOn(id))
      return fault('signIn.twoStep', {
        data: { reason: 'two_step', ticket: await giveTicket(call.db, id, call.now) },
        commit: true,
      });
    return begin(call, id);
  };

  const signInAutomatically = async (call: OpenCall, username: string, password: string) => {
    if (await networkNeedsCode(call.db, call.address, call.now)) fault('signIn.codeNeeded');
    const { id } = await proveSignIn(call.db, attemptOf(call, username, password, true));
    // A link cannot provide the second step.
    if (await twoStep(call.db, deps.vault).isOn(id)) fault('signIn.notAutomatic', { commit: true });
    return begin(call, id);
  };

  serve(sessionEndpoints.signIn, signIn);
  serve(aliasEndpoints.login, signIn);
  serve(sessionEndpoints.signInByQuery, (call) =>
    signInAutomatically(
      call,
      call.body.user ?? call.body.username ?? '',
      call.body.pwd ?? call.body.password ?? '',
    ),
  );
  serve(sessionEndpoints.autoSignIn, (call) => signInAutomatically(call, call.body.user, call.body.pwd));
  serve(sessionEndpoints.signInByLink, async (call) => {
    const userId = await spendLink(call.db, call.body.link, call.now);
    return userId === null ? fault('signIn.linkUsed') : begin(call, userId);
  });

  serve(sessionEndpoints.code, async ({ db, now, language, body, address, caller }) => {
    if (body.mobile !== undefined) {
      if (!caller) return fault('session.expired');
      await sendCode(db, deps.vault, { userId: caller.userId, mobile: body.mobile, language, now });
      return { code_id: randomUUID(), image: '', question: '', required: true };
    }
    const alternative = body.alternative ?? false;
    const waitMs = alternative ? inWords(networkOf(address), now) : 0;
    if (waitMs > 0) fault('request.tooMany', { with: { seconds: Math.ceil(waitMs / 1000) } });
    const code = alternative ? codeInWords(language) : await pictures.next();
    return {
      ...(await keepCaptcha(db, now, code)),
      required: deps.captcha || (await networkNeedsCode(db, address, now)),
    };
  });
  serve(sessionEndpoints.regions, ({ db, language }) => regionTree(db, language));
  serve(sessionEndpoints.check, async ({ db, caller }) => {
    const { blockZoom, passwordPolicy, phoneFormat } = await readSettings(db, 'session');
    return {
      ...(await sessionStore(db).check(caller)),
      block_zoom: blockZoom,
      password_policy: passwordPolicy,
      phone_format: phoneFormat,
      every_project: caller.scope.all,
      partial_projects: caller.scope.all ? [] : [...caller.scope.partProjectIds],
      demo: deps.demo,
      ...mapForConsole(await presentMap(db, deps.map)),
      setting_up: await isSettingUp(db, caller),
      two_step_due: caller.twoStepDue,
      last_event: deps.live.lastEventId(),
    };
  });

  serve(sessionEndpoints.userInfo, async ({ db, caller, language, now, body }) => {
    const { is_edit, sms_code, ...changes } = body;
    if (is_edit && sms_code !== undefined && changes.mobile !== undefined)
      await takeCode(db, deps.vault, { userId: caller.userId, mobile: changes.mobile, code: sms_code, now });
    const proved = sms_code === undefined ? null : new Date(now);
    if (is_edit && Object.keys(changes).length > 0)
      await db
        .updateTable('users')
        .set((row) => ({
          ...changes,
          mobile_proved_at:
            changes.mobile !== undefined && proved !== null ? proved : provedUnlessChanged(changes.mobile),
          revision: row('revision', '+', 1),
        }))
        .where('id', '=', caller.userId)
        .execute();
    return {
      ...(await sessionStore(db).profile(caller.userId, language)),
      two_step: await twoStep(db, deps.vault).state(caller.userId),
    };
  });
  serve(sessionEndpoints.confirmPhone, async (call) => {
    const { db, caller, body, now } = call;
    needsEveryProject(caller.scope);
    await proveIdentity(call, provePassword, body.password);
    const { numUpdatedRows } = await db
      .updateTable('users')
      .set((row) => ({
        mobile: body.mobile,
        mobile_proved_at: new Date(now),
        revision: row('revision', '+', 1),
      }))
      .where('id', '=', body.user_id)
      .where(notDeleted('users'))
      .executeTakeFirst();
    return numUpdatedRows > 0n ? {} : fault('user.missing');
  });
  serve(sessionEndpoints.changePassword, async (call) => {
    const { db, caller, body, now } = call;
    const { passwordPolicy } = await readSettings(db, 'session');
    const flaw = passwordFlaw(passwordPolicy, body.new_password, caller.username);
    if (flaw) fault('request.invalid', { fields: { new_password: flaw } });
    await proveIdentity(call, provePassword, body.old_password, 'old_password');
    await db
      .updateTable('users')
      .set({ password_hash: await hash(body.new_password), password_changed_at: new Date(now) })
      .where('id', '=', caller.userId)
      .execute();
    await endSessions(call, caller.userId, 'revoked', caller.tokenHash);
    return {};
  });
  serve(sessionEndpoints.twoStep, async (call) => {
    const { db, body, now } = call;
    const userId = await twoStep(db, deps.vault).redeem(body.ticket, body.code, now);
    // The account was disabled while the code was typed.
    if (!(await accountOf(db, userId))) fault('signIn.disabled', { commit: true });
    return begin(call, userId);
  });
  serve(sessionEndpoints.twoStepBegin, async (call) => {
    await proveIdentity(call, provePassword, call.body.password);
    const { userId, username } = call.caller;
    return twoStep(call.db, deps.vault).begin(userId, username, call.now);
  });
  serve(sessionEndpoints.twoStepConfirm, async (call) => {
    const { db, caller, body, now } = call;
    const recovery_codes = await twoStep(db, deps.vault).confirm(caller.userId, body.code, now);
    // The other sessions were opened with the password alone.
    await endSessions(call, caller.userId, 'revoked', caller.tokenHash);
    return { recovery_codes };
  });
  serve(sessionEndpoints.twoStepRecovery, async (call) => {
    const { db, caller, body, now } = call;
    await proveIdentity(call, provePassword, body.password);
    const second = twoStep(db, deps.vault);
    if (!(await second.isOn(caller.userId))) fault('twoStep.off');
    await second.needsCode(caller.userId, body.code, now);
    return { recovery_codes: await second.newRecoveryCodes(caller.userId) };
  });
  serve(sessionEndpoints.twoStepDisable, async (call) => {
    const { db, caller, body, now } = call;
    await proveIdentity(call, provePassword, body.password);
    const second = twoStep(db, deps.vault);
    const { enabled, required } = await second.state(caller.userId);
    if (!enabled) fault('twoStep.off');
    if (required) fault('twoStep.keep');
    await second.needsCode(caller.userId, body.code, now);
    await second.remove(caller.userId);
    return {};
  });
  serve(sessionEndpoints.confirm, async (call) => {
    await proveIdentity(call, provePassword, call.body.password);
    return { authenticated_at: new Date(call.now).toISOString() };
  });
  serve(sessionEndpoints.preferences, ({ db, caller, body }) =>
    sessionStore(db).setPreferences(caller.userId, body),
  );
  serve(sessionEndpoints.sessions, ({ db, caller, now }) =>
    sessionStore(db).sessionsOf(caller.userId, caller.tokenHash, now),
  );
  serve(sessionEndpoints.exportSessions, async (call) => {
    const { db, caller, now } = call;
    const rows = await sessionStore(db).sessionsOf(caller.userId, caller.tokenHash, now);
    return sendTable(call, sessionSheet, eachOf(rows));
  });
  serve(sessionEndpoints.endSession, async (call) => {
    const { db, caller, body } = call;
    await endSession(call, caller.userId, await sessionStore(db).hashOf(caller.userId, body.id), 'revoked');
    return {};
  });
  const signOut = async (call: Call<unknown>) => {
    const { caller, reply } = call;
    await endSession(call, caller.userId, caller.tokenHash, 'signedOut');
    setCookie(reply, '', 0);
    return {};
  };
  serve(sessionEndpoints.signOut, signOut);
  serve(aliasEndpoints.logout, signOut);
};
