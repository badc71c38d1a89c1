import { type SqlBool, sql } from 'kysely';
import { builtInRoles } from '#contract/permissions.ts';
import { roleName } from '#contract/role-names.ts';
import { sessionSheet } from '#contract/session-columns.ts';
import { userEndpoints } from '#contract/users.ts';
import { type Authority, assignableRoles, authorityOf, lockPeople, managed } from '#server/core/authority.ts';
import { fault } from '#server/core/fault.ts';
import { createForeignNames } from '#server/core/foreign-names.ts';
import { needsProof, type ProvePassword } from '#server/core/identity.ts';
import { removeOneByOne } from '#server/core/one-by-one.ts';
import { needsEveryProject } from '#server/core/scope.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import { eachOf, sendTable } from '#server/core/table.ts';
import type { Vault } from '#server/core/vault.ts';
import { endSession, endSessions } from '#server/session/end-sessions.ts';
import { sessionStore } from '#server/session/session.store.ts';
import { setSmsGateway, smsGateway, smsOutbox, smsToken } from '#server/session/sms.ts';
import { twoStep } from '#server/session/two-step.ts';
import { userSheet } from './export.ts';
import { needsFreeName, needsGoodPassword, newAccountStore } from './new-account.store.ts';
import { type GivenPlace, needsPlaceWithin, placeFor, placeKindOf } from './place.ts';
import { type Reader, userStore } from './users.store.ts';

interface UserDeps {
  vault: Vault;
  provePassword: ProvePassword;
}
type Writing = Pick<Call<unknown>, 'db' | 'caller' | 'now' | 'emit'>;

const readerOf = async ({ db, caller, language, now }: Call<unknown>): Promise<Reader> => ({
  authority: await authorityOf(db, caller, 'user.read'),
  language,
  now,
});
/** The caller's authority, which does not change until the transaction ends. */
const writerOf = async ({ db, caller }: Writing): Promise<Authority> => {
  await lockPeople(db);
  return authorityOf(db, caller, 'user.write');
};

/** Ends the user's sessions and live streams, because their permissions have changed. */
const signOut = (call: Writing, userId: number) => endSessions(call, userId, 'revoked');

/** The given role and place, validated against the caller's own; an account that they manage may keep its role. */
const assignmentOf = async (
  call: Writing,
  authority: Authority,
  { roleId, presentRole }: { roleId: number; presentRole?: number },
  given: GivenPlace,
) => {
  const role =
    roleId === presentRole
      ? authority.tree.get(roleId)
      : (await assignableRoles(call.db, authority)).find(({ id }) => id === roleId);
  if (!role) return fault('request.invalid', { fields: { role_id: 'user.role' } });
  const place = placeFor(role.code, given);
  await needsPlaceWithin(call.db, authority, place);
  return { role, place };
};
const mayBeAutomatic = (role: number, automatic: boolean): void => {
  if (automatic && role === builtInRoles.admin)
    fault('user.automaticAdmin', { fields: { auto_sign_in: 'user.automaticAdmin' } });
};
/** The last administrator must add another one first; nobody else can do that for them. */
const needsOtherUser = async ({ db, caller }: Writing, userId: number): Promise<void> => {
  if (userId !== caller.userId) return;
  await userStore(db).needsOtherAdmin({ id: userId, role: caller.role });
  fault('user.self');
};

/** All checks come before the first row is written. */
const removeOne = async (call: Writing, authority: Authority, id: number): Promise<string> => {
  await needsOtherUser(call, id);
  const store = userStore(call.db);
  const user = await store.hold(authority, id);
  await store.needsOtherAdmin(user);
  await store.remove(id, call.now);
  await signOut(call, id);
  return user.username;
};

/** The accounts that the caller manages, and their own. */
const seenBy = (authority: Authority) => sql<SqlBool>`(u.id = ${authority.userId} or ${managed(authority)})`;

