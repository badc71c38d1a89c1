import { searchEndpoints } from '#contract/search.ts';
import type { Serve } from '#server/core/serve.ts';
import { searchStore } from './search.store.ts';

export const searchRoutes = (serve: Serve): void => {
  serve(searchEndpoints.find, ({ db, caller, body, language, now }) =>
    searchStore(db).find(caller, body.text, body.limit, language, now),
  );
};
