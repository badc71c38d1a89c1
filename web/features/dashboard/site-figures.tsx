import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { dashboardEndpoints } from '#contract/dashboard.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { useCan } from '#web/api/session.ts';
import { useFormats } from '#web/i18n/format.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { Quantity } from '#web/values/Quantity.tsx';

export type Site = ReplyOf<typeof dashboardEndpoints.sites>['list'][number];

/** Growth since yesterday; empty if one of the days has no figure. */
const changeOf = ({ energy_today_kwh: today, energy_same_time_kwh: before }: Site): number | null =>
  today === null || before === null || before === 0 ? null : today / before - 1;

/** A figure that links to its source; a plain figure for readers who may not go there. */
const Leading = ({ to, children }: { to: string | false; children: ReactNode }) =>
  to === false ? <span>{children}</span> : <PathLink to={to}>{children}</PathLink>;

/** The load against the power that the supply contract allows; stressed when it is more. */
const ShareOfContract = ({ load_w, contract_kw }: Site) => {
  const { t } = useTranslation('dashboard');
  const formats = useFormats();
  if (load_w === null || contract_kw === null) return null;
  const share = load_w / 1000 / contract_kw;
  const text = ` (${t(($) => $.sites.ofContract, { share: formats.percent(share) })})`;
  return share > 1 ? <strong>{text}</strong> : text;
};

/** The present load of a site, which leads to its load statistics. */
export const LoadOfSite = ({ site }: { site: Site }) => (
  <Leading to={useCan('statistics.electricity') && paths.project('loadstatistics', site.project_id)}>
    <Quantity value={site.load_w === null ? null : site.load_w / 1000} unit="kW" />
    <ShareOfContract {...site} />
  </Leading>
);

/** The energy of today and its growth since yesterday, which lead to the energy of the site. */
export const EnergyOfSite = ({ site }: { site: Site }) => {
  const { t } = useTranslation('dashboard');
  const formats = useFormats();
  const change = changeOf(site);
  return (
    <Leading to={useCan('statistics.energy') && paths.project('energydetail', site.project_id)}>
      <span title={t(($) => $.sites.sameTime)}>
        <Quantity value={site.energy_today_kwh} unit="kWh" digits={0} />
        {change !== null && ` (${change > 0 ? '+' : ''}${formats.percent(change)})`}
      </span>
    </Leading>
  );
};
