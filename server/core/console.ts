import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import serveStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ContentPolicy } from './content-policy.ts';

const built = fileURLToPath(new URL('../../dist/web/', import.meta.url));

/**
 * Serves the built console: hashed assets for a year, the page itself fresh with its own nonce, and the page for
 * every path that a link may point to.
 */
export const serveConsole = async (app: FastifyInstance, contentPolicy: ContentPolicy): Promise<void> => {
  const page = await readFile(`${built}index.html`, 'utf8').catch(() => null);
  if (page === null) return;
  await app.register(serveStatic, {
    root: built,
    index: false,
    // Only with its own nonce: below.
    globIgnore: ['index.html*'],
    wildcard: false,
    preCompressed: true,
    setHeaders: (reply, path) => {
      reply.header(
        'cache-control',
        path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
  const sendPage = (reply: FastifyReply) => {
    const nonce = randomBytes(16).toString('base64');
    return reply
      .header('content-security-policy', contentPolicy(nonce))
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(page.replaceAll('__NONCE__', nonce));
  };
  app.get('/', (_request, reply) => sendPage(reply));
  app.get('/index.html', (_request, reply) => sendPage(reply));
  app.get('/lowversion', (_request, reply) => reply.sendFile('lowversion.html'));
  app.get('/autologin', (_request, reply) => sendPage(reply));
  app.get('/home', (_request, reply) => sendPage(reply));
  app.get('/home/*', (_request, reply) => sendPage(reply));
  app.get('/p/:number', (_request, reply) => sendPage(reply));
};
