import { accessActs, accessEndpoints } from '#contract/access.ts';
import { isBuiltIn } from '#contract/permissions.ts';
import { roleName } from '#contract/role-names.ts';
import { accountOf, accountsOf } from '#server/core/account.ts';
import { authorityOf } from '#server/core/authority.ts';
import { mayCall } from '#server/core/scope.ts';
import type { Serve } from '#server/core/serve.ts';
import { lettersBy, lettersGranting, reachOf, verdictOf } from './access.rules.ts';
import { accessStore, mostCandidates, type SubjectRow } from './access.store.ts';
import { everyRight, lineVerdict } from './line.ts';

const isByRegion = ({ role, projects }: SubjectRow): boolean =>
  role === 2 || (!isBuiltIn(role) && projects === null);
const whyOf = ({ enabled, role_enabled }: SubjectRow): 'enabled' | 'disabled' | 'roleDisabled' =>
  enabled ? (role_enabled ? 'enabled' : 'roleDisabled') : 'disabled';
const placesOf = (subject: SubjectRow): string[] =>
  isByRegion(subject)
    ? subject.region === null
      ? []
      : [subject.region]
    : (subject.projects ?? []).map(({ name, parts }) =>
        parts.length === 0 ? name : `${name}: ${parts.join(', ')}`,
      );

export const accessRoutes = (serve: Serve): void => {
  serve(accessEndpoints.explain, async ({ db, caller, body, now, language }) => {
    const authority = await authorityOf(db, caller, 'user.read');
    const store = accessStore(db);
    const subject = await store.subject(authority, body.user_id);
    const device = await store.device(authority.scope, body.device_id);
    const permissions = accessActs[body.act];
    const account = await accountOf(db, subject.id);
    const verdict = verdictOf({ account, permissions, place: device });
    const line = await lineVerdict(db, {
      deviceId: device.id,
      lineId: body.line_id,
      act: body.act,
      by: account ?? everyRight,
      now,
      language,
    });
    return {
      allowed: verdict.allowed && line?.allowed !== false,
      user: { user_id: subject.id, name: subject.name, username: subject.username },
      device: { device_id: device.id, number: device.number, name: device.name, project: device.project },
      account: {
        ok: verdict.account,
        why: whyOf(subject),
      },
      permission: {
        ok: verdict.permission,
        role_name: roleName(subject.role, subject.role_name, language),
        built_in: isBuiltIn(subject.role),
        needs: permissions.map((permission) => ({
          permission,
          ok: account !== null && mayCall(account, permission),
          by: lettersBy(subject.role, subject.letters, permission),
          letters: lettersGranting(permission),
        })),
      },
      scope: {
        ok: verdict.scope,
        reach: account ? reachOf(account.scope, device, isByRegion(subject)) : 'none',
        places: placesOf(subject),
      },
      line,
    };
  });

  serve(accessEndpoints.who, async ({ db, caller, body, now, language }) => {
    const authority = await authorityOf(db, caller, 'user.read');
    const store = accessStore(db);
    const device = await store.device(authority.scope, body.device_id);
    const permissions = accessActs[body.act];
    const candidates = await store.candidates(authority, permissions, device);
    const accounts = await accountsOf(
      db,
      candidates.map(({ id }) => id),
    );
    const allowed = candidates.flatMap((each) => {
      const account = accounts.get(each.id) ?? null;
      return account && verdictOf({ account, permissions, place: device }).allowed
        ? [{ ...each, account }]
        : [];
    });
    const own = allowed.filter(({ managed }) => managed);
    return {
      list: own.slice(0, body.limit).map(({ id, name, username, role, role_name, byRegion, account }) => ({
        user_id: id,
        name,
        username,
        role_name: roleName(role, role_name, language),
        reach: reachOf(account.scope, device, byRegion),
      })),
      others: allowed.length - own.length,
      more: own.length > body.limit || candidates.length > mostCandidates,
      line: await lineVerdict(db, {
        deviceId: device.id,
        lineId: body.line_id,
        act: body.act,
        by: everyRight,
        now,
        language,
      }),
    };
  });
};
