import { makeQueryClient } from '../api/query.ts';

/** What the console knows of the server: one for all its screens. */
export const queryClient = makeQueryClient();
