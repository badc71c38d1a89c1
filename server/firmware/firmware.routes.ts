import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import {
  firmwareEndpoints as endpoints,
  type FirmwareVersion,
  mostRolloutDevices,
} from '#contract/firmware.ts';
import { firmwareStatement } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { byProject } from '#server/core/by-project.ts';
import { fault } from '#server/core/fault.ts';
import { type ProvePassword, proveIdentity } from '#server/core/identity.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import { needsEveryProject, type Scope } from '#server/core/scope.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import { firmwareExports } from './exports.ts';
import { fileOf, isSignedBy, keepFile, readPublicKey, removeFile } from './files.ts';
import { wavesOf } from './firmware.rules.ts';
import { type AddressOf, firmwareStore } from './firmware.store.ts';
import { findTargets, previewTargets } from './target.ts';

export interface FirmwareRoutesDeps {
  provePassword: ProvePassword;
  dataDir: string;
  addressOf: AddressOf;
}

interface Key {
  id: number;
  name: string;
  public_key: Buffer;
  added_by: string;
  added_at: Date;
  revoked_at: Date | null;
}
const shownKey = (key: Key) => ({
  key_id: key.id,
  name: key.name,
  public_key: key.public_key.toString('base64'),
  added_by: key.added_by,
  added_at: key.added_at.toISOString(),
  revoked_at: key.revoked_at?.toISOString() ?? null,
});

/** The registered key that made the signature; throws `firmware.signature` at its field if none did. */
const signerOf = async (db: Db, statement: string, signature: Buffer): Promise<number> => {
  const keys = await db.selectFrom('firmware_keys').selectAll().where('revoked_at', 'is', null).execute();
  const signer = keys.find((key) => isSignedBy(key.public_key, statement, signature));
  return signer?.id ?? fault('request.invalid', { fields: { signature: 'firmware.signature' } });
};

/** A version that may be rolled out now. Throws otherwise. */
const usableVersion = async (db: Db, id: number) => {
  const row = await db
    .selectFrom('firmware_versions')
    .innerJoin('firmware_keys', 'firmware_keys.id', 'firmware_versions.key_id')
    .selectAll('firmware_versions')
    .select('firmware_keys.revoked_at')
    .where('firmware_versions.id', '=', id)
    .where(notDeleted('firmware_versions'))
    .executeTakeFirst();
  if (!row) return fault('firmware.missing');
  if (!row.enabled || row.revoked_at !== null) fault('firmware.disabled');
  return row;
};
const isRolledOut = async (db: Db, versionIds: readonly number[]): Promise<boolean> =>
  (await db
    .selectFrom('rollouts')
    .select('id')
    .where('version_id', 'in', [...versionIds])
    .where('state', 'in', ['running', 'paused'])
    .limit(1)
    .executeTakeFirst()) !== undefined;

