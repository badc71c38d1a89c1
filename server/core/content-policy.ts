import type { Config } from './config.ts';

/** The content security policy of the console page, for the nonce of one answer. */
export type ContentPolicy = (nonce: string) => string;

const originOf = (address: string): string => new URL(address.replaceAll(/\{\w+\}/g, '0')).origin;
const list = (...sources: readonly string[]): string => [...new Set(sources)].join(' ');

/**
 * Allows only the page's own files, and for maps: images of the tile host and, if a provider's script is
 * configured, that script's own and named hosts. Scripts compiled from text are allowed only for a provider
 * whose script needs them (`MAP_SCRIPT_EVAL`).
 */
export const contentPolicyOf = ({ tileUrl, script }: Config['map']): ContentPolicy => {
  const tiles = tileUrl ? [originOf(tileUrl)] : [];
  const provider = script ? [originOf(script.url), ...script.hosts] : [];
  return (nonce) =>
    [
      "default-src 'self'",
      `script-src ${list("'self'", `'nonce-${nonce}'`, ...provider, ...(script?.eval ? ["'unsafe-eval'"] : []))}`,
      `style-src ${list("'self'", `'nonce-${nonce}'`, ...provider)}`,
      "style-src-attr 'unsafe-inline'",
      `font-src ${list("'self'", ...provider, ...(script ? ['data:'] : []))}`,
      `img-src ${list("'self'", 'data:', 'blob:', ...tiles, ...provider)}`,
      `connect-src ${list("'self'", ...tiles, ...provider, ...(script ? ['data:', 'blob:'] : []))}`,
      "worker-src 'self' blob:",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; ');
};
