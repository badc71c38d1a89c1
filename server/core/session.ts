import { createHash, randomBytes } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import { type Letter, lettersOf, type Permission, permissionsOf } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { Fault } from './fault.ts';
import { type Scope, scopeOf } from './scope.ts';

export interface Caller {
  readonly userId: number;
  readonly username: string;
  readonly nickname: string;
  readonly role: number;
  readonly letters: readonly Letter[];
  readonly permissions: ReadonlySet<Permission>;
  readonly scope: Scope;
  readonly regionId: number | null;
  readonly tokenHash: Buffer;
  /** When the password was last given in this session. */
  readonly authenticatedAt: Date;
  /** The role requires two-step sign-in, and the user has not set it up. */
  readonly twoStepDue: boolean;
}

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Opens a session and returns its token: 256 random bits, of which only the hash is stored. */
export const openSession = async (
  trx: Db,
  userId: number,
  now: number,
  from: { address: string; agent: string },
): Promise<{ token: string; expiresAt: Date }> => {
  const token = randomBytes(32).toString('base64url');
  const at = new Date(now);
  const expiresAt = new Date(now + limits.sessionMs);
  await trx
    .insertInto('sessions')
    .values({
      token_hash: hashToken(token),
      user_id: userId,
      created_at: at,
      seen_at: at,
      authenticated_at: at,
      expires_at: expiresAt,
      address: from.address,
      agent: from.agent.slice(0, 300),
      ended_as: null,
    })
    .execute();
  return { token, expiresAt };
};

/** After the clock was set back by so many ms: no password counts as given later than it was. */
export const agePasswordsSql = `
  with held as (select token_hash from sessions where ended_as is null order by token_hash for no key update)
  update sessions as s set authenticated_at = s.authenticated_at - $1::bigint * interval '1 millisecond'
  from held where held.token_hash = s.token_hash`;

const endSessionCodes = { revoked: -202, replaced: 50012, signedOut: 401 } as const;
export type SessionEnd = keyof typeof endSessionCodes;
/**
 * Marks a session, or those of a user but one, as ended. Returns how many. Only `server/session/end-sessions.ts` calls
 * it, which ends what belongs to the sessions, too.
 */
export const markEnded = async (
  trx: Db,
  of: { userId: number; except?: Buffer | undefined } | { tokenHash: Buffer },
  end: SessionEnd,
): Promise<number> => {
  const all = trx.updateTable('sessions').set({ ended_as: endSessionCodes[end] });
  const chosen =
    'tokenHash' in of
      ? all.where('token_hash', '=', of.tokenHash)
      : all
          .where('user_id', '=', of.userId)
          .where('ended_as', 'is', null)
          .$if(of.except !== undefined, (query) => query.where('token_hash', '!=', of.except!));
  const { numUpdatedRows } = await chosen.executeTakeFirst();
  return Number(numUpdatedRows);
};

const endedFault = (code: number) =>
  new Fault(code === -202 ? 'session.revoked' : code === 50012 ? 'session.replaced' : 'session.expired');

/**
 * The caller behind a token. Throws the session faults of the contract; role, scope and status are read again on each
 * call.
 */
export const callerOf = (db: Db, token: string, now: number): Promise<Caller> =>
  callerOfHash(db, hashToken(token), now, true);

/** The caller behind the hash of a token. `used` false: the caller only listens, so the session still becomes idle. */
export const callerOfHash = async (
  db: Db,
  tokenHash: Buffer,
  now: number,
  used: boolean,
): Promise<Caller> => {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .leftJoin('two_step', 'two_step.user_id', 'users.id')
    .select([
      'roles.two_step',
      'two_step.confirmed_at',
      'sessions.seen_at',
      'sessions.expires_at',
      'sessions.created_at',
      'sessions.authenticated_at',
      'sessions.ended_as',
      'users.id',
      'users.username',
      'users.nickname',
      'users.region_id',
      'users.enabled',
      'users.deleted_at',
      'users.sessions_from',
      'roles.code',
      'roles.letters',
      'roles.enabled as role_enabled',
    ])
    .where('sessions.token_hash', '=', tokenHash)
    .executeTakeFirst();
  if (!row) throw new Fault('session.expired');
  if (row.ended_as !== null) throw endedFault(row.ended_as);
  if (!row.enabled || row.deleted_at || !row.role_enabled || row.created_at < row.sessions_from)
    throw new Fault('session.revoked');
  if (row.expires_at.getTime() <= now) throw new Fault('session.ended');
  if (row.seen_at.getTime() + limits.sessionIdleMs <= now) throw new Fault('session.expired');
  if (used && now - row.seen_at.getTime() > 60_000)
    await db
      .updateTable('sessions')
      .set({ seen_at: new Date(now) })
      .where('token_hash', '=', tokenHash)
      .execute();
  return {
    userId: row.id,
    username: row.username,
    nickname: row.nickname,
    role: row.code,
    letters: lettersOf(row.code, row.letters),
    permissions: permissionsOf(row.code, row.letters),
    scope: await scopeOf(db, { id: row.id, role: row.code }),
    regionId: row.region_id,
    tokenHash,
    authenticatedAt: row.authenticated_at,
    twoStepDue: row.two_step && row.confirmed_at === null,
  };
};
