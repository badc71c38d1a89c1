import { lookup as resolve } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';

type Failure = 'timeout' | 'unreachable' | 'private_address';
export type Answer =
  | {
      readonly ok: true;
      readonly status: number;
      readonly body: string;
      /** The header `Retry-After`. */
      readonly retryAfter: string | undefined;
    }
  /** 'unreachable' and 'private_address': certainly not received; 'timeout': unknown. */
  | { readonly ok: false; readonly failure: Failure; readonly error: string };

const longestAnswerBytes = 64 * 1024;

// Two lists, because a combined list treats every IPv4 address as a mapped one.
const inside4 = new BlockList();
const inside6 = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  // Metadata of Alibaba Cloud; those of AWS, Google and Azure are link-local or listed below.
  ['100.100.100.200', 32],
  // Azure's host services.
  ['168.63.129.16', 32],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  inside4.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['100:0:0:1::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  inside6.addSubnet(network, prefix, 'ipv6');

/**
 * Loopback, private, link-local, site-local, discard and documentation networks, internal addresses of cloud
 * providers, and IPv6 addresses that contain an IPv4 one: a webhook must not reach them.
 */
export const isPrivateAddress = (address: string): boolean => {
  const [plain = ''] = address.split('%');
  return isIP(plain) === 6 ? inside6.check(plain, 'ipv6') : inside4.check(plain, 'ipv4');
};

class PrivateAddress extends Error {}

/** The address is checked when it is used, so that a name cannot point elsewhere a moment later. */
const guarded: LookupFunction = (host, options, done) => {
  resolve(host, { ...options, all: true }, (error, found) => {
    if (error) return done(error, '', 4);
    if (found.some(({ address }) => isPrivateAddress(address))) return done(new PrivateAddress(host), '', 4);
    const [first] = found;
    if (options.all) done(null, found);
    else done(null, first?.address ?? '', first?.family ?? 4);
  });
};

/** One request with a limit on its total time; redirects are not followed. Never throws. */
export const send = (
  url: string,
  given: {
    method: 'GET' | 'POST';
    headers?: Record<string, string | number>;
    body?: string | Buffer;
    timeoutMs: number;
    allowPrivate: boolean;
  },
): Promise<Answer> =>
  new Promise((answer) => {
    const address = new URL(url);
    const host = address.hostname.replace(/^\[|\]$/g, '');
    if (!given.allowPrivate && isIP(host) !== 0 && isPrivateAddress(host))
      return answer({ ok: false, failure: 'private_address', error: host });
    let handedOver = false;
    let answered = false;
    const end = (result: Answer) => {
      if (answered) return;
      answered = true;
      clearTimeout(limit);
      answer(result);
    };
    const request = (address.protocol === 'https:' ? https : http).request(address, {
      method: given.method,
      headers: {
        ...given.headers,
        ...(given.body === undefined ? {} : { 'content-length': Buffer.byteLength(given.body) }),
      },
      agent: false,
      ...(given.allowPrivate ? {} : { lookup: guarded }),
    });
    const limit = setTimeout(() => {
      end({ ok: false, failure: handedOver ? 'timeout' : 'unreachable', error: 'no answer in time' });
      request.destroy();
    }, given.timeoutMs);
    request.on('socket', (socket) => {
      const connected = address.protocol === 'https:' ? 'secureConnect' : 'connect';
      socket.once(connected, () => {
        handedOver = true;
      });
    });
    request.on('error', (error) =>
      end({
        ok: false,
        failure: error instanceof PrivateAddress ? 'private_address' : handedOver ? 'timeout' : 'unreachable',
        error: error.message,
      }),
    );
    request.on('response', (response) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      const finish = () =>
        end({
          ok: true,
          status: response.statusCode ?? 0,
          body: Buffer.concat(pieces).toString('utf8'),
          retryAfter: response.headers['retry-after'],
        });
      response.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes <= longestAnswerBytes) pieces.push(piece);
        else {
          finish();
          response.destroy();
        }
      });
      response.on('end', finish);
      response.on('error', finish);
    });
    request.end(given.body);
  });
