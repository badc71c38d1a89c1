import { useTranslation } from 'react-i18next';
import type { NoticeRow } from '#contract/notices.ts';
import { useFormats } from '#web/i18n/format.ts';
import type { DataColumn } from '#web/parts/table/types.ts';
import { AlarmLevel } from '#web/values/AlarmLevel.tsx';
import { alarmTypeName } from '#web/values/AlarmTypeName.tsx';
import { EnabledState } from '#web/values/EnabledState.tsx';
import { TimeText } from '#web/values/TimeText.tsx';

const shownTypes = 2;

export const useNoticeColumns = (onEdit: ((row: NoticeRow) => void) | null): DataColumn<NoticeRow>[] => {
  const { t, i18n } = useTranslation('notices');
  const { t: tc } = useTranslation('common');
  const { list: listOf } = useFormats();
  const nameOf = (row: NoticeRow) => row.name || tc(($) => $.delivery.channel[row.channel]);
  return [
    {
      key: 'name',
      title: t(($) => $.column.name),
      wraps: 'name',
      required: true,
      card: 'title',
      sort: 'id',
      render: (row) => (
        <span className="notice-lines">
          {onEdit ? (
            <button type="button" className="link-button" onClick={() => onEdit(row)}>
              {nameOf(row)}
            </button>
          ) : (
            nameOf(row)
          )}
          {row.name !== '' && <span className="soft">{tc(($) => $.delivery.channel[row.channel])}</span>}
        </span>
      ),
    },
    {
      key: 'status',
      title: t(($) => $.column.status),
      card: 'state',
      render: ({ status }) => <EnabledState status={status} words={t(($) => $.status[status])} />,
    },
    {
      key: 'channel',
      title: t(($) => $.column.channel),
      hidden: true,
      card: 'none',
      render: (row) => tc(($) => $.delivery.channel[row.channel]),
    },
    {
      key: 'to',
      title: t(($) => $.column.to),
      wraps: 'name',
      render: (row) =>
        row.channel === 'webhook' ? (
          <span className="notice-url">{row.webhook_url}</span>
        ) : (
          <span>
            {listOf([
              ...(row.to_contacts ? [t(($) => $.contacts)] : []),
              ...row.users.map(({ name }) => name),
            ])}
          </span>
        ),
    },
    {
      key: 'levels',
      title: t(($) => $.column.levels),
      render: (row) =>
        row.levels.length === 0 || row.levels.length === 2 ? (
          t(($) => $.allLevels)
        ) : (
          <AlarmLevel level={row.levels[0] ?? 2} />
        ),
    },
    {
      key: 'types',
      title: t(($) => $.column.types),
      wraps: 'name',
      render: (row) =>
        row.typeNumbers.length === 0 ? (
          t(($) => $.allTypes)
        ) : (
          <span title={row.typeNumbers.map((code) => alarmTypeName(code, i18n.language)).join('\n')}>
            {listOf(row.typeNumbers.slice(0, shownTypes).map((code) => alarmTypeName(code, i18n.language)))}
            {row.typeNumbers.length > shownTypes && ` +${row.typeNumbers.length - shownTypes}`}
          </span>
        ),
    },
    {
      key: 'projects',
      title: t(($) => $.column.projects),
      wraps: 'name',
      render: (row) =>
        row.projects.length === 0 ? (
          t(($) => $.allProjects)
        ) : (
          <span title={row.projects.map(({ name }) => name).join('\n')}>
            {listOf(row.projects.slice(0, shownTypes).map(({ name }) => name))}
            {row.projects.length > shownTypes && ` +${row.projects.length - shownTypes}`}
          </span>
        ),
    },
    {
      key: 'window',
      title: t(($) => $.column.window),
      wraps: true,
      width: 140,
      render: (row) => (
        <span className="notice-lines">
          {row.window_from === null || row.window_to === null ? (
            t(($) => $.always)
          ) : (
            <span className="tabular nowrap">
              {row.window_from}–{row.window_to}
              {row.window_to < row.window_from && <span className="soft"> {t(($) => $.nextDay)}</span>}
            </span>
          )}
          {row.silence_minutes > 0 && (
            <span className="soft">{t(($) => $.silent, { count: row.silence_minutes })}</span>
          )}
        </span>
      ),
    },
    {
      key: 'silence',
      title: t(($) => $.column.silence),
      hidden: true,
      card: 'none',
      align: 'right',
      render: (row) =>
        row.silence_minutes === 0 ? '—' : t(($) => $.minutes, { count: row.silence_minutes }),
    },
    { key: 'owner', title: t(($) => $.column.owner), hidden: true, render: (row) => row.owner },
    {
      key: 'updated',
      title: t(($) => $.column.updated),
      hidden: true,
      render: (row) => <TimeText at={row.updated_at} />,
    },
  ];
};
