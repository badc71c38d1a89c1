import { projectEndpoints } from '#contract/projects.ts';
import type { Serve } from '#server/core/serve.ts';
import { projectStore } from './projects.store.ts';

export const projectRoutes = (serve: Serve): void => {
  serve(projectEndpoints.list, ({ db, caller, body, now }) => projectStore(db).list(caller.scope, body, now));
  serve(projectEndpoints.options, ({ db, caller, body }) => projectStore(db).options(caller.scope, body));
};
