/** The keys that identify this installation to push services. */

import webpush from 'web-push';
import * as z from 'zod';
import type { Db } from '#database/connect.ts';
import {
  lockSetting,
  readSetting,
  rewriteSetting,
  writeSetting,
  writeSettingOnce,
} from '#server/core/settings.ts';
import { openSecret, sealSecret } from '#server/core/stored-secret.ts';
import type { Vault } from '#server/core/vault.ts';
import { postMessage } from '#server/messages/messages.store.ts';

export interface PushKeys {
  readonly publicKey: string;
  /** Null: it was encrypted with another key. */
  readonly privateKey: string | null;
}
const key = 'vapid';
const owner = 'settings:vapid.private_key';
const shape = z.object({ publicKey: z.string(), sealed_private_key: z.string() });
/** The format of earlier versions. */
const plainShape = z.object({ publicKey: z.string(), privateKey: z.string() });

const sealed = (vault: Vault, { publicKey, privateKey }: { publicKey: string; privateKey: string }) => ({
  publicKey,
  sealed_private_key: sealSecret(vault, privateKey, owner),
});

/** Made once for the installation, because new ones would invalidate every subscription. */
export const pushKeys = async (db: Db, vault: Vault, now: number): Promise<PushKeys> => {
  const known = await readSetting(db, key);
  if (known === undefined) {
    await writeSettingOnce(db, key, sealed(vault, webpush.generateVAPIDKeys()), now);
    return pushKeys(db, vault, now);
  }
  const plain = plainShape.safeParse(known);
  if (plain.success) return plain.data;
  const { publicKey, sealed_private_key } = shape.parse(known);
  return { publicKey, privateKey: openSecret(vault, sealed_private_key, owner) };
};

/** Encrypts the private key if it is stored as plain text. */
export const sealPushKeys = async (trx: Db, vault: Vault): Promise<void> => {
  const plain = plainShape.safeParse(await lockSetting(trx, key));
  if (plain.success) await rewriteSetting(trx, key, sealed(vault, plain.data));
};

/** Replaces unreadable keys. No console receives pushes then until push is turned on again. */
export const renewPushKeys = async (trx: Db, vault: Vault, now: number): Promise<number[]> => {
  await writeSetting(trx, key, sealed(vault, webpush.generateVAPIDKeys()), now);
  const ended = await trx.deleteFrom('push_subscriptions').returning('user_id').execute();
  return postMessage(trx, {
    userIds: ended.map(({ user_id }) => user_id),
    type: 'system',
    key: 'push.gone',
    now,
  });
};
