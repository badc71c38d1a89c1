import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import serveStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { languageFrom } from '#contract/languages.ts';
import { appManifest } from './app-manifest.ts';
import type { ContentPolicy } from './content-policy.ts';

const built = fileURLToPath(new URL('../../dist/web/', import.meta.url));

interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
}
const manifestFile = `${built}.vite/manifest.json`;

/** All files that a console source loads immediately. */
const filesOf = (manifest: Record<string, Chunk>, source: string): Set<string> => {
  const sources = new Set([source]);
  for (const each of sources) for (const needed of manifest[each]?.imports ?? []) sources.add(needed);
  const chunks = [...sources].flatMap((each) => manifest[each] ?? []);
  return new Set(chunks.flatMap(({ file, css }) => [file, ...(css ?? [])]));
};

/**
 * Requests the modules for signed-in users together with the page, not after the page's first script has run.
 */
const preloadLinks = async (): Promise<string> => {
  const text = await readFile(manifestFile, 'utf8').catch(() => '{}');
  const manifest: Record<string, Chunk> = JSON.parse(text);
  const there = filesOf(manifest, 'index.html');
  return [...filesOf(manifest, 'app/Console.tsx')]
    .filter((file) => !there.has(file))
    .map((file) => {
      const kind = file.endsWith('.css') ? 'rel="preload" as="style"' : 'rel="modulepreload"';
      return `<link ${kind} crossorigin href="/${file}">`;
    })
    .join('');
};

/**
 * Serves the built console: hashed assets for a year, the page itself always fresh with its own nonce, and
 * the page for every path that a link may use.
 */
export const serveConsole = async (
  app: FastifyInstance,
  presentPolicy: () => Promise<ContentPolicy>,
): Promise<void> => {
  const page = await readFile(`${built}index.html`, 'utf8').catch(() => null);
  if (page === null) return;
  await app.register(serveStatic, {
    root: built,
    index: false,
    // The page itself is served below, with its own nonce. Compressed files are found beside the requested
    // file.
    globIgnore: ['index.html*', 'manifest.webmanifest*', '**/*.{br,gz}'],
    wildcard: false,
    preCompressed: true,
    setHeaders: (reply, path) => {
      reply.header(
        'cache-control',
        path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
  const manifest: Record<string, unknown> = JSON.parse(
    await readFile(`${built}manifest.webmanifest`, 'utf8'),
  );
  app.get('/manifest.webmanifest', (request, reply) =>
    reply
      .header('cache-control', 'no-cache')
      .header('vary', 'accept-language')
      .type('application/manifest+json; charset=utf-8')
      .send(
        JSON.stringify(appManifest(manifest, languageFrom(undefined, request.headers['accept-language']))),
      ),
  );
  const pageInside = page.replace('</head>', `${await preloadLinks()}</head>`);
  const sendPage = async (reply: FastifyReply, sent = page) => {
    const contentPolicy = await presentPolicy();
    const nonce = randomBytes(16).toString('base64');
    return reply
      .header('content-security-policy', contentPolicy(nonce))
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(sent.replaceAll('__NONCE__', nonce));
  };
  app.get('/', (_request, reply) => sendPage(reply));
  app.get('/index.html', (_request, reply) => sendPage(reply));
  app.get('/lowversion', (_request, reply) => reply.sendFile('lowversion.html'));
  app.get('/autologin', (_request, reply) => sendPage(reply));
  for (const path of ['/home', '/home/*', '/p/:number'])
    app.get(path, (_request, reply) => sendPage(reply, pageInside));
  // A mistyped address: the console says so in the reader's language; programs get the fault.
  app.get('*', (request, reply) =>
    request.headers.accept?.includes('text/html')
      ? sendPage(reply.status(404), pageInside)
      : reply.callNotFound(),
  );
};
