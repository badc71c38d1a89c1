import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { type DeviceType, firmwareStatement } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { type FurnishedDevice, firmware } from './devices.ts';
import type { FurnishedUser } from './people.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const minuteMs = 60_000;

/** Fixed prefix of an Ed25519 PrivateKeyInfo, and of a SubjectPublicKeyInfo. Source: RFC 8410. */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefixBytes = 12;

const before = '1.3.9';
const after = '1.5.0';
const typeNames: Readonly<Record<DeviceType, string>> = {
  1: '单相电能滤波器',
  2: '三相电能滤波器',
  3: '智能单相开关',
  4: '智能三相开关',
  5: '单相故障电弧探测器',
  6: '三相故障电弧探测器',
  7: '电火宝',
};
interface VersionSeed {
  type: DeviceType;
  version: string;
  platform: string;
  notes: string;
  daysAgo: number;
  enabled?: false;
}
const versions: readonly VersionSeed[] = [
  { type: 6, version: before, platform: '2.0', notes: '首个量产版本。', daysAgo: 210, enabled: false },
  { type: 1, version: firmware, platform: '2.1', notes: '改进电容投切时的电流采样。', daysAgo: 64 },
  { type: 2, version: firmware, platform: '2.1', notes: '改进谐波计算，断网后补传更快。', daysAgo: 64 },
  { type: 3, version: firmware, platform: '2.1', notes: '修复断网重连后时钟偏差。', daysAgo: 62 },
  { type: 4, version: firmware, platform: '2.1', notes: '修复断网重连后时钟偏差。', daysAgo: 62 },
  { type: 5, version: firmware, platform: '2.1', notes: '减少吸尘器、调光灯引起的电弧误报。', daysAgo: 58 },
  { type: 6, version: firmware, platform: '2.1', notes: '减少变频器引起的电弧误报。', daysAgo: 58 },
  { type: 7, version: firmware, platform: '2.1', notes: '限流动作时间缩短至 150 µs 以内。', daysAgo: 57 },
  { type: 3, version: after, platform: '2.2', notes: '漏电自检结果随上报发送；降低待机功耗。', daysAgo: 4 },
];

/** Key of the demo's vendor: derived from the seed, with no other use. */
const vendorKey = (seed: string | number) => {
  const raw = createHash('sha256').update(`firmware key of the demo ${seed}`).digest();
  const secret = createPrivateKey({
    key: Buffer.concat([privatePrefix, raw]),
    format: 'der',
    type: 'pkcs8',
  });
  const open = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(publicPrefixBytes);
  return { secret, open };
};

type Outcome = 'updated' | 'failed' | 'rolled_back' | 'waiting' | 'skipped';
interface Given {
  now: number;
  seed: string | number;
}
const waveOf = (index: number, canaries: number, size: number): number =>
  index < canaries ? 1 : 2 + Math.floor((index - canaries) / size);

/** Result of a device: the reason in the server's format, and the fields of its record. */
const endOf = (outcome: Outcome, from: string) =>
  ({
    updated: { reason: null, with: {}, percent: 100 },
    failed: { reason: 'firmware.timeout', with: {}, percent: 50 },
    rolled_back: { reason: 'firmware.rolledBack', with: { version: from }, percent: null },
    skipped: { reason: 'firmware.critical', with: {}, percent: null },
    waiting: { reason: null, with: {}, percent: null },
  })[outcome];

