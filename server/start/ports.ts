import { StartError } from '#database/start-error.ts';

/** Throws the sentence that explains what to do about a port that is not available. */
export const portTaken = (error: unknown, variable: string, port: number): never => {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'EADDRINUSE')
    throw new StartError(
      `Port ${port} is in use by another program: stop it, or start with ${variable}=${port + 1}.`,
    );
  if (code === 'EACCES')
    throw new StartError(`Port ${port} may not be opened by this user: start with ${variable} above 1023.`);
  throw error;
};
