import { Alert, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Language } from '#contract/languages.ts';
import { parameterNames } from '#contract/parameter-names.ts';
import { attempt } from '#web/api/attempt.ts';
import { useCan } from '#web/api/session.ts';
import { useFormats } from '#web/i18n/format.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useProof } from '#web/parts/use-proof.tsx';
import { useUnit } from '#web/values/use-unit.ts';
import { type Applied, type Change, createApply, undoOf } from './apply-trial.ts';
import { placeOf } from './place.ts';
import {
  changedLines,
  type Judged,
  type Totals,
  type Trial,
  type TrialLine,
  type TrialLines,
} from './trial.ts';

const mostNamed = 8;

/** Applies the tested value: one confirmation that names the lines, then the result of each, and an undo. */
export const ApplyTrial = ({
  trial: { key, value },
  found,
  judged,
  totals,
  onChanged,
}: {
  trial: Trial;
  found: TrialLines;
  judged: readonly Judged[];
  totals: Totals;
  onChanged: () => void;
}) => {
  const { t, i18n } = useTranslation('whatIf');
  const formats = useFormats();
  const unit = useUnit()(found.unit);
  const confirm = useConfirm();
  const prove = useProof();
  const [busy, setBusy] = useState<{ done: number; total: number } | null>(null);
  const [applied, setApplied] = useState<(Applied & { undone: boolean }) | null>(null);
  const mayConfigure = useCan('device.configure');
  const mayChange = useCan('line.rename') && mayConfigure;
  if (!mayChange) return null;

  const { fit, crossing } = changedLines(found.lines, judged, value);
  const written = (each: number | null) =>
    each === null ? '—' : `${formats.number(each, Number.isInteger(each) ? 0 : 1)}\u00a0${unit}`;
  const parameter = parameterNames[key]?.[i18n.language as Language] ?? key;

  const send = async (changes: readonly Change[], undone: boolean) => {
    setBusy({ done: 0, total: changes.length });
    const { run, applied: outcome } = createApply(key, changes, (done) =>
      setBusy({ done, total: changes.length }),
    );
    await attempt(async () => {
      await prove(run);
    }).finally(() => {
      if (outcome.done.length + outcome.failed.length > 0) setApplied({ ...outcome, undone });
      setBusy(null);
      onChanged();
    });
  };
  const apply = async () => {
    const sure = await confirm({
      title: t(($) => $.apply.title, { parameter, value: written(value), count: fit.length }),
      content: <Consequences lines={fit} written={written} value={value} totals={totals} />,
      okText: t(($) => $.apply.act, { count: fit.length }),
      danger: totals.graveMissed > 0,
    });
    if (sure)
      await send(
        fit.map((line) => ({ line, value })),
        false,
      );
  };
  return (
    <section className="panel what-if-apply" aria-label={t(($) => $.apply.heading)}>
      {applied ? (
        <Outcome
          applied={applied}
          busy={busy !== null}
          onUndo={() => void send(undoOf(applied.done), true)}
        />
      ) : (
        <>
          {fit.length === 0 && <p className="soft">{t(($) => $.apply.nothing)}</p>}
          {crossing.length > 0 && (
            <p className="is-early">{t(($) => $.apply.crossing, { count: crossing.length })}</p>
          )}
          {fit.length > 0 && (
            <Button type="primary" loading={busy !== null} onClick={() => void apply()}>
              {t(($) => $.apply.button, { value: written(value), count: fit.length })}
            </Button>
          )}
        </>
      )}
      {busy && <span role="status">{t(($) => $.apply.progress, busy)}</span>}
    </section>
  );
};

const Consequences = ({
  lines,
  written,
  value,
  totals: { graveMissed, counts },
}: {
  lines: readonly TrialLine[];
  written: (value: number | null) => string;
  value: number;
  totals: Totals;
}) => {
  const { t } = useTranslation('whatIf');
  return (
    <>
      {graveMissed > 0 && (
        <p className="is-alarm">
          <strong>{t(($) => $.graveMissed, { count: graveMissed })}</strong>
        </p>
      )}
      <p>{t(($) => $.missedCount, { missed: counts.missed, lowered: counts.lowered })}</p>
      <ul className="plain-list what-if-lines">
        {lines.slice(0, mostNamed).map((line) => (
          <li key={line.line_id}>
            <span>{placeOf(line)}</span>{' '}
            <span className="tabular nowrap">
              {written(line.value)} → {written(value)}
            </span>
          </li>
        ))}
      </ul>
      {lines.length > mostNamed && <p>{t(($) => $.apply.more, { count: lines.length - mostNamed })}</p>}
    </>
  );
};

const Outcome = ({
  applied: { done, sent, failed, undone },
  busy,
  onUndo,
}: {
  applied: Applied & { undone: boolean };
  busy: boolean;
  onUndo: () => void;
}) => {
  const { t } = useTranslation('whatIf');
  return (
    <Alert
      type={failed.length > 0 ? 'warning' : 'success'}
      showIcon
      title={t(($) => (undone ? $.apply.undone : $.apply.done), { count: done.length })}
      description={
        <>
          {sent > 0 && <p>{t(($) => $.apply.sent, { count: sent })}</p>}
          {failed.length > 0 && (
            <ul className="plain-list what-if-lines">
              {failed.map(({ line, why }) => (
                <li key={line.line_id}>
                  <span>{placeOf(line)}</span> <span>{why}</span>
                </li>
              ))}
            </ul>
          )}
          {!undone && done.length > 0 && (
            <Button size="small" loading={busy} onClick={onUndo}>
              {t(($) => $.apply.undo)}
            </Button>
          )}
        </>
      }
    />
  );
};
