import { useIsCut } from './link-state.ts';

/**
 * The answer of a query as long as it is known: undefined before the first answer, and after a refresh that failed.
 * Without contact to the server the last answer stays, because the frame says how old everything is.
 */
export const useKnown = <Data>({
  data,
  error,
}: {
  data: Data | undefined;
  error: Error | null;
}): Data | undefined => {
  const isCut = useIsCut();
  return error !== null && !isCut ? undefined : data;
};
