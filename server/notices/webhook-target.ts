/** The address and signing key of a rule's webhook: both are secret, and are stored encrypted. */

import * as z from 'zod';
import type { Db } from '#database/connect.ts';
import { openSecret, sealSecret } from '#server/core/stored-secret.ts';
import type { Vault } from '#server/core/vault.ts';

const shape = z.object({
  url: z.string(),
  /** Null: posts are not signed. */
  secret: z.string().nullable(),
});
type WebhookTarget = z.output<typeof shape>;

interface Stored {
  id: number;
  webhook_url: string | null;
  webhook_secret: string | null;
  sealed_webhook: string | null;
}
/** Replaces the hidden parts of an address. */
export const hidden = '***';
const longestPlainPart = 15;
/** Hides user name, password, query values and long parts of the path: chat robots have their key there. */
export const maskedUrl = (address: string): string => {
  const url = new URL(address);
  const user = url.username || url.password ? `${hidden}@` : '';
  const path = url.pathname
    .split('/')
    .map((part) => (part.length > longestPlainPart ? hidden : part))
    .join('/');
  const query = [...url.searchParams.keys()].map((name) => `${encodeURIComponent(name)}=${hidden}`).join('&');
  return `${url.protocol}//${user}${url.host}${path}${query && `?${query}`}`;
};

const ownerOf = (noticeId: number) => `notices:${noticeId}.webhook`;

/** The columns that store a target. */
export const sealedTarget = (vault: Vault, noticeId: number, target: WebhookTarget) => ({
  webhook_url: maskedUrl(target.url),
  webhook_secret: null,
  sealed_webhook: sealSecret(vault, JSON.stringify(target), ownerOf(noticeId)),
});

/** Null: it was encrypted with another key. */
export const openTarget = (vault: Vault, row: Stored & { webhook_url: string }): WebhookTarget | null => {
  if (row.sealed_webhook === null) return { url: row.webhook_url, secret: row.webhook_secret };
  const text = openSecret(vault, row.sealed_webhook, ownerOf(row.id));
  return text === null ? null : shape.parse(JSON.parse(text));
};

/** Encrypts targets that an earlier version stored as plain text. */
export const sealTargets = async (trx: Db, vault: Vault): Promise<void> => {
  const rows = await trx
    .selectFrom('notices')
    .select(['id', 'webhook_url', 'webhook_secret'])
    .where('webhook_url', 'is not', null)
    .where('sealed_webhook', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute();
  for (const { id, webhook_url, webhook_secret } of rows)
    await trx
      .updateTable('notices')
      .set(sealedTarget(vault, id, { url: webhook_url!, secret: webhook_secret || null }))
      .where('id', '=', id)
      .execute();
};
