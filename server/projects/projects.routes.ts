import { projectEndpoints, tableListEndpoint } from '#contract/projects.ts';
import { deviceTypes } from '#contract/telemetry.ts';
import { mustBeSafeForAll, provesIdentity } from '#server/control/hazard.ts';
import { createForeignNames } from '#server/core/foreign-names.ts';
import type { ProvePassword } from '#server/core/identity.ts';
import type { Serve } from '#server/core/serve.ts';
import { sendTable } from '#server/core/table.ts';
import { mustManageProject } from '#server/core/visible-project.ts';
import { projectChanges } from './changes.ts';
import { deleteProjects, dependentsOf } from './delete.ts';
import { arrangeSite, siteDiagram } from './diagram.ts';
import { projectSheet } from './export.ts';
import { projectForm } from './form.ts';
import { projectParts } from './parts.ts';
import { projectStore } from './projects.store.ts';

/** `publicUrl`: the address at which users reach the console; null: that of the request. */
export const projectRoutes = (
  serve: Serve,
  { publicUrl, ...deps }: { publicUrl: string | null; provePassword: ProvePassword },
): void => {
  for (const endpoint of [projectEndpoints.list, tableListEndpoint])
    serve(endpoint, ({ db, caller, body, now, language }) =>
      projectStore(db).list(caller.scope, body, now, language),
    );
  serve(projectEndpoints.options, ({ db, caller, body }) => projectStore(db).options(caller.scope, body));
  serve(projectEndpoints.export, (call) => {
    const { db, caller, body, now, language } = call;
    return sendTable(call, projectSheet, projectStore(db).every(caller.scope, body, now, language));
  });
  serve(projectEndpoints.form, ({ db, caller, body, language }) =>
    projectForm(db, caller.scope, body.project_id, language),
  );

  const names = createForeignNames();
  serve(projectEndpoints.add, async ({ db, caller, body, now, note, emit }) => {
    const { time_zone, ...made } = await projectChanges(db).add(caller, body, {
      at: new Date(now),
      names: names(caller, now),
    });
    note({ projectId: made.project_id, username: made.username, new_user_id: made.user_id });
    emit('project.changed', { projectId: made.project_id, timeZone: time_zone });
    return made;
  });
  serve(projectEndpoints.edit, async (call) => {
    const { db, caller, body, language, note, emit } = call;
    note({ projectId: body.project_id });
    // Checked before the row of the project is locked, because checking a password takes time.
    const proved = await provesIdentity(call, deps.provePassword);
    const concerned = { deviceTypes, projectId: body.project_id, limits: ['un'] };
    await projectChanges(db).edit(caller, body, {
      now: call.now,
      mayMoveLimits: () => mustBeSafeForAll(call, 'weakens', { concerned, proved }),
    });
    const form = await projectForm(db, caller.scope, body.project_id, language);
    emit('project.changed', { projectId: form.project_id, timeZone: form.time_zone });
    return form;
  });
  serve(projectEndpoints.dependents, async ({ db, caller, body }) => ({
    list: await dependentsOf(db, caller.scope, body.project_ids),
  }));
  serve(projectEndpoints.delete, async ({ db, caller, body, now, language, note, emit }) => {
    const at = new Date(now);
    const { results, deleted, unbound, names } = await deleteProjects(db, caller.scope, body, at, language);
    note({
      ...(deleted.length === 1 ? { projectId: deleted[0]!.id } : {}),
      names,
      devices_unbound: unbound.length,
      results: results.map(({ id, result }) => ({ id, result })),
    });
    for (const deviceId of unbound) emit('device.changed', { deviceId, what: 'place' });
    for (const { id, time_zone } of deleted) emit('project.changed', { projectId: id, timeZone: time_zone });
    return { results };
  });

  serve(projectEndpoints.qrcode, async ({ db, caller, body, request, language }) => {
    const { project_id, name } = await projectForm(db, caller.scope, body.project_id, language);
    const origin = publicUrl ?? `${request.protocol}://${request.host}`;
    return { project_id, name, url: `${origin}/home/configinfo?project_id=${project_id}` };
  });
  serve(projectEndpoints.findDevices, async ({ db, caller, body }) => {
    await mustManageProject(db, caller.scope, body.project_id);
    return { list: await projectStore(db).findDevices(caller.scope, body.project_id, body.numbers) };
  });

  serve(projectEndpoints.diagram, ({ db, caller, body, now }) =>
    siteDiagram(db, caller.scope, body.project_id, now),
  );
  serve(projectEndpoints.arrange, async ({ db, caller, body, note }) => {
    note({ projectId: body.project_id });
    await arrangeSite(db, caller.scope, body);
    return {};
  });

  serve(projectEndpoints.parts, ({ db, caller, body }) =>
    projectParts(db).list(caller.scope, body.project_id),
  );
  serve(projectEndpoints.addPart, async ({ db, caller, body, note }) => {
    note({ projectId: body.project_id });
    return projectParts(db).add(caller.scope, body);
  });
  serve(projectEndpoints.editPart, async ({ db, caller, body, note }) => {
    const part = await projectParts(db).rename(caller.scope, body);
    note({ projectId: part.project_id });
    return part;
  });
  serve(projectEndpoints.deletePart, async ({ db, caller, body, note }) => {
    const { project_id, name } = await projectParts(db).delete(caller.scope, body.part_id);
    note({ projectId: project_id, name });
    return {};
  });
};
