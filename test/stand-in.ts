import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Heard {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: http.IncomingHttpHeaders;
  body: string;
}
export interface StandIn {
  url: string;
  heard: Heard[];
  /** How it answers from now on; 'hang' never answers, 'drop' ends the connection. */
  answer(reply: Reply): void;
  close(): Promise<void>;
}

type Answer = { status: number; body?: string; headers?: Record<string, string> } | 'hang' | 'drop';
export type Reply = (request: Heard) => Answer | Promise<Answer>;

/** A stand-in for an external service, on a free port of this machine. */
export const standIn = async (): Promise<StandIn> => {
  const heard: Heard[] = [];
  let reply: Reply = () => ({ status: 200 });
  const server = http.createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const address = new URL(request.url ?? '/', 'http://stand-in');
      const one: Heard = {
        method: request.method ?? '',
        path: address.pathname,
        query: address.searchParams,
        headers: request.headers,
        body: Buffer.concat(pieces).toString('latin1'),
      };
      heard.push(one);
      void Promise.resolve(reply(one)).then((answer) => {
        if (answer === 'hang') return;
        if (answer === 'drop') return void request.socket.destroy();
        response
          .writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
          .end(answer.body ?? '');
      });
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    answer(next) {
      reply = next;
    },
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
};
