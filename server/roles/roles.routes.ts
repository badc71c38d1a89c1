import { enabledWords, roleColumns, sheetNames } from '#contract/columns.ts';
import { pageOfShort } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import { type Letter, ofLetter } from '#contract/permissions.ts';
import { type RoleRow, roleEndpoints } from '#contract/roles.ts';
import { type Authority, authorityOf, belowOf, lockPeople } from '#server/core/authority.ts';
import { fault } from '#server/core/fault.ts';
import { needsProof, type ProvePassword } from '#server/core/identity.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import type { Cell } from '#server/core/spreadsheet.ts';
import { eachOf, sendTable, sheetOf } from '#server/core/table.ts';
import { roleStore } from './roles.store.ts';

type Writing = Pick<Call<unknown>, 'db' | 'caller'>;
const writerOf = async ({ db, caller }: Writing): Promise<Authority> => {
  await lockPeople(db);
  return authorityOf(db, caller, 'role.write');
};

/** The caller may not give a letter that they lack, or that includes a permission they lack. */
const needsLettersWithin = (authority: Authority, chosen: readonly Letter[]): void => {
  const beyond = chosen.some(
    (letter) =>
      !authority.letters.has(letter) || ofLetter[letter].some((one) => !authority.permissions.has(one)),
  );
  if (beyond) fault('user.beyond', { fields: { letters: 'user.beyond' } });
};

const cellOf = (row: RoleRow, column: keyof typeof roleColumns, language: Language): Cell => {
  if (column === 'letters') return row.letters.join('');
  return column === 'status' ? enabledWords[row.status][language] : row[column];
};
const sheet = sheetOf(sheetNames.roles, roleColumns, { users: 'number' }, cellOf);

export const roleRoutes = (serve: Serve, { provePassword }: { provePassword: ProvePassword }): void => {
  serve(roleEndpoints.list, async ({ db, caller, body, language }) =>
    pageOfShort(await roleStore(db).list(await authorityOf(db, caller, 'role.read'), language), body),
  );

  serve(roleEndpoints.export, async (call) => {
    const { db, caller, language } = call;
    const rows = await roleStore(db).list(await authorityOf(db, caller, 'role.read'), language);
    return sendTable(call, sheet, eachOf(rows));
  });

  serve(roleEndpoints.add, async (call) => {
    const { db, body } = call;
    await needsProof(call, provePassword, body.own_password);
    const authority = await writerOf(call);
    const store = roleStore(db);
    await store.needsParent(authority, body.parent_id, new Set());
    needsLettersWithin(authority, body.letters);
    await store.needsName(authority, body.parent_id, body.name);
    const role_id = await store.add({
      ...body,
      parentId: body.parent_id,
      ownerId: authority.scope.all ? null : authority.userId,
    });
    return { role_id };
  });

  serve(roleEndpoints.edit, async (call) => {
    const { db, body, note, emit } = call;
    const { role_id, revision, name, description, parent_id, letters } = body;
    if (letters !== undefined || parent_id !== undefined)
      await needsProof(call, provePassword, body.own_password);
    const authority = await writerOf(call);
    const store = roleStore(db);
    const { role, builtIn, revision: current } = await store.hold(authority, role_id);
    note({ role: role.name });
    if (revision !== undefined && revision !== current) fault('thing.changed');
    if (builtIn && (letters !== undefined || parent_id !== undefined)) fault('role.builtIn');
    if (parent_id !== undefined)
      await store.needsParent(authority, parent_id, new Set([role_id, ...belowOf(authority.tree, role_id)]));
    if (letters !== undefined) needsLettersWithin(authority, letters);
    await store.needsName(authority, parent_id ?? role.parentId, name ?? role.name, role_id);
    await store.edit(role_id, { name, description, parentId: parent_id, letters });
    if (letters !== undefined) emit('rights.changed', { roleId: role_id });
    return {};
  });

  serve(roleEndpoints.setStatus, async ({ db, caller, body, note, emit }) => {
    const authority = await writerOf({ db, caller });
    const store = roleStore(db);
    const { role } = await store.hold(authority, body.role_id);
    note({ role: role.name });
    if (role.code === 1) fault('role.top');
    await store.edit(role.id, { enabled: body.enabled });
    emit('rights.changed', { roleId: role.id });
    return {};
  });

  serve(roleEndpoints.setTwoStep, async ({ db, caller, body, note, emit }) => {
    const authority = await writerOf({ db, caller });
    const store = roleStore(db);
    const role =
      authority.scope.all && authority.tree.has(body.role_id)
        ? authority.tree.get(body.role_id)!
        : (await store.hold(authority, body.role_id)).role;
    note({ role: role.name });
    await store.setTwoStep(role.id, body.required);
    emit('rights.changed', { roleId: role.id });
    return {};
  });

  serve(roleEndpoints.remove, async ({ db, caller, body, note }) => {
    const authority = await writerOf({ db, caller });
    const store = roleStore(db);
    const { role, builtIn } = await store.hold(authority, body.role_id);
    note({ role: role.name });
    if (builtIn) fault('role.builtIn');
    const { names, more } = await store.usedBy(authority, role.id);
    if (names.length + more > 0)
      fault('role.inUse', { with: { by: [...names, ...(more > 0 ? [`+${more}`] : [])].join(', ') } });
    await store.remove(role);
    return {};
  });
};