export const firmwareRoutes = (
  serve: Serve,
  { provePassword, dataDir, addressOf }: FirmwareRoutesDeps,
): void => {
  const versionOf = (call: Pick<Call<unknown>, 'db' | 'caller'>, id: number): Promise<FirmwareVersion> =>
    firmwareStore(call.db).version(call.caller.scope, id, addressOf);

  serve(endpoints.list, ({ db, caller, body }) => firmwareStore(db).versions(caller.scope, body, addressOf));

  firmwareExports(serve, addressOf);

  serve(endpoints.add, async (call) => {
    const { db, body, caller, now } = call;
    needsEveryProject(caller.scope);
    const known = await db
      .selectFrom('firmware_versions')
      .select('id')
      .where('mac_type', '=', body.mac_type)
      .where('app_version', '=', body.appVersion)
      .where(notDeleted('firmware_versions'))
      .executeTakeFirst();
    if (known) fault('firmware.known', { fields: { appVersion: 'firmware.known' } });
    const facts = factsOf(body);
    const signature = Buffer.from(body.signature, 'base64');
    const statement = firmwareStatement({ type: body.mac_type, to: body.appVersion, ...facts });
    const key_id = await signerOf(db, statement, signature);
    if (body.file) await keepFile(dataDir, body.file.content);
    const { id } = await db
      .insertInto('firmware_versions')
      .values({
        mac_type: body.mac_type,
        mac_name: body.mac_name,
        app_version: body.appVersion,
        platform_version: body.platformVersion,
        link: body.file ? null : body.appUrl!,
        token: body.file ? randomBytes(24).toString('base64url') : null,
        ...facts,
        signature,
        key_id,
        notes: body.notes,
        created_by: caller.username,
        created_at: new Date(now),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    call.note({ version_id: id });
    return versionOf(call, id);
  });

  serve(endpoints.edit, async (call) => {
    const { db, body, caller } = call;
    needsEveryProject(caller.scope);
    const row = await db
      .selectFrom('firmware_versions')
      .select('revision')
      .where('id', '=', body.version_id)
      .where(notDeleted('firmware_versions'))
      .forUpdate()
      .executeTakeFirst();
    if (!row) return fault('firmware.missing');
    if (row.revision !== body.revision) fault('thing.changed');
    await db
      .updateTable('firmware_versions')
      .set({
        mac_name: body.mac_name,
        platform_version: body.platformVersion,
        notes: body.notes,
        enabled: body.enabled,
        revision: row.revision + 1,
      })
      .where('id', '=', body.version_id)
      .execute();
    return versionOf(call, body.version_id);
  });

  serve(endpoints.remove, async ({ db, body, caller, now, afterCommit }) => {
    needsEveryProject(caller.scope);
    if (await isRolledOut(db, body.ids)) fault('firmware.inUse');
    const gone = await db
      .updateTable('firmware_versions')
      .set({ deleted_at: new Date(now) })
      .where('id', 'in', body.ids)
      .where(notDeleted('firmware_versions'))
      .returning('sha256')
      .execute();
    const left = await db
      .selectFrom('firmware_versions')
      .select('sha256')
      .where(notDeleted('firmware_versions'))
      .where('link', 'is', null)
      .execute();
    const unused = gone.filter(({ sha256 }) => !left.some((each) => each.sha256 === sha256));
    // A file that could not be deleted takes space but is not used.
    afterCommit(() => void Promise.allSettled(unused.map(({ sha256 }) => removeFile(dataDir, sha256))));
    return { done: gone.length };
  });

  serve(endpoints.file, async ({ db, body, request, reply }) => {
    const row = await db
      .selectFrom('firmware_versions')
      .select(['sha256', 'size'])
      .where('token', '=', body.token)
      .where(notDeleted('firmware_versions'))
      .executeTakeFirst();
    const file = row && fileOf(dataDir, row.sha256);
    if (!row || !file || (await stat(file).catch(() => null))?.size !== row.size)
      return fault('thing.missing');
    reply.header('accept-ranges', 'bytes').header('etag', `"${row.sha256}"`).type('application/octet-stream');
    const range = rangeOf(request.headers.range, row.size);
    if (range === null) return reply.header('content-length', row.size).send(createReadStream(file));
    const { start, end } = range;
    return reply
      .status(206)
      .header('content-range', `bytes ${start}-${end}/${row.size}`)
      .header('content-length', end - start + 1)
      .send(createReadStream(file, { start, end }));
  });

  serve(endpoints.keys, async ({ db }) => ({
    list: (await db.selectFrom('firmware_keys').selectAll().orderBy('id').execute()).map(shownKey),
  }));
  serve(endpoints.addKey, async (call) => {
    const { db, body, caller, now } = call;
    needsEveryProject(caller.scope);
    await proveIdentity(call, provePassword, body.password);
    const public_key = readPublicKey(body.public_key);
    if (public_key === null) return fault('request.invalid', { fields: { public_key: 'firmware.key' } });
    const row = await db
      .insertInto('firmware_keys')
      .values({ name: body.name, public_key, added_by: caller.username, added_at: new Date(now) })
      .onConflict((conflict) => conflict.column('public_key').doNothing())
      .returningAll()
      .executeTakeFirst();
    return row ? shownKey(row) : fault('firmware.keyKnown');
  });
  serve(endpoints.revokeKey, async (call) => {
    const { db, body, caller, now } = call;
    needsEveryProject(caller.scope);
    await proveIdentity(call, provePassword, body.password);
    const row = await db
      .updateTable('firmware_keys')
      .set({ revoked_at: new Date(now) })
      .where('id', '=', body.key_id)
      .where('revoked_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    return row ? shownKey(row) : fault('thing.missing');
  });

  serve(endpoints.preview, async ({ db, body, caller }) => {
    const version = await usableVersion(db, body.version_id);
    return previewTargets(db, caller.scope, { type: version.mac_type, version: version.app_version }, body);
  });

  serve(endpoints.start, async (call) => {
    const { db, body, caller, now, language } = call;
    await proveIdentity(call, provePassword, body.password);
    const version = await usableVersion(db, body.version_id);
    const aim = { type: version.mac_type, version: version.app_version, most: mostRolloutDevices };
    const found = await findTargets(db, caller.scope, aim, body);
    if (found.length === 0) fault('firmware.noDevices');
    if (found.length > mostRolloutDevices) fault('firmware.tooMany', { with: { most: mostRolloutDevices } });
    if (found.length !== body.expected)
      fault('firmware.changed', {
        with: { count: found.length, expected: body.expected },
        data: { count: found.length },
      });
    const waves = wavesOf(found.length, body.canary_percent, body.wave_percent);
    const { id } = await db
      .insertInto('rollouts')
      .values({
        version_id: version.id,
        state: 'running',
        canary_percent: body.canary_percent,
        wave_percent: body.wave_percent,
        per_minute: body.per_minute,
        step_minutes: body.step_minutes,
        stop_percent: body.stop_percent,
        waves: waves.at(-1)!,
        total: found.length,
        author_id: caller.userId,
        author: caller.username,
        created_at: new Date(now),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await insertDevices(db, id, found, waves, now);
    call.note({
      ...{ rollout_id: id, total: found.length, version: version.app_version },
      projects: await rolledOutIn(db, caller.scope, id),
    });
    call.emit('rollout.changed', { rolloutId: id });
    return firmwareStore(db).rollout(caller, id, language);
  });

  serve(endpoints.rollouts, ({ db, caller, body, language }) =>
    firmwareStore(db).rollouts(caller, body, language),
  );
  serve(endpoints.rollout, ({ db, caller, body, language }) =>
    firmwareStore(db).rollout(caller, body.rollout_id, language),
  );
  serve(endpoints.devices, ({ db, caller, body, language }) =>
    firmwareStore(db).devices(caller, body, language),
  );

  serve(endpoints.change, async (call) => {
    const { db, body, caller, now, language } = call;
    const before = await firmwareStore(db).rollout(caller, body.rollout_id, language);
    if (body.act === 'resume') {
      if (body.password === undefined)
        fault('control.passwordNeeded', { data: { reason: 'password_needed' } });
      await proveIdentity(call, provePassword, body.password!);
    }
    const from = { pause: ['running'], resume: ['paused'], stop: ['running', 'paused'] } as const;
    const state = ({ pause: 'paused', resume: 'running', stop: 'stopped' } as const)[body.act];
    const { numUpdatedRows } = await db
      .updateTable('rollouts')
      .set({
        state,
        reason: null,
        // The user who resumes it is responsible for it from now on.
        ...(body.act === 'resume' ? { author_id: caller.userId, author: caller.username } : {}),
        ...(body.act === 'stop' ? { ended_at: new Date(now) } : {}),
      })
      .where('id', '=', body.rollout_id)
      .where('state', 'in', from[body.act])
      .executeTakeFirst();
    if (numUpdatedRows === 0n) fault('firmware.rolloutOver');
    call.note({ before: before.state, projects: await rolledOutIn(db, caller.scope, body.rollout_id) });
    call.emit('rollout.changed', { rolloutId: body.rollout_id });
    return firmwareStore(db).rollout(caller, body.rollout_id, language);
  });
};

/** Size and checksum of the uploaded file, or those given with a link; throws at the invalid field. */
const factsOf = (body: {
  file?: { content: Uint8Array; sha256: string } | undefined;
  size?: number | undefined;
  sha256?: string | undefined;
}): { size: number; sha256: string } => {
  const { file, size, sha256 } = body;
  if (file) {
    if (file.content.length === 0) fault('request.invalid', { fields: { file: 'firmware.file' } });
    if (sha256 !== undefined && sha256 !== file.sha256)
      fault('request.invalid', { fields: { sha256: 'firmware.sha256' } });
    if (size !== undefined && size !== file.content.length)
      fault('request.invalid', { fields: { size: 'firmware.size' } });
    return { size: file.content.length, sha256: file.sha256 };
  }
  if (size === undefined || sha256 === undefined)
    return fault('request.invalid', {
      fields: { [size === undefined ? 'size' : 'sha256']: 'firmware.linkFacts' },
    });
  return { size, sha256 };
};

const insertDevices = async (
  db: Db,
  rolloutId: number,
  found: readonly { id: number; firmware: string; project_id: number }[],
  waves: readonly number[],
  now: number,
): Promise<void> => {
  const rows = found.map((device, index) => ({
    rollout_id: rolloutId,
    device_id: device.id,
    wave: waves[index]!,
    from_version: device.firmware,
    project_id: device.project_id,
    updated_at: new Date(now),
  }));
  for (let at = 0; at < rows.length; at += 5000)
    await db
      .insertInto('rollout_devices')
      .values(rows.slice(at, at + 5000))
      .execute();
};

/** One range of bytes that a device requests to resume a download; null: the whole file. */
const rangeOf = (header: string | undefined, size: number): { start: number; end: number } | null => {
  const match = /^bytes=(\d{1,10})-(\d{0,10})$/.exec(header ?? '');
  if (!match) return null;
  const start = Number(match[1]);
  const end = Math.min(match[2] ? Number(match[2]) : size - 1, size - 1);
  return start <= end ? { start, end } : null;
};

/** How many devices of each project a rollout concerns. */
const rolledOutIn = async (db: Db, scope: Scope, rolloutId: number) => {
  const rows = await db
    .selectFrom('rollout_devices')
    .select('device_id')
    .where('rollout_id', '=', rolloutId)
    .execute();
  const concerned = await byProject(
    db,
    scope,
    rows.map((row) => row.device_id),
  );
  return concerned.map(({ projectId, deviceIds }) => ({ projectId, devices: deviceIds.length }));
};
