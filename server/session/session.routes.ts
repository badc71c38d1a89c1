import { hash } from '@node-rs/argon2';
import type { FastifyReply } from 'fastify';
import { limits } from '#contract/limits.ts';
import { aliasEndpoints, sessionEndpoints } from '#contract/session.ts';
import { Fault, fault } from '#server/core/fault.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import { sessionCookie } from '#server/core/serve.ts';
import { endSessions, hashToken, openSession } from '#server/core/session.ts';
import { sessionSettings } from '#server/core/session-settings.ts';
import { regionTree } from '#server/regions/regions.store.ts';
import { makeCaptcha, redeemCaptcha } from './captcha.ts';
import { sessionStore } from './session.store.ts';
import { provePassword } from './sign-in.ts';

export interface SessionDeps {
  captcha: boolean;
  secureCookie: boolean;
  demo: boolean;
}
type OpenCall = Omit<Call<unknown>, 'caller' | 'body'>;

export const sessionRoutes = (serve: Serve, deps: SessionDeps): void => {
  const setCookie = (reply: FastifyReply, token: string, maxAgeMs: number) =>
    reply.setCookie(sessionCookie, token, {
      path: '/',
      httpOnly: true,
      sameSite: 'strict',
      secure: deps.secureCookie,
      maxAge: Math.floor(maxAgeMs / 1000),
    });

  const begin = async (call: OpenCall, userId: number) => {
    if ((await sessionSettings(call.db)).singleSession) {
      // Of several sign-ins at once each has to see those before it.
      await call.db.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute();
      await endSessions(call.db, userId, 50012);
      call.emit('session.ended', { userId });
    }
    const { token } = await openSession(call.db, userId, call.now, {
      address: call.address,
      agent: String(call.request.headers['user-agent'] ?? ''),
    });
    setCookie(call.reply, token, limits.sessionMs);
    const { username, ...about } = await sessionStore(call.db).signedIn(userId);
    call.note({ userId, operator: username });
    return { token, ...about };
  };

  const signIn = async (
    call: OpenCall & {
      body: { username: string; password: string; code?: string | undefined; code_id?: string | undefined };
    },
  ) => {
    const { username, password, code, code_id } = call.body;
    call.note({ operator: username });
    if (deps.captcha) {
      if (code === undefined || code_id === undefined)
        fault('request.invalid', { fields: { code: 'field.code' } });
      else if (!(await redeemCaptcha(call.db, code_id, code, call.now)))
        fault('signIn.code', { fields: { code: 'signIn.code' }, commit: true });
    }
    const user = await provePassword(call.db, {
      username,
      password,
      address: call.address,
      now: call.now,
      language: call.language,
    });
    return begin(call, user.id);
  };

  const signInAutomatically = async (call: OpenCall, username: string, password: string) => {
    call.note({ operator: username });
    const user = await provePassword(call.db, {
      username,
      password,
      address: call.address,
      now: call.now,
      language: call.language,
    });
    if (!user.autoSignIn) fault('signIn.notAutomatic');
    return begin(call, user.id);
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
    const used = await call.db
      .deleteFrom('one_time_links')
      .where('token_hash', '=', hashToken(call.body.link))
      .where('expires_at', '>', new Date(call.now))
      .returning('user_id')
      .executeTakeFirst();
    return used ? begin(call, used.user_id) : fault('signIn.linkUsed');
  });

  serve(sessionEndpoints.code, async ({ db, now, language, body }) => ({
    ...(await makeCaptcha(db, now, language, body.alternative ?? false)),
    required: deps.captcha,
  }));
  serve(sessionEndpoints.regions, ({ db }) => regionTree(db));
  serve(sessionEndpoints.check, async ({ db, caller }) => ({
    ...(await sessionStore(db).check(caller)),
    block_zoom: (await sessionSettings(db)).blockZoom,
    demo: deps.demo,
  }));

  serve(sessionEndpoints.userInfo, async ({ db, caller, language, body: { is_edit, ...changes } }) => {
    if (is_edit && Object.keys(changes).length > 0)
      await db
        .updateTable('users')
        .set((row) => ({ ...changes, revision: row('revision', '+', 1) }))
        .where('id', '=', caller.userId)
        .execute();
    return sessionStore(db).profile(caller.userId, language);
  });
  serve(sessionEndpoints.changePassword, async ({ db, caller, body, now, address, language, emit }) => {
    const { username } = caller;
    await provePassword(db, { username, password: body.old_password, address, now, language }).catch(
      (error: unknown) => {
        if (!(error instanceof Fault) || error.code !== 'signIn.wrong') throw error;
        fault('password.wrong', { fields: { old_password: 'password.wrong' }, commit: true });
      },
    );
    await db
      .updateTable('users')
      .set({ password_hash: await hash(body.new_password), password_changed_at: new Date(now) })
      .where('id', '=', caller.userId)
      .execute();
    await endSessions(db, caller.userId, -202, caller.tokenHash);
    emit('session.ended', { userId: caller.userId });
    return {};
  });
  serve(sessionEndpoints.confirm, async ({ db, caller, body, now, address, language }) => {
    await provePassword(db, { username: caller.username, password: body.password, address, now, language });
    await db
      .updateTable('sessions')
      .set({ authenticated_at: new Date(now) })
      .where('token_hash', '=', caller.tokenHash)
      .execute();
    return { authenticated_at: new Date(now).toISOString() };
  });
  serve(sessionEndpoints.preferences, ({ db, caller, body }) =>
    sessionStore(db).setPreferences(caller.userId, body),
  );
  serve(sessionEndpoints.sessions, ({ db, caller, now }) => sessionStore(db).sessions(caller, now));
  serve(sessionEndpoints.endSession, async ({ db, caller, body, emit }) => {
    await sessionStore(db).endOne(caller.userId, body.id);
    emit('session.ended', { userId: caller.userId });
    return {};
  });
  const signOut = async ({ db, caller, reply, emit }: Call<unknown>) => {
    await db
      .updateTable('sessions')
      .set({ ended_as: 401 })
      .where('token_hash', '=', caller.tokenHash)
      .execute();
    setCookie(reply, '', 0);
    emit('session.ended', { userId: caller.userId });
    return {};
  };
  serve(sessionEndpoints.signOut, signOut);
  serve(aliasEndpoints.logout, signOut);
};
