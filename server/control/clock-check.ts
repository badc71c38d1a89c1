import { alarmCodes } from '#contract/alarm-codes.ts';
import { faults } from '#contract/faults/codes.ts';
import { permissions } from '#contract/permissions.ts';
import type { Db } from '#database/connect.ts';
import { createAfterCommit } from '#server/core/after-commit.ts';
import type { AlarmChange, Bus } from '#server/core/bus.ts';
import type { Clock } from '#server/core/clock.ts';
import { appendOperation } from '#server/core/operation-log.ts';
import { serverName } from '#server/core/server-name.ts';
import type { Answer, Ask, ManyCall, Requester } from './request.ts';

/** Alarm: a device clock is off by more than a minute. Source: domain reference §5.4. */
const clockSkew = alarmCodes.clock;
/** Other nodes receive the same alarm: the second one finds the command of the first. */
const sameAlarmMs = 60_000;
const server: Requester = {
  userId: null,
  username: serverName,
  role: 1,
  permissions: new Set(permissions),
  scope: { all: true },
  address: '',
  identityProved: false,
};
export const wrongClocks = (changes: readonly AlarmChange[]): readonly AlarmChange[] =>
  changes.filter(
    ({ code, level, kind }) =>
      code === clockSkew && level === 2 && (kind === 'raised' || kind === 'escalated'),
  );

/** Sets a device clock to the server's time, through the guard like every command, once per alarm. */
export const setClock = async (
  { db, bus, clock }: { db: Db; bus: Bus; clock: Clock },
  control: { requestMany(call: ManyCall, asks: readonly Ask[]): Promise<Answer[]> },
  { deviceId, alarmId }: AlarmChange,
): Promise<void> => {
  const later = createAfterCommit(bus);
  const now = clock.now();
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('devices').select('id').where('id', '=', deviceId).forNoKeyUpdate().execute();
    const lately = await trx
      .selectFrom('commands')
      .select('id')
      .where('device_id', '=', deviceId)
      .where('verb', '=', 'time_sync')
      .where('cause', '=', 'auto')
      .where('created_at', '>', new Date(now - sameAlarmMs))
      .executeTakeFirst();
    if (lately) return;
    const [answer] = await control.requestMany({ db: trx, now, ...later }, [
      { deviceId, lineId: null, verb: 'time_sync', cause: 'auto', by: server },
    ]);
    const { about, refusal } = answer!;
    const { projectId, deviceId: _, ...rest } = about;
    await appendOperation(trx, {
      at: new Date(now),
      userId: null,
      operator: server.username,
      key: 'control.command',
      channel: 'auto',
      address: '',
      requestId: `alarm-${alarmId}`,
      outcome: refusal ? 'refused' : 'done',
      code: refusal ? faults[refusal.code].code : 200,
      projectId: typeof projectId === 'number' ? projectId : null,
      deviceId,
      parameters: { action: 'time_sync', ...rest, ...(refusal ? { fault: refusal.code } : {}) },
    });
  });
  later.release();
};
