import { alarmQualityEndpoints } from '#contract/alarm-quality.ts';
import { qualitySheet } from '#contract/alarm-quality-words.ts';
import { alarmStatisticsEndpoints, exportedRows } from '#contract/alarm-statistics.ts';
import { alarmStatisticsSheet } from '#contract/alarm-statistics-columns.ts';
import type { BodyOf } from '#contract/endpoint.ts';
import { createMemory } from '#server/core/memory.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import { sendSpreadsheet } from '#server/core/spreadsheet.ts';
import { zoneOf } from '#server/core/zone.ts';
import { alarmStatistics } from './alarm-statistics.store.ts';
import { statisticsSheet } from './export.ts';
import { alarmQuality } from './quality.ts';
import { qualitySheetOf } from './quality-export.ts';

/** Rows of a ranking on the screen. */
const shown = 20;
/** Users of the same screen share one query. */
const shared = { freshMs: 3000, shownMs: 3000 };

export const alarmStatisticsRoutes = (serve: Serve): void => {
  const remembered = createMemory();
  const answer = async (call: Call<BodyOf<typeof alarmStatisticsEndpoints.statistics>>, most: number) => {
    const { db, caller, body: asked, now } = call;
    const zone = await zoneOf(db, caller.scope, asked.project_id);
    const key = JSON.stringify([caller.scope, zone, asked, most]);
    return remembered(key, shared, now, () => alarmStatistics(db, caller.scope, { asked, zone, now, most }));
  };
  serve(alarmStatisticsEndpoints.statistics, (call) => answer(call, shown));
  serve(alarmStatisticsEndpoints.export, async (call) => {
    const statistics = await answer(call, exportedRows);
    return sendSpreadsheet(
      call.reply,
      alarmStatisticsSheet[call.language],
      statisticsSheet(statistics, call.language),
    );
  });
  const quality = async ({
    db,
    caller,
    body: asked,
    now,
  }: Call<BodyOf<typeof alarmQualityEndpoints.quality>>) => {
    const zone = await zoneOf(db, caller.scope, asked.project_id);
    const key = JSON.stringify(['quality', caller.scope, zone, asked]);
    return remembered(key, shared, now, () => alarmQuality(db, caller.scope, { asked, zone, now }));
  };
  serve(alarmQualityEndpoints.quality, quality);
  serve(alarmQualityEndpoints.exportQuality, async (call) =>
    sendSpreadsheet(
      call.reply,
      qualitySheet[call.language],
      qualitySheetOf(await quality(call), call.language),
    ),
  );
};