const insertRollout = async (
  trx: Db,
  given: {
    versionId: number;
    state: 'done' | 'paused';
    author: FurnishedUser;
    beganAt: number;
    endedAt: number | null;
    from: string;
    canaryPercent: number;
    wavePercent: number;
    devices: readonly FurnishedDevice[];
    outcomeOf: (device: FurnishedDevice, index: number, wave: number) => Outcome;
  },
): Promise<FurnishedDevice[]> => {
  const { devices, beganAt, from } = given;
  const share = (percent: number) => Math.max(1, Math.ceil((devices.length * percent) / 100));
  const [canaries, size] = [share(given.canaryPercent), share(given.wavePercent)];
  const rows = devices.map((device, index) => {
    const wave = waveOf(index, canaries, size);
    return { device, index, wave, outcome: given.outcomeOf(device, index, wave) };
  });
  const begun = rows.filter(({ outcome }) => outcome !== 'waiting');
  const { id } = await trx
    .insertInto('rollouts')
    .values({
      version_id: given.versionId,
      state: given.state,
      canary_percent: given.canaryPercent,
      wave_percent: given.wavePercent,
      per_minute: 5,
      step_minutes: 15,
      stop_percent: 30,
      wave: Math.max(...begun.map(({ wave }) => wave)),
      waves: rows.at(-1)!.wave,
      total: rows.length,
      author_id: given.author.id,
      author: given.author.username,
      created_at: new Date(beganAt),
      ended_at: given.endedAt === null ? null : new Date(given.endedAt),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await trx
    .insertInto('rollout_devices')
    .values(
      rows.map(({ device, index, wave, outcome }) => {
        const { reason, with: about, percent } = endOf(outcome, from);
        const isAsked = outcome !== 'waiting' && outcome !== 'skipped';
        const askedAt = beganAt + (wave - 1) * 40 * minuteMs + index * 12_000;
        const lastsMs = outcome === 'failed' ? 15 * minuteMs : 3 * minuteMs + index * 4_000;
        return {
          rollout_id: id,
          device_id: device.id,
          wave,
          state: outcome,
          from_version: from,
          project_id: device.projectId,
          percent,
          reason,
          reason_with: JSON.stringify(about),
          tries: outcome === 'waiting' ? 0 : 1,
          asked_at: isAsked ? new Date(askedAt) : null,
          updated_at: new Date(outcome === 'waiting' ? beganAt : isAsked ? askedAt + lastsMs : askedAt),
        };
      }),
    )
    .execute();
  return rows.filter(({ outcome }) => outcome === 'updated').map(({ device }) => device);
};

const runs = (trx: Db, devices: readonly FurnishedDevice[], version: string) =>
  trx
    .updateTable('devices')
    .set({ firmware: version })
    .where(
      'id',
      'in',
      devices.map(({ id }) => id),
    )
    .execute();

/**
 * Versions of every category, a finished rollout with one device on its old version, and one paused after
 * failures.
 */
export const furnishFirmware = async (
  trx: Db,
  devices: readonly FurnishedDevice[],
  admin: FurnishedUser,
  { now, seed }: Given,
): Promise<void> => {
  const { secret, open } = vendorKey(seed);
  const { id: key_id } = await trx
    .insertInto('firmware_keys')
    .values({
      name: 'Ampwatch Devices 2026',
      public_key: open,
      added_by: admin.username,
      added_at: new Date(now - 215 * dayMs),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const ids = new Map<string, number>();
  for (const { type, version, platform, notes, daysAgo, enabled = true } of versions) {
    const sha256 = createHash('sha256').update(`AW${type} ${version}`).digest('hex');
    const size = 380_000 + type * 21_504 + version.length;
    const { id } = await trx
      .insertInto('firmware_versions')
      .values({
        mac_type: type,
        mac_name: typeNames[type],
        app_version: version,
        platform_version: platform,
        link: `https://firmware.example.org/aw${type}-${version}.bin`,
        token: null,
        size,
        sha256,
        signature: sign(null, Buffer.from(firmwareStatement({ type, to: version, size, sha256 })), secret),
        key_id,
        notes,
        enabled,
        created_by: admin.username,
        created_at: new Date(now - daysAgo * dayMs),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    ids.set(`${type} ${version}`, id);
  }

  const detectors = devices.filter(({ type }) => type === 6);
  const stuck = detectors.at(-2)!;
  await insertRollout(trx, {
    versionId: ids.get(`6 ${firmware}`)!,
    ...{ state: 'done', author: admin, beganAt: now - 56 * dayMs, endedAt: now - 56 * dayMs + 3 * hourMs },
    ...{ from: before, canaryPercent: 10, wavePercent: 40, devices: detectors },
    outcomeOf: (device) => (device === stuck ? 'rolled_back' : 'updated'),
  });
  await runs(trx, [stuck], before);

  // Devices that are online, so that resuming the rollout updates the rest.
  const switches = devices.filter(({ type, silentSince }) => type === 3 && silentSince === null);
  const isCritical = (device: FurnishedDevice) => device.lines.some(({ critical }) => critical);
  const plain = switches.filter((device) => !isCritical(device));
  const [rolledBack, failed] = [plain[4], plain[6]];
  const updated = await insertRollout(trx, {
    versionId: ids.get(`3 ${after}`)!,
    ...{ state: 'paused', author: admin, beganAt: now - 26 * hourMs, endedAt: null },
    ...{ from: firmware, canaryPercent: 10, wavePercent: 35, devices: switches },
    outcomeOf(device, _index, wave) {
      if (wave > 2) return 'waiting';
      if (isCritical(device)) return 'skipped';
      if (device === rolledBack) return 'rolled_back';
      return device === failed ? 'failed' : 'updated';
    },
  });
  await runs(trx, updated, after);
};
