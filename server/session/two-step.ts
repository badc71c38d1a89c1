import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Db } from '#database/connect.ts';
import { Fault, fault } from '#server/core/fault.ts';
import type { Vault } from '#server/core/vault.ts';
import { limitTries } from './sign-in.ts';
import { forgetTicket, forgetTickets, tryTicket } from './tickets.ts';

const issuer = 'Ampwatch';
const periodMs = 30_000;
const secretBytes = 20;
const recoveryCodes = 10;
/** Without letters and digits that look alike. */
const recoveryAlphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const recoveryLength = 10;

const ownerOf = (userId: number): string => `two_step:${userId}`;
const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer, label, secret: Secret.fromBase32(secret), digits: 6, period: periodMs / 1000 });
const hashOf = (code: string): Buffer => createHash('sha256').update(code).digest();
const plainCode = (given: string): string => given.toUpperCase().replace(/[^A-Z0-9]/g, '');

const newRecoveryCode = (): string => {
  const largest = 256 - (256 % recoveryAlphabet.length);
  let code = '';
  while (code.length < recoveryLength)
    for (const byte of randomBytes(recoveryLength))
      if (byte < largest && code.length < recoveryLength)
        code += recoveryAlphabet[byte % recoveryAlphabet.length];
  return code;
};
const grouped = (code: string): string => `${code.slice(0, 5)}-${code.slice(5)}`;

export const twoStep = (db: Db, vault: Vault) => ({
  async isOn(userId: number): Promise<boolean> {
    const row = await db
      .selectFrom('two_step')
      .select('user_id')
      .where('user_id', '=', userId)
      .where('confirmed_at', 'is not', null)
      .executeTakeFirst();
    return row !== undefined;
  },

  async state(userId: number): Promise<{ enabled: boolean; required: boolean; recovery_left: number }> {
    const row = await db
      .selectFrom('users')
      .innerJoin('roles', 'roles.id', 'users.role_id')
      .leftJoin('two_step', 'two_step.user_id', 'users.id')
      .select(['roles.two_step', 'two_step.confirmed_at', 'two_step.recovery_hashes'])
      .where('users.id', '=', userId)
      .executeTakeFirstOrThrow();
    const enabled = row.confirmed_at !== null;
    return {
      enabled,
      required: row.two_step,
      recovery_left: enabled ? (row.recovery_hashes?.length ?? 0) : 0,
    };
  },

  /** A secret that takes effect with its first code. Throws `twoStep.on`. */
  async begin(userId: number, username: string, now: number): Promise<{ secret: string; uri: string }> {
    if (await this.isOn(userId)) fault('twoStep.on');
    const secret = new Secret({ size: secretBytes }).base32;
    const row = { secret: vault.seal(secret, ownerOf(userId)), created_at: new Date(now), last_step: 0 };
    const begun = await db
      .insertInto('two_step')
      .values({ user_id: userId, ...row })
      // A secret that was confirmed in the meantime stays.
      .onConflict((conflict) =>
        conflict.column('user_id').doUpdateSet(row).where('two_step.confirmed_at', 'is', null),
      )
      .executeTakeFirst();
    if (begun.numInsertedOrUpdatedRows === 0n) fault('twoStep.on');
    return { secret, uri: totpOf(secret, username).toString() };
  },

  /** Turns two-step sign-in on by a first code, and returns the recovery codes, which are shown only now. */
  async confirm(userId: number, code: string, now: number): Promise<string[]> {
    if (await this.isOn(userId)) fault('twoStep.on');
    await this.needsCode(userId, code, now);
    await db
      .updateTable('two_step')
      .set({ confirmed_at: new Date(now) })
      .where('user_id', '=', userId)
      .execute();
    return this.newRecoveryCodes(userId);
  },

  async newRecoveryCodes(userId: number): Promise<string[]> {
    const codes = Array.from({ length: recoveryCodes }, newRecoveryCode);
    await db
      .updateTable('two_step')
      .set({ recovery_hashes: codes.map(hashOf) })
      .where('user_id', '=', userId)
      .execute();
    return codes.map(grouped);
  },

  async remove(userId: number): Promise<void> {
    await db.deleteFrom('two_step').where('user_id', '=', userId).execute();
    await forgetTickets(db, userId);
  },

  /** Accepts a code of the app, each once, or a recovery code. Throws `twoStep.code` or `request.tooMany`. */
  async needsCode(userId: number, given: string, now: number): Promise<void> {
    const right = await limitTries(db, `two-step:${userId}`, now, () =>
      takeCode(db, vault, userId, given, now),
    );
    if (!right) throw new Fault('request.invalid', { fields: { code: 'twoStep.code' }, commit: true });
  },

  /**
   * The user of a ticket with a right code; the ticket is used up. Throws `twoStep.ticket`, or as `needsCode`
   * does.
   */
  async redeem(ticket: string, code: string, now: number): Promise<number> {
    const userId = await tryTicket(db, ticket, now);
    await this.needsCode(userId, code, now);
    await forgetTicket(db, ticket);
    return userId;
  },
});

const takeCode = async (
  db: Db,
  vault: Vault,
  userId: number,
  given: string,
  now: number,
): Promise<boolean> => {
  const row = await db
    .selectFrom('two_step')
    .selectAll()
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return false;
  const code = plainCode(given);
  if (/^\d{6}$/.test(code)) {
    const secret = vault.open(row.secret, ownerOf(userId));
    const delta = totpOf(secret, '').validate({ token: code, window: 1, timestamp: now });
    if (delta === null) return false;
    const step = Math.floor(now / periodMs) + delta;
    if (step <= row.last_step) return false;
    await db.updateTable('two_step').set({ last_step: step }).where('user_id', '=', userId).execute();
    return true;
  }
  const hash = hashOf(code);
  const left = row.recovery_hashes.filter((one) => !one.equals(hash));
  if (left.length === row.recovery_hashes.length) return false;
  await db.updateTable('two_step').set({ recovery_hashes: left }).where('user_id', '=', userId).execute();
  return true;
};
