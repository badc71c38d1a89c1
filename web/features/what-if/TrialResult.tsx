import { Select } from 'antd';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { ApplyTrial } from './ApplyTrial.tsx';
import { EpisodeTable } from './EpisodeTable.tsx';
import { placeOf } from './place.ts';
import { TrialChart } from './TrialChart.tsx';
import { placeKinds, type Totals, type TrialLines, totalsOf } from './trial.ts';
import type { TrialRun } from './use-trial.ts';

/**
 * What the other value would have changed: missed alarms first, then the counts, the chart and each alarm.
 */
export const TrialResult = ({
  run,
  found,
  shownLine,
  onLine,
  onChanged,
}: {
  run: TrialRun;
  found: TrialLines;
  shownLine: number | undefined;
  onLine: (lineId: number) => void;
  onChanged: () => void;
}) => {
  const { t } = useTranslation('whatIf');
  const totals = useMemo(() => totalsOf(run.judged), [run.judged]);
  const { judged } = run;
  const weight = ({ missed, lowered, added, before }: (typeof judged)[number]) =>
    (missed.count + lowered.count) * 1000 + added.count * 10 + Math.min(before.raised, 9);
  const worst = judged.reduce((one, other) => (weight(other) > weight(one) ? other : one));
  const shown = judged.find(({ line_id }) => line_id === shownLine) ?? worst;
  const lines = found.lines.filter(({ line_id }) => judged.some((each) => each.line_id === line_id));
  return (
    <>
      <Verdict totals={totals} />
      <Counts totals={totals} run={run} />
      {run.state === 'done' && (
        <ApplyTrial
          key={JSON.stringify(run.trial)}
          trial={run.trial}
          found={found}
          judged={judged}
          totals={totals}
          onChanged={onChanged}
        />
      )}
      <section className="panel" aria-label={t(($) => $.chart.title)}>
        <div className="what-if-chart-head">
          <h2>{t(($) => $.chart.title)}</h2>
          <Select
            aria-label={t(($) => $.chart.line)}
            showSearch={{ optionFilterProp: 'label' }}
            value={shown.line_id}
            onChange={onLine}
            options={lines.map((line) => ({ value: line.line_id, label: placeOf(line) }))}
          />
        </div>
        <TrialChart key={shown.line_id} trial={run.trial} judged={shown} unit={found.value_unit} />
      </section>
      {placeKinds.map((fate) => (
        <EpisodeTable
          key={fate}
          fate={fate}
          episodes={totals.named[fate]}
          count={totals.counts[fate]}
          lines={found.lines}
          unit={found.value_unit}
        />
      ))}
    </>
  );
};

/** Missed severe alarms are reported before anything else. */
const Verdict = ({ totals: { graveMissed, counts } }: { totals: Totals }) => {
  const { t } = useTranslation('whatIf');
  const lost = counts.missed + counts.lowered;
  return (
    <p className={`what-if-verdict ${graveMissed > 0 ? 'is-alarm' : ''}`} role="status">
      {graveMissed > 0 && <strong>{t(($) => $.graveMissed, { count: graveMissed })} </strong>}
      {lost === 0
        ? t(($) => $.nothingMissed)
        : t(($) => $.missedCount, { missed: counts.missed, lowered: counts.lowered })}
    </p>
  );
};

const Counts = ({ totals, run }: { totals: Totals; run: TrialRun }) => {
  const { t } = useTranslation('whatIf');
  const formats = useFormats();
  const { before, after, counts } = totals;
  const begins = run.judged
    .flatMap(({ first_reading }) => (first_reading === null ? [] : [first_reading]))
    .sort()[0];
  return (
    <section className="panel" aria-label={t(($) => $.counts.title)}>
      <h2>{t(($) => $.counts.title)}</h2>
      <table className="what-if-counts" aria-label={t(($) => $.counts.title)}>
        <thead>
          <tr>
            <th scope="col">
              <span className="out-of-sight">{t(($) => $.counts.what)}</span>
            </th>
            <th scope="col">{t(($) => $.counts.before)}</th>
            <th scope="col">{t(($) => $.counts.after)}</th>
          </tr>
        </thead>
        <tbody>
          {(['alarms', 'early_warnings', 'raised'] as const).map((row) => (
            <tr key={row}>
              <th scope="row">{t(($) => $.counts[row])}</th>
              <td>{formats.number(before[row])}</td>
              <td>
                <strong>{formats.number(after[row])}</strong>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="soft">
        {t(($) => $.counts.fates, {
          remain: formats.number(counts.remain),
          lowered: formats.number(counts.lowered),
          missed: formats.number(counts.missed),
          added: formats.number(counts.added),
        })}
      </p>
      {totals.empty > 0 && <p className="is-early">{t(($) => $.noReadings, { count: totals.empty })}</p>}
      {begins && <p className="soft">{t(($) => $.begins, { at: formats.dateTime(begins) })}</p>}
      <p className="soft">{t(($) => $.asJudged)}</p>
    </section>
  );
};
