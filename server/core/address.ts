import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * The address that a call comes from: the one that the trusted proxies report, without the port that some add.
 * If they report none (`unknown`, or any other text), it is the address of the connection.
 */
export const addressOf = ({ ip, socket }: FastifyRequest): string => {
  const withoutPort = /^\[(.*)\](?::\d+)?$/.exec(ip)?.[1] ?? /^([\d.]+):\d+$/.exec(ip)?.[1] ?? ip;
  return isIP(withoutPort) === 0 ? (socket.remoteAddress ?? '') : withoutPort;
};
