import { type DashboardPanel, type dashboardEndpoints, dashboardPanels } from '#contract/dashboard.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import { fault } from '#server/core/fault.ts';
import { needsEveryProject } from '#server/core/scope.ts';
import type { Call } from '#server/core/serve.ts';

type Setting = BodyOf<typeof dashboardEndpoints.setting>;
type Layout = ReplyOf<typeof dashboardEndpoints.setting>;

/** Key of the layout for users who have chosen none. */
const installation = 0;
const asDelivered = { panels: [...dashboardPanels], page_size: 'full', cycle_s: 0 } as const;
const isPanel = (name: string): name is DashboardPanel => dashboardPanels.some((panel) => panel === name);

const mayForEveryone = ({ caller }: Call<unknown>): boolean =>
  caller.scope.all && caller.permissions.has('dashboard.setting');

const current = async (call: Call<unknown>): Promise<Layout> => {
  const { db, caller } = call;
  const found = await db
    .selectFrom('dashboard_layouts')
    .selectAll()
    .where('user_id', 'in', [installation, caller.userId])
    .orderBy('user_id', 'desc')
    .executeTakeFirst();
  const may_set_for_everyone = mayForEveryone(call);
  if (!found)
    return { ...asDelivered, panels: [...asDelivered.panels], chosen_by: 'nobody', may_set_for_everyone };
  return {
    // A panel that the product no longer has is left out.
    panels: found.panels.filter(isPanel),
    page_size: found.page_size,
    cycle_s: found.cycle_s,
    chosen_by: found.user_id === installation ? 'everyone' : 'me',
    may_set_for_everyone,
  };
};

/** Returns the overview's layout for the caller, after changing it if panels or a reset are given. */
export const layoutSetting = async (call: Call<Setting>): Promise<Layout> => {
  const { db, body, caller, now } = call;
  const { panels, page_size, cycle_s, reset, target } = body;
  if (panels === undefined && reset !== true) return current(call);
  if (target === 'everyone') {
    needsEveryProject(caller.scope);
    if (!mayForEveryone(call)) fault('permission.denied');
  }
  const user_id = target === 'everyone' ? installation : caller.userId;
  call.note({ target });
  if (panels === undefined) await db.deleteFrom('dashboard_layouts').where('user_id', '=', user_id).execute();
  else {
    const layout = { panels, page_size, cycle_s, updated_at: new Date(now) };
    await db
      .insertInto('dashboard_layouts')
      .values({ user_id, ...layout })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(layout))
      .execute();
  }
  return current(call);
};
