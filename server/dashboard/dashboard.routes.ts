import { dashboardEndpoints } from '#contract/dashboard.ts';
import { createMemory } from '#server/core/memory.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import { mustSeeProject } from '#server/core/visible-project.ts';
import { zoneOf } from '#server/core/zone.ts';
import { alarmComparison, alarmMonths, alarmSpread, alarmTrend, type View } from './alarms.ts';
import { census, placeDetails, placesReply } from './estate.ts';
import { latestAlarms } from './latest.ts';
import { layoutSetting } from './layout.ts';
import { sites } from './sites.ts';

export const dashboardRoutes = (serve: Serve): void => {
  const remembered = createMemory();
  const viewOf = async ({ db, caller, now }: Call<unknown>, projectId?: number): Promise<View> => {
    if (projectId !== undefined) await mustSeeProject(db, caller.scope, projectId);
    return {
      db,
      scope: caller.scope,
      zone: await zoneOf(db, caller.scope, projectId),
      now,
      remembered,
      projectId,
    };
  };

  serve(dashboardEndpoints.census, async (call) => census(await viewOf(call)));
  serve(dashboardEndpoints.setting, layoutSetting);
  serve(dashboardEndpoints.sites, async (call) => sites(await viewOf(call), call.body, call.language));
  serve(dashboardEndpoints.places, async (call) => placesReply(await viewOf(call)));
  serve(dashboardEndpoints.placeDetails, async (call) =>
    placeDetails(await viewOf(call), call.body.project_ids, call.language),
  );
  serve(dashboardEndpoints.latest, ({ db, caller, body, now }) =>
    latestAlarms(db, caller.scope, body.limit, now),
  );
  serve(dashboardEndpoints.trend, async (call) =>
    alarmTrend(await viewOf(call, call.body.project_id), call.body.days),
  );
  serve(dashboardEndpoints.comparison, async (call) => alarmComparison(await viewOf(call)));
  serve(dashboardEndpoints.months, async (call) => alarmMonths(await viewOf(call)));
  serve(dashboardEndpoints.spread, async (call) => alarmSpread(await viewOf(call), call.body.days));
};