export const userRoutes = (serve: Serve, { provePassword, vault }: UserDeps): void => {
  const names = createForeignNames();
  serve(userEndpoints.list, async (call) => userStore(call.db).list(await readerOf(call), call.body));

  serve(userEndpoints.export, async (call) => {
    const { db, body } = call;
    return sendTable(call, userSheet, userStore(db).every(await readerOf(call), body), body.project_id);
  });

  serve(userEndpoints.detail, async (call) => {
    const store = userStore(call.db);
    const user = await store.one(await readerOf(call), call.body.user_id);
    return { user, ...(await store.depends(user.user_id)) };
  });

  serve(userEndpoints.roles, async ({ db, caller, language }) => {
    const assignable = await assignableRoles(db, await authorityOf(db, caller, 'user.read'));
    return assignable
      .map(({ id, code, name, enabled }) => ({
        role_id: id,
        role: code,
        name: roleName(code, name, language),
        enabled,
        place: placeKindOf(code),
      }))
      .sort((a, b) => a.role - b.role);
  });

  serve(userEndpoints.add, async (call) => {
    const { db, caller, body, now, note } = call;
    // Before the caller's own password is asked for, so that all marks of the form come first.
    await needsGoodPassword(db, body.password, body.username);
    await needsProof(call, provePassword, body.own_password);
    const authority = await writerOf(call);
    const { role, place } = await assignmentOf(call, authority, { roleId: body.role_id }, body);
    mayBeAutomatic(role.code, body.auto_sign_in);
    await needsFreeName(db, names(caller, now), { username: body.username, seen: seenBy(authority) });
    const user_id = await newAccountStore(db).add(
      {
        ...body,
        role: role.code,
        regionId: place.regionId,
        projectIds: place.projectId === null ? [] : [place.projectId],
        partIds: place.partIds,
        autoSignIn: body.auto_sign_in,
      },
      new Date(now),
    );
    note({ projectId: place.projectId, user_id });
    return { user_id };
  });

  serve(userEndpoints.edit, async (call) => {
    const { db, body, note } = call;
    const { user_id, revision, role_id, region_id, project_id, part_ids, own_password, ...rest } = body;
    const { auto_sign_in, ...texts } = rest;
    const places = [region_id, project_id, part_ids].some((given) => given !== undefined);
    const assigns = role_id !== undefined || places;
    if (assigns || auto_sign_in !== undefined) await needsProof(call, provePassword, own_password);
    const authority = await writerOf(call);
    const store = userStore(db);
    const user = await store.hold(authority, user_id);
    note({ username: user.username });
    if (revision !== undefined && revision !== user.revision) fault('thing.changed');
    if (texts.username !== undefined)
      await needsFreeName(db, names(call.caller, call.now), {
        username: texts.username,
        besides: user_id,
        seen: seenBy(authority),
      });
    let role = user.role;
    if (assigns) {
      await needsOtherUser(call, user_id);
      const next = await assignmentOf(
        call,
        authority,
        { roleId: role_id ?? user.roleId, presentRole: user.roleId },
        body,
      );
      role = next.role.code;
      if (role !== builtInRoles.admin) await store.needsOtherAdmin(user);
      await store.setRole(user_id, next.role.id, next.place);
    }
    mayBeAutomatic(role, auto_sign_in ?? user.autoSignIn);
    await store.edit(user_id, {
      ...texts,
      autoSignIn: auto_sign_in,
    });
    if (assigns) await signOut(call, user_id);
    return {};
  });

  serve(userEndpoints.setStatus, async (call) => {
    const { body, db, note } = call;
    const authority = await writerOf(call);
    await needsOtherUser(call, body.user_id);
    const store = userStore(db);
    const user = await store.hold(authority, body.user_id);
    note({ username: user.username });
    if (!body.enabled) await store.needsOtherAdmin(user);
    await store.setStatus(user.id, body.enabled);
    if (!body.enabled) await signOut(call, user.id);
    return {};
  });

  serve(userEndpoints.remove, async (call) => {
    const { body, language, note } = call;
    const authority = await writerOf(call);
    const { names, answer } = await removeOneByOne(body.ids, language, (id) =>
      removeOne(call, authority, id),
    );
    note({ usernames: names });
    return answer;
  });

  serve(userEndpoints.resetPassword, async (call) => {
    const { db, body, now, note } = call;
    await needsProof(call, provePassword, body.own_password);
    const authority = await writerOf(call);
    const store = userStore(db);
    const user = await store.hold(authority, body.user_id);
    note({ username: user.username });
    await needsGoodPassword(db, body.password, user.username);
    await store.setPassword(user.id, body.password, now);
    await signOut(call, user.id);
    return {};
  });

  serve(userEndpoints.resetTwoStep, async (call) => {
    const { db, body, note } = call;
    await needsProof(call, provePassword, body.own_password);
    const authority = await writerOf(call);
    const user = await userStore(db).hold(authority, body.user_id);
    note({ username: user.username });
    await twoStep(db, vault).remove(user.id);
    await signOut(call, user.id);
    return {};
  });

  serve(userEndpoints.smsGateway, async (call) => {
    const { db, caller, body, now } = call;
    needsEveryProject(caller.scope);
    const { url, token, allow_private } = body;
    if (url !== undefined) {
      await needsProof(call, provePassword, body.own_password);
      await setSmsGateway(db, vault, url === '' ? null : { url, token, allow_private }, now);
    }
    const gateway = await smsGateway(db);
    return {
      url: gateway?.url ?? '',
      has_token: Boolean(gateway?.sealed_token),
      token_unreadable: gateway !== null && smsToken(vault, gateway) === null,
      allow_private: gateway?.allow_private ?? false,
    };
  });
  serve(userEndpoints.smsOutbox, ({ db, caller }) => {
    needsEveryProject(caller.scope);
    return smsOutbox(db);
  });

  serve(userEndpoints.sessions, async (call) => {
    const user = await userStore(call.db).one(await readerOf(call), call.body.user_id);
    return sessionStore(call.db).sessionsOf(user.user_id, call.caller.tokenHash, call.now);
  });
  serve(userEndpoints.exportSessions, async (call) => {
    const user = await userStore(call.db).one(await readerOf(call), call.body.user_id);
    const rows = sessionStore(call.db).sessionsOf(user.user_id, call.caller.tokenHash, call.now);
    return sendTable(call, sessionSheet, eachOf(await rows));
  });

  serve(userEndpoints.endSessions, async (call) => {
    const { db, body, note } = call;
    const authority = await writerOf(call);
    const user = await userStore(db).hold(authority, body.user_id);
    note({ username: user.username });
    if (body.id === undefined) return { done: await endSessions(call, user.id, 'revoked') };
    await endSession(call, user.id, await sessionStore(db).hashOf(user.id, body.id), 'revoked');
    return { done: 1 };
  });
};
