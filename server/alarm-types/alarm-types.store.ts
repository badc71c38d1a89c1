import type pg from 'pg';
import { type AlarmType, alarmCatalogue } from '#contract/alarm-catalogue.ts';
import { alarmName } from '#contract/alarm-names.ts';
import type { AlarmTypeRow, alarmTypeEndpoints } from '#contract/alarm-types.ts';
import type { BodyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import type { Db } from '#database/connect.ts';
import { fault } from '#server/core/fault.ts';

type Request = BodyOf<typeof alarmTypeEndpoints.export>;

const isEnabled = (type: AlarmType, row: { enabled: boolean } | undefined): boolean =>
  row?.enabled ?? type.offByDefault !== true;

export const alarmTypeStore = (db: Db) => ({
  /** The catalogue with the types that this installation has disabled. */
  async list(request: Request, language: Language): Promise<AlarmTypeRow[]> {
    const rows = await db.selectFrom('alarm_types').selectAll().execute();
    const byCode = new Map(rows.map((row) => [row.code, row]));
    const list = alarmCatalogue.map((type): AlarmTypeRow => {
      const row = byCode.get(type.code);
      return {
        typeNumber: type.code,
        name: alarmName(language, type.code),
        icon: String(type.code),
        severity: type.severity,
        status: isEnabled(type, row) ? 'enabled' : 'disabled',
        value_type: type.valueType,
        unit: type.unit,
        device_types: [...type.types],
        core: type.core,
        latched: type.latched !== null,
        on_delay_s: type.on,
        off_delay_s: type.off,
        updated_at: (row?.updated_at ?? new Date(0)).toISOString(),
      };
    });
    const { status, device_type, name } = request;
    const wanted = name?.toLowerCase();
    return list.filter(
      (type) =>
        (status === undefined || type.status === status) &&
        (device_type === undefined || type.device_types.includes(device_type)) &&
        (wanted === undefined ||
          type.name.toLowerCase().includes(wanted) ||
          String(type.typeNumber).startsWith(wanted)),
    );
  },

  /** Throws `alarmType.missing` for a code that is not in the catalogue. */
  async one(code: number): Promise<{ deviceTypes: readonly number[]; wasEnabled: boolean }> {
    const type = alarmCatalogue.find((known) => known.code === code);
    if (!type) return fault('alarmType.missing');
    const row = await db
      .selectFrom('alarm_types')
      .select('enabled')
      .where('code', '=', code)
      .executeTakeFirst();
    return { deviceTypes: type.types, wasEnabled: isEnabled(type, row) };
  },

  async setEnabled(code: number, enabled: boolean, now: number): Promise<void> {
    await db
      .insertInto('alarm_types')
      .values({ code, enabled, updated_at: new Date(now) })
      .onConflict((conflict) => conflict.column('code').doUpdateSet({ enabled, updated_at: new Date(now) }))
      .execute();
  },
});

/** Adds the catalogue types that are missing in the table; existing ones do not change. */
export const addNewTypes = async (pool: pg.Pool): Promise<void> => {
  await pool.query(
    `insert into alarm_types (code, enabled, updated_at)
     select code, enabled, $3 from unnest($1::smallint[], $2::boolean[]) as given (code, enabled)
     order by code on conflict (code) do nothing`,
    [
      alarmCatalogue.map((type) => type.code),
      alarmCatalogue.map((type) => type.offByDefault !== true),
      new Date(),
    ],
  );
};
