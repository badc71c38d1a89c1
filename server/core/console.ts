import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import serveStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FirstFiles } from '#contract/first-files.ts';
import { type Language, languageCookie, languageFrom } from '#contract/languages.ts';
import { appManifest } from './app-manifest.ts';
import type { ContentPolicy } from './content-policy.ts';

const built = fileURLToPath(new URL('../../dist/web/', import.meta.url));

const linkTo = (file: string): string =>
  `<link ${file.endsWith('.css') ? 'rel="preload" as="style"' : 'rel="modulepreload"'} crossorigin href="/${file}">`;
/**
 * Links by which the page of an address requests the files of its screen together with itself, not after its first
 * scripts have run. An address without a screen of its own requests those of the frame.
 */
const readLinks = async (): Promise<(address: string, language: Language) => string> => {
  const text = await readFile(`${built}.vite/first-files.json`, 'utf8').catch(() => null);
  if (text === null) return () => '';
  const { frame, screens }: FirstFiles = JSON.parse(text);
  return (address, language) =>
    [frame, Object.hasOwn(screens, address) ? screens[address] : undefined]
      .flatMap((needed) => (needed ? [...needed.files, ...needed.words[language]] : []))
      .map(linkTo)
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
  const linksOf = await readLinks();
  const pageInside = (request: FastifyRequest): string => {
    const [pathname = ''] = request.url.split('?');
    const language = languageFrom(request.cookies?.[languageCookie], request.headers['accept-language']);
    return page.replace('</head>', `${linksOf(pathname.replace(/^\/home\//, ''), language)}</head>`);
  };
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
    app.get(path, (request, reply) => sendPage(reply, pageInside(request)));
  // A mistyped address: the console says so in the reader's language; programs get the fault.
  app.get('*', (request, reply) =>
    request.headers.accept?.includes('text/html')
      ? sendPage(reply.status(404), pageInside(request))
      : reply.callNotFound(),
  );
};
