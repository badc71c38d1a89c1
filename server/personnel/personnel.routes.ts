import { personColumns, sheetNames } from '#contract/columns.ts';
import { type PersonRow, personnelEndpoints } from '#contract/personnel.ts';
import { fault } from '#server/core/fault.ts';
import { removeOneByOne } from '#server/core/one-by-one.ts';
import type { Serve } from '#server/core/serve.ts';
import type { Cell } from '#server/core/spreadsheet.ts';
import { sendTable, sheetOf } from '#server/core/table.ts';
import { personnelStore } from './personnel.store.ts';

const cellOf = (row: PersonRow, column: keyof typeof personColumns): Cell => {
  if (column === 'projects') return row.projects.map(({ name }) => name).join('; ');
  return column === 'created_at' ? new Date(row.created_at) : row[column];
};
const sheet = sheetOf(sheetNames.personnel, personColumns, { created_at: 'instant' }, cellOf);

export const personnelRoutes = (serve: Serve): void => {
  serve(personnelEndpoints.list, ({ db, caller, body }) => personnelStore(db).list(caller.scope, body));

  serve(personnelEndpoints.export, (call) => {
    const { db, caller, body } = call;
    return sendTable(call, sheet, personnelStore(db).every(caller.scope, body), body.project_id);
  });

  serve(personnelEndpoints.add, async ({ db, caller, body, now }) => {
    const store = personnelStore(db);
    await store.needsProjects(caller.scope, body.project_ids);
    return { person_id: await store.add(body, now) };
  });

  serve(personnelEndpoints.edit, async ({ db, caller, body, note }) => {
    const { person_id, revision, project_ids, ...changes } = body;
    const store = personnelStore(db);
    const person = await store.hold(caller.scope, person_id);
    note({ name: person.name });
    if (revision !== undefined && revision !== person.revision) fault('thing.changed');
    const changesPerson = Object.values(changes).some((text) => text !== undefined);
    if (changesPerson && person.shared) fault('person.shared');
    if (project_ids !== undefined) {
      await store.needsProjects(caller.scope, project_ids);
      await store.setProjects(caller.scope, person_id, project_ids);
    }
    await store.edit(person_id, changes);
    return {};
  });

  serve(personnelEndpoints.remove, async ({ db, caller, body, language, note }) => {
    const store = personnelStore(db);
    const ids = body.ids.toSorted((a, b) => a - b);
    const { names, answer } = await removeOneByOne(ids, language, async (id) => {
      const person = await store.hold(caller.scope, id);
      await store.remove(caller.scope, person);
      return person.name;
    });
    note({ names });
    return answer;
  });
};
