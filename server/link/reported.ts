import type pg from 'pg';
import { ratedCurrents } from '#contract/devices.ts';
import { type CfgMessage, detectorTypes, type InfoMessage, switchingTypes } from '#contract/telemetry.ts';
import type { Reported } from './group.ts';

const reportedSql = `
  insert into device_reported as r (device_id, kind, received_at, payload) values ($1, $2, $3, $4)
  on conflict (device_id, kind) do update set received_at = excluded.received_at, payload = excluded.payload`;
const infoSql = `
  update devices set model = $2, firmware = $3, hardware = coalesce($4, hardware),
    imei = coalesce($5, imei), imsi = coalesce($6, imsi), iccid = coalesce($7, iccid), caps = $8, info = $9
  where id = $1`;
const lineSql = `
  insert into lines as l (device_id, n, rated_current, poles, switchable, created_at)
  select $1, n, rated, poles, switchable, $6
  from unnest($2::smallint[], $3::real[], $4::smallint[], $5::boolean[]) as u (n, rated, poles, switchable)
  on conflict (device_id, n) do update set
    rated_current = coalesce(excluded.rated_current, l.rated_current),
    poles = excluded.poles, switchable = excluded.switchable
  where (l.rated_current, l.poles, l.switchable)
    is distinct from (coalesce(excluded.rated_current, l.rated_current), excluded.poles, excluded.switchable)`;
/**
 * Remote control that a user disabled stays disabled until the device has confirmed it: before, a device that
 * reports it as enabled only shows that it has not heard. Runs before the report replaces the earlier one.
 */
const configSql = `
  update devices set upload_seconds = coalesce($3, upload_seconds),
    net_ctrl = coalesce($2, net_ctrl) and (net_ctrl or not exists (
      select from device_desired wish
      left join device_reported before on before.device_id = wish.device_id and before.kind = 'cfg'
      where wish.device_id = $1 and wish.key = 'net_ctrl' and wish.value = 'false'
        and (wish.state <> 'applied' or before.payload -> 'en' -> 'net_ctrl' is distinct from 'false')))
  where id = $1`;

const believable = (rating: number | undefined): number | null =>
  rating !== undefined && rating >= ratedCurrents.least && rating <= ratedCurrents.most ? rating : null;

const inOrder = <Message>(reports: readonly Reported<Message>[]) =>
  reports.toSorted((a, b) => a.device.id - b.device.id);

/** Device descriptions: model, versions, SIM, and lines, including new ones. */
export const writeInfos = async (
  client: pg.PoolClient,
  infos: readonly Reported<InfoMessage>[],
): Promise<void> => {
  for (const { device, message, raw } of inOrder(infos)) {
    const payload = JSON.stringify(message);
    const receivedAt = new Date(raw.receivedAt);
    const { model, fw, hw, imei, imsi, iccid, caps, lines } = message;
    await client.query(reportedSql, [device.id, 'info', receivedAt, payload]);
    await client.query(infoSql, [
      device.id,
      model,
      fw,
      hw ?? null,
      imei || null,
      imsi || null,
      iccid || null,
      caps ?? [],
      payload,
    ]);
    const bypass = caps?.includes('open') ?? false;
    const switches = switchingTypes.includes(device.type) || bypass;
    await client.query(lineSql, [
      device.id,
      lines.map((line) => line.n),
      lines.map((line) => believable(line.in)),
      lines.map((line) => line.poles ?? 1),
      lines.map((line) => !detectorTypes.includes(device.type) && (line.ctl ?? switches)),
      receivedAt,
    ]);
  }
};

/** The parameters and enables in use, as the device reports them. */
export const writeConfigs = async (
  client: pg.PoolClient,
  configs: readonly Reported<CfgMessage>[],
): Promise<void> => {
  for (const { device, message, raw } of inOrder(configs)) {
    await client.query(configSql, [device.id, message.en?.['net_ctrl'] ?? null, uploadSeconds(message)]);
    await client.query(reportedSql, [device.id, 'cfg', new Date(raw.receivedAt), JSON.stringify(message)]);
  }
};

const uploadSeconds = (message: CfgMessage): number | null => {
  const seconds = message.p['dev']?.['tele_s'];
  return typeof seconds === 'number' && seconds >= 1 && seconds <= 86_400 ? Math.round(seconds) : null;
};
