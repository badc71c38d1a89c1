import { trendEndpoints } from '#contract/trends.ts';
import { createMemory } from '#server/core/memory.ts';
import type { Serve } from '#server/core/serve.ts';
import { trendDetail, trendList } from './trends.store.ts';

/** Trends change once a day, so users of the same project share one answer for this time. */
const shared = { freshMs: 60_000, shownMs: 300_000 };

export const trendRoutes = (serve: Serve): void => {
  const remembered = createMemory();
  serve(trendEndpoints.list, ({ db, caller, body, now }) =>
    remembered(JSON.stringify([caller.scope, body]), shared, now, () =>
      trendList(db, caller.scope, body, now),
    ),
  );
  serve(trendEndpoints.detail, ({ db, caller, body, now }) =>
    trendDetail(db, caller.scope, body.line_id, now),
  );
};
