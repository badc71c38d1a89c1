import type * as z from 'zod';
import { isFresh } from '#contract/freshness.ts';
import { type coveredLines, mostCoveredShown } from '#contract/tags.ts';
import type { Db } from '#database/connect.ts';
import type { DeviceFacts, LineFacts } from '#server/control/control.guard.ts';
import { gatherFacts } from '#server/control/facts.ts';
import { isProvedIn } from '#server/control/proof.ts';
import { summaryOf } from '#server/core/line-summary.ts';
import { notDeleted } from '#server/core/not-deleted.ts';
import type { TagPlace } from './tags.store.ts';

type Covered = z.output<typeof coveredLines>;

const shown = (device: DeviceFacts, line: LineFacts, now: number): Covered['not_open'][number] => {
  const seen = line.latest;
  const measured = seen && isFresh(seen.at, now, device.uploadSeconds) ? seen.channels : [];
  const { current, power } = summaryOf(device.type, [...measured]);
  return {
    line_id: line.id,
    device_id: device.id,
    device_number: device.number,
    n: line.n,
    name: line.name,
    state: isProvedIn(1, device, line, now) ? 'closed' : 'unknown',
    observed_at: seen?.positionAt == null ? null : new Date(seen.positionAt).toISOString(),
    current,
    power,
  };
};

/**
 * The lines that a tag covers, and which of them are not proved open: a tag does not make a live line safe.
 */
export const linesCovered = async (db: Db, { on }: TagPlace, now: number): Promise<Covered> => {
  const lines = await db
    .selectFrom('lines')
    .innerJoin('devices', 'devices.id', 'lines.device_id')
    .select(['lines.id', 'lines.device_id'])
    .where('lines.n', '>', 0)
    .where(notDeleted('devices'))
    .$if('lineId' in on, (query) => query.where('lines.id', '=', 'lineId' in on ? on.lineId : 0))
    .$if('deviceId' in on, (query) => query.where('devices.id', '=', 'deviceId' in on ? on.deviceId : 0))
    .$if('projectId' in on, (query) =>
      query.where('devices.project_id', '=', 'projectId' in on ? on.projectId : 0),
    )
    .execute();
  const deviceIds = [...new Set(lines.map(({ device_id }) => device_id))];
  const gathered = await gatherFacts(db, { deviceIds, lineIds: lines.map(({ id }) => id), now });
  const all = [...gathered.values()].flatMap(({ device, lines: of }) =>
    of.filter(({ n }) => n > 0).map((line) => ({ device, line })),
  );
  const notOpen = all
    .filter(({ device, line }) => !isProvedIn(0, device, line, now))
    .map(({ device, line }) => shown(device, line, now))
    .sort((a, b) => (b.power ?? 0) - (a.power ?? 0));
  const closed = notOpen.filter(({ state }) => state === 'closed').length;
  return {
    lines: all.length,
    open: all.length - notOpen.length,
    closed,
    unknown: notOpen.length - closed,
    power: notOpen.reduce((sum, { power }) => sum + (power ?? 0), 0),
    not_open: notOpen.slice(0, mostCoveredShown),
  };
};
