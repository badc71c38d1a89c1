import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import type { Heard } from '../stand-in.ts';

/** A browser's subscription at a push service, with the private keys that only a browser has [RFC 8291]. */
export interface PushPlace {
  endpoint: string;
  keys: { p256dh: string; auth: string };
  /** Decrypts a request to this subscription. */
  read(request: Heard): Record<string, unknown>;
}

export const makePushPlace = (endpoint: string): PushPlace => {
  const own = createECDH('prime256v1');
  const publicKey = own.generateKeys();
  const auth = randomBytes(16);
  return {
    endpoint,
    keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
    read({ body }) {
      const bytes = Buffer.from(body, 'latin1');
      const salt = bytes.subarray(0, 16);
      const recordSize = bytes.readUInt32BE(16);
      const keyLength = bytes.readUInt8(20);
      const sender = bytes.subarray(21, 21 + keyLength);
      const sealed = bytes.subarray(21 + keyLength);
      if (sealed.length > recordSize) throw new Error('more than one record');
      const derive = (secret: Buffer, salting: Buffer, info: Buffer, length: number) =>
        Buffer.from(hkdfSync('sha256', secret, salting, info, length));
      const shared = own.computeSecret(sender);
      const ikm = derive(
        shared,
        auth,
        Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, sender]),
        32,
      );
      const key = derive(ikm, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
      const nonce = derive(ikm, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
      const cipher = createDecipheriv('aes-128-gcm', key, nonce);
      cipher.setAuthTag(sealed.subarray(-16));
      const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
      const end = padded.lastIndexOf(2);
      if (padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('not the last record');
      return JSON.parse(padded.subarray(0, end).toString('utf8')) as Record<string, unknown>;
    },
  };
};

/**
 * Claims of the application server's signature and the key that it names; throws if the signature is not by
 * that key [RFC 8292].
 */
export const readVapid = (
  authorization: string | undefined,
): { key: string; claims: { aud: string; exp: number; sub: string } } => {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization ?? '') ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const publicKey = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33, 65).toString('base64url'),
    },
  });
  const genuine = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!genuine) throw new Error(`no genuine signature: ${authorization}`);
  return { key, claims: JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) };
};
