/** Where a rule posts to and what signs its posts: both are secrets, and are stored sealed. */

import * as z from 'zod';
import type { Db } from '#database/connect.ts';
import { openSecret, sealSecret } from '#server/core/stored-secret.ts';
import type { Vault } from '#server/core/vault.ts';

const shape = z.object({
  url: z.string(),
  /** Null: posts are not signed. */
  secret: z.string().nullable(),
});
export type WebhookTarget = z.output<typeof shape>;

interface Stored {
  id: number;
  webhook_url: string | null;
  webhook_secret: string | null;
  sealed_webhook: string | null;
}
/** In the place of what a masked address keeps back. */
export const hidden = '***';
const longestPlainPart = 15;
/** Without user name, password, values of the query and long parts of the path: robots of chats keep their key there. */
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

/** The columns that keep a target. */
export const sealedTarget = (vault: Vault, noticeId: number, target: WebhookTarget) => ({
  webhook_url: maskedUrl(target.url),
  webhook_secret: null,
  sealed_webhook: sealSecret(vault, JSON.stringify(target), ownerOf(noticeId)),
});

/** Null: it was sealed with another key. */
export const openTarget = (vault: Vault, row: Stored & { webhook_url: string }): WebhookTarget | null => {
  if (row.sealed_webhook === null) return { url: row.webhook_url, secret: row.webhook_secret };
  const text = openSecret(vault, row.sealed_webhook, ownerOf(row.id));
  return text === null ? null : shape.parse(JSON.parse(text));
};

/** Seals what an earlier version stored in clear. */
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
