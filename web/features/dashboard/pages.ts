import type { DashboardPanel } from '#contract/dashboard.ts';

/** Width of a panel in its row, in twelfths; tall panels are above the charts. */
export const panelWidths: Record<DashboardPanel, number> = {
  map: 5,
  sites: 4,
  latest: 3,
  trend: 3,
  comparison: 3,
  spread: 3,
  months: 3,
};
const tall: ReadonlySet<DashboardPanel> = new Set(['map', 'sites', 'latest']);
/** How many panels of a row a page shows. `large` is for reading from a distance. */
const fitting = { full: { tall: 3, charts: 4 }, large: { tall: 1, charts: 2 } } as const;

export interface WallPage {
  tall: readonly DashboardPanel[];
  charts: readonly DashboardPanel[];
}
const parts = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );

/**
 * The pages of a wall display: as many panels as are readable without scrolling, each panel exactly once, in
 * order.
 */
export const pagesOf = (panels: readonly DashboardPanel[], size: keyof typeof fitting): WallPage[] => {
  const rows = parts(
    panels.filter((panel) => tall.has(panel)),
    fitting[size].tall,
  );
  const charts = parts(
    panels.filter((panel) => !tall.has(panel)),
    fitting[size].charts,
  );
  return Array.from({ length: Math.max(rows.length, charts.length) }, (_, index) => ({
    tall: rows[index] ?? [],
    charts: charts[index] ?? [],
  }));
};
