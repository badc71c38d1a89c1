import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import * as z from 'zod';

/** Page, size and order of a list in the address. */
export const listShape = {
  page: z.coerce.number().int().min(1).catch(1),
  limit: z.coerce.number().int().min(1).max(200).catch(20),
  sort: z.string().optional().catch(undefined),
};
export const optionalText = z.string().optional().catch(undefined);
export const optionalNumber = z.coerce.number().optional().catch(undefined);
export const optionalOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values).optional().catch(undefined);

type Patch = Readonly<Record<string, string | number | boolean | undefined | null>>;
export type SetUrl = (patch: Patch, how?: { push?: boolean }) => void;

const asText = (patch: Patch): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(patch).map(([key, value]) => [
      key,
      value === undefined || value === null || value === '' ? undefined : String(value),
    ]),
  );

/** State of a screen in the address: a copied address shows the same screen again. */
export const useUrlState = <Schema extends z.ZodType>(schema: Schema): [z.output<Schema>, SetUrl] => {
  const raw: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const state = useMemo(() => schema.parse(raw), [raw, schema]);
  const set = useCallback<SetUrl>(
    (patch, { push = false } = {}) => {
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => ({ ...before, ...asText(patch) }),
        replace: !push,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return [state, set];
};
