import { alarmEndpoints } from '#contract/alarms.ts';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import { deviceJobEndpoints } from '#contract/device-jobs.ts';
import { frameEndpoints } from '#contract/frame.ts';
import { frameParts, overviewParts } from '#contract/frame-parts.ts';
import { messageEndpoints } from '#contract/messages.ts';
import { noticeEndpoints } from '#contract/notices.ts';
import type { Serve } from '#server/core/serve.ts';
import type { AskPart } from './parts.ts';

export const frameRoutes = (serve: Serve, ask: AskPart): void => {
  serve(frameEndpoints.frame, async (call) => {
    const [census, messages, flood, popups, jobs] = await Promise.all([
      ask(dashboardEndpoints.census, frameParts.census.body, call),
      ask(messageEndpoints.types, frameParts.messages.body, call),
      ask(alarmEndpoints.flood, frameParts.flood.body, call),
      ask(noticeEndpoints.popup, frameParts.popups.body, call),
      ask(deviceJobEndpoints.list, frameParts.jobs.body, call),
    ]);
    return { census, messages, flood, popups, jobs };
  });
  serve(frameEndpoints.overview, async (call) => {
    const [layout, latest, sites, trend, comparison, months, spread] = await Promise.all([
      ask(dashboardEndpoints.setting, overviewParts.layout.body, call),
      ask(dashboardEndpoints.latest, overviewParts.latest.body, call),
      ask(dashboardEndpoints.sites, overviewParts.sites.body, call),
      ask(dashboardEndpoints.trend, overviewParts.trend.body, call),
      ask(dashboardEndpoints.comparison, overviewParts.comparison.body, call),
      ask(dashboardEndpoints.months, overviewParts.months.body, call),
      ask(dashboardEndpoints.spread, overviewParts.spread.body, call),
    ]);
    return { layout, latest, sites, trend, comparison, months, spread };
  });
};
