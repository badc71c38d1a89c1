import { readFile } from 'node:fs/promises';
import { reasonOf, StartError } from '#database/start-error.ts';
import type { Config } from '#server/core/config.ts';

export interface Tls {
  cert: Buffer;
  key: Buffer;
}
const readPem = (file: string, variable: string): Promise<Buffer> =>
  readFile(file).catch((error: unknown) => {
    throw new StartError(`${variable} ${file} cannot be read (${reasonOf(error)}).`);
  });

export const readTls = async ({ tls }: Config): Promise<Tls | undefined> =>
  tls && { cert: await readPem(tls.certFile, 'TLS_CERT'), key: await readPem(tls.keyFile, 'TLS_KEY') };
