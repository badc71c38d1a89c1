import { useTranslation } from 'react-i18next';
import type * as z from 'zod';
import type { statisticsHead, TargetKind } from '#contract/statistics.ts';
import { useFormats } from '#web/i18n/format.ts';
import type { SetUrl } from '#web/parts/url-state.ts';
import { useZoned } from './zoned.ts';

export type StatisticsHead = z.output<typeof statisticsHead>;
/** Address fields of a target of some kind. */
export const addressOf = (kind: TargetKind, id: number, projectId: number | null) => ({
  project_id: projectId ?? undefined,
  part_id: kind === 'part' ? id : undefined,
  device_id: kind === 'device' ? id : undefined,
  line_id: kind === 'line' ? id : undefined,
  split: undefined,
  page: undefined,
});

/** The target, the levels above it, the days, and notes about the figures. */
export const Head = ({
  head,
  total,
  onAddress,
}: {
  head: StatisticsHead;
  total: { coverage: number | null; marks?: readonly string[] };
  onAddress: SetUrl;
}) => {
  const { t } = useTranslation('statistics');
  const formats = useFormats();
  const days =
    head.first_day === head.last_day
      ? formats.day(head.first_day)
      : `${formats.day(head.first_day)} – ${formats.day(head.last_day)}`;
  return (
    <>
      <nav className="energy-path" aria-label={t(($) => $.path)}>
        {head.path.map(({ kind, id, name }) => (
          <span key={kind}>
            <a
              href={`?${kind}_id=${id}`}
              onClick={(event) => {
                event.preventDefault();
                onAddress(addressOf(kind, id, head.project_id), { push: true });
              }}
            >
              {name}
            </a>{' '}
            <span aria-hidden>›</span>
          </span>
        ))}
        <strong>{head.name}</strong>
        <span className="nowrap">{days}</span>
        <span className="soft">{t(($) => $.range.zone, { zone: head.time_zone })}</span>
      </nav>
      <Notices head={head} total={total} />
    </>
  );
};

const enough = 0.9;
const Notices = ({
  head,
  total,
}: {
  head: StatisticsHead;
  total: { coverage: number | null; marks?: readonly string[] };
}) => {
  const { t } = useTranslation('statistics');
  const formats = useFormats();
  const zoned = useZoned(head.time_zone);
  const day = head.data_from === null ? '' : zoned.day(head.data_from);
  const isBefore = head.data_from !== null && head.data_from >= head.to;
  const isPartly = head.data_from !== null && !isBefore && head.data_from > head.from;
  const notices = [
    head.rebuilding && { text: t(($) => $.notice.rebuilding), warning: true },
    head.data_from === null && { text: t(($) => $.notice.none), warning: true },
    isBefore && { text: t(($) => $.notice.before, { day }), warning: true },
    isPartly && { text: t(($) => $.notice.partly, { day }), warning: false },
    total.coverage !== null &&
      total.coverage < enough && {
        text: t(($) => $.notice.coverage, { share: formats.percent(total.coverage ?? 0) }),
        warning: true,
      },
    total.marks?.includes('integrated') && { text: t(($) => $.notice.noRegister), warning: false },
    head.running && { text: t(($) => $.notice.running), warning: false },
  ].filter((notice) => notice !== false && notice !== undefined);
  if (notices.length === 0) return null;
  return (
    <ul className="energy-notices">
      {notices.map(({ text, warning }) => (
        <li key={text} className={warning ? 'is-warning' : ''}>
          {text}
        </li>
      ))}
    </ul>
  );
};
