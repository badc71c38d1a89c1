import { makeQueryClient } from '#web/api/query.ts';

/** What the console knows of the server: one for all its screens. */
export const queryClient = makeQueryClient();
