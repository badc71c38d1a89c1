import type { Db } from '#database/connect.ts';
import type { Vault } from '#server/core/vault.ts';
import { sealPushKeys } from '#server/notices/push-keys.ts';
import { sealWays } from '#server/notices/ways.ts';
import { sealTargets } from '#server/notices/webhook-target.ts';
import { sealSmsGateway } from '#server/session/sms.ts';

/**
 * Encrypts secrets that an earlier version, or its backup, left in plain text: a migration has no key for it.
 */
export const sealSecrets = (db: Db, vault: Vault): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await sealWays(trx, vault);
    await sealPushKeys(trx, vault);
    await sealTargets(trx, vault);
    await sealSmsGateway(trx, vault);
  });
