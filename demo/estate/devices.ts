import { createHash } from 'node:crypto';
import type { DeviceType } from '#contract/telemetry.ts';
import { switchingTypes } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { type KitDevice, type KitLine, kits, spareDevice } from './kits.ts';
import { isThreePhase, type LineNature, natureOf } from './line.ts';
import { type LoadProfile, profileOf } from './load.ts';
import type { FurnishedPlace } from './people.ts';
import { type PlaceSeed, places } from './places.ts';
import { randomOf } from './random.ts';
import { uploadSeconds } from './walk.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
export const firmware = '1.4.2';

export interface FurnishedLine extends KitLine {
  id: number;
  n: number;
  switchable: boolean;
  nature: LineNature;
  profile: LoadProfile;
  thresholds: Record<string, number>;
}
export interface FurnishedDevice {
  id: number;
  number: string;
  name: string;
  address: string;
  type: DeviceType;
  projectId: number | null;
  partId: number | null;
  /** Line 0 stands for the device itself. */
  lineZero: number;
  lines: readonly FurnishedLine[];
  /** When it was last heard from; null while it is simulated. */
  silentSince: number | null;
  signal: number;
  boundAt: number | null;
}

/** Devices without a simulation, by project and index, and for how long they have been offline. */
const silent = new Map([
  ['3/6', 40 * 60_000],
  ['6/2', 9 * hourMs],
  ['8/4', 2.2 * dayMs],
  ['11/7', 11 * dayMs],
]);
/** Its service ends in this many days. */
const expiring = { key: '7/4', days: 24 };
/** Old feeders whose early leakage limit is close to their normal leakage. */
const touchy = new Set(['1/0', '4/0', '8/0']);

const capabilities = (type: DeviceType) =>
  switchingTypes.includes(type) ? ['open', 'close', 'reset', 'read'] : ['reset', 'read', 'selftest'];

export const furnishPlaces = async (db: Db, now: number): Promise<FurnishedPlace[]> => {
  const furnished: FurnishedPlace[] = [];
  for (const [index, place] of places.entries()) {
    const joinedAt = now - (400 - index * 23) * dayMs;
    const project = await db
      .insertInto('projects')
      .values({
        code: `P${String(index + 1).padStart(6, '0')}`,
        name: place.name,
        kind: place.kind,
        region_id: place.region_id,
        address: place.address,
        contact_name: place.contact_name,
        contact_phone: place.contact_phone,
        area_m2: place.area_m2,
        contract_kw: place.contract_kw,
        lat: place.lat,
        lng: place.lng,
        joined_at: new Date(joinedAt),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const parts = await db
      .insertInto('project_parts')
      .values(place.parts.map((name) => ({ project_id: project.id, name })))
      .returning('id')
      .execute();
    furnished.push({
      id: project.id,
      name: place.name,
      regionId: place.region_id,
      partIds: parts.map((part) => part.id),
      joinedAt,
    });
  }
  return furnished;
};

interface Standing {
  key: string;
  number: string;
  kit: KitDevice;
  seedPlace: PlaceSeed | null;
  place: FurnishedPlace | null;
}
const planned = (furnished: readonly FurnishedPlace[]): Standing[] => [
  ...places.flatMap((seedPlace, p) =>
    kits[seedPlace.kind].map((kit, d) => ({
      key: `${p}/${d}`,
      number: `AW${kit.type}${String(seedPlace.region_id).slice(0, 4)}${String(p + 1).padStart(2, '0')}${String(d + 1).padStart(2, '0')}`,
      kit,
      seedPlace,
      place: furnished[p]!,
    })),
  ),
  { key: 'spare', number: 'AW30000SPARE01', kit: spareDevice, seedPlace: null, place: null },
];

export const furnishDevices = async (
  db: Db,
  furnished: readonly FurnishedPlace[],
  given: { now: number; seed: string | number; secretOf: (number: string) => string },
): Promise<FurnishedDevice[]> => {
  const { now, seed } = given;
  const devices: FurnishedDevice[] = [];
  for (const { key, number, kit, seedPlace, place } of planned(furnished)) {
    const random = randomOf(seed, `device/${number}`);
    const silence = silent.get(key);
    const silentSince = silence === undefined ? null : now - silence;
    const boundAt = place ? place.joinedAt + random.between(1, 20) * dayMs : null;
    const registeredAt = (boundAt ?? now - 5 * dayMs) - random.between(1, 30) * dayMs;
    const digits = String(Math.floor(random.between(1e8, 1e9)));
    const serial = silence === undefined ? '' : digits;
    const switchable = switchingTypes.includes(kit.type);
    const address = seedPlace ? `${seedPlace.address} ${seedPlace.parts[kit.part]}` : '';
    const row = await db
      .insertInto('devices')
      .values({
        number,
        name: kit.name,
        type: kit.type,
        model: `AW${kit.type}-${kit.lines[0]!.ratedCurrent}`,
        secret_hash: createHash('sha256').update(given.secretOf(number)).digest(),
        project_id: place?.id ?? null,
        part_id: place?.partIds[kit.part] ?? null,
        address,
        lat: seedPlace ? seedPlace.lat + random.between(-0.0008, 0.0008) : null,
        lng: seedPlace ? seedPlace.lng + random.between(-0.0008, 0.0008) : null,
        registered_at: new Date(registeredAt),
        bound_at: boundAt === null ? null : new Date(boundAt),
        expires_on: new Date(
          key === expiring.key ? now + expiring.days * dayMs : registeredAt + 3 * 365 * dayMs,
        )
          .toISOString()
          .slice(0, 10),
        contacts: JSON.stringify(
          seedPlace ? [{ name: seedPlace.contact_name, phone: seedPlace.contact_phone }] : [],
        ),
        firmware,
        hardware: 'B',
        // Data that a simulated device reports when it connects.
        imei: serial && `86012304${serial.slice(0, 7)}`,
        imsi: serial && `460001${serial}`,
        iccid: serial && `89860012345${serial}`,
        caps: capabilities(kit.type),
        upload_seconds: uploadSeconds,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const profile = profileOf[seedPlace?.kind ?? 'office'];
    const poles = isThreePhase(kit.type) ? 4 : 2;
    const thresholds: Record<string, number> = touchy.has(key) ? { il_w: 10 } : {};
    const ids = await db
      .insertInto('lines')
      .values([
        { device_id: row.id, n: 0, poles, created_at: new Date(registeredAt) },
        ...kit.lines.map((line, index) => ({
          device_id: row.id,
          n: index + 1,
          name: line.name,
          model: `C${line.ratedCurrent}/${poles}P`,
          rated_current: line.ratedCurrent,
          poles,
          switchable,
          critical: line.critical,
          thresholds: JSON.stringify(index === 0 ? thresholds : {}),
          created_at: new Date(registeredAt),
        })),
      ])
      .returning('id')
      .execute();
    devices.push({
      id: row.id,
      number,
      name: kit.name,
      address,
      type: kit.type,
      projectId: place?.id ?? null,
      partId: place?.partIds[kit.part] ?? null,
      lineZero: ids[0]!.id,
      lines: kit.lines.map((line, index) => ({
        ...line,
        id: ids[index + 1]!.id,
        n: index + 1,
        switchable,
        nature: natureOf(kit.type, line, profile, random),
        profile,
        thresholds: index === 0 ? thresholds : {},
      })),
      silentSince,
      signal: Math.round(random.between(-92, -62)),
      boundAt,
    });
  }
  return devices;
};
