import type { FastifyRequest } from 'fastify';
import { hashToken } from './session.ts';

/** The cookie by which a browser is known again after a sign-in; each sign-in changes it. */
export const browserCookie = 'known_browser';
/** The hash of the browser's token; null if nobody has signed in with this browser. */
export const browserOf = ({ cookies }: Pick<FastifyRequest, 'cookies'>): Buffer | null => {
  const token = cookies[browserCookie];
  return token === undefined ? null : hashToken(token);
};
