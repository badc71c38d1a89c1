import { CheckOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import type { UserRow } from '#contract/users.ts';
import { type Formats, useFormats } from '#web/i18n/format.ts';
import type { DataColumn } from '#web/parts/table/types.ts';
import { EnabledState } from '#web/values/EnabledState.tsx';
import { LastSeen } from '#web/values/LastSeen.tsx';
import { TimeText } from '#web/values/TimeText.tsx';

/** A name longer than this takes the room of two. */
const longName = 30;
const shownOf = ({ projects }: UserRow) =>
  projects.slice(0, (projects[0]?.name.length ?? 0) > longName ? 1 : 2);
const placeOf =
  ({ list }: Formats) =>
  ({ name, parts }: UserRow['projects'][number]): string =>
    parts.length === 0 ? name : `${name} (${list(parts.map((part) => part.name))})`;

const titleOf = ({ projects, project_count }: UserRow, formats: Formats): string =>
  [
    ...projects.map(placeOf(formats)),
    ...(project_count > projects.length ? [`+${project_count - projects.length}`] : []),
  ].join('\n');

/** Breaks before the sign when its column is narrow. */
const EmailText = ({ address }: { address: string }) => {
  if (address === '') return '—';
  const [name, ...rest] = address.split('@');
  return (
    <span className="user-email">
      {name}
      <wbr />
      {`@${rest.join('@')}`}
    </span>
  );
};

/** All fields of a user; for the password only when it was set. */
export const useUserColumns = (onEdit: ((row: UserRow) => void) | null): DataColumn<UserRow>[] => {
  const { t } = useTranslation('users');
  const formats = useFormats();
  return [
    {
      key: 'username',
      title: t(($) => $.column.username),
      required: true,
      card: 'title',
      wraps: true,
      sort: 'username',
      render: (row) => (
        <span className="user-name">
          {onEdit ? (
            <button type="button" className="link-button" onClick={() => onEdit(row)}>
              {row.username}
            </button>
          ) : (
            row.username
          )}
          {(row.label || row.own) && (
            <span className="nowrap">
              {row.label && <span className="label-tag">{t(($) => $.label[row.label!])}</span>}
              {row.own && <span className="soft"> {t(($) => $.you)}</span>}
            </span>
          )}
        </span>
      ),
    },
    {
      key: 'status',
      title: t(($) => $.column.status),
      card: 'state',
      render: ({ status, role_disabled }) => (
        <EnabledState
          status={status}
          words={t(($) => $.status[status])}
          more={role_disabled && <span className="soft"> · {t(($) => $.roleDisabled)}</span>}
        />
      ),
    },
    {
      key: 'nickname',
      title: t(($) => $.column.nickname),
      wraps: 'name',
      sort: 'nickname',
      render: (row) => row.nickname || '—',
    },
    {
      key: 'role',
      title: t(($) => $.column.role),
      wraps: 'name',
      width: 130,
      render: (row) => row.role_name,
    },
    {
      key: 'mobile',
      title: t(($) => $.column.mobile),
      render: (row) =>
        row.mobile === '' ? (
          '—'
        ) : (
          <span className="tabular nowrap">
            {row.mobile}{' '}
            {row.mobile_confirmed && <CheckOutlined className="soft" title={t(($) => $.confirmed)} />}
          </span>
        ),
    },
    {
      key: 'area',
      title: t(($) => $.column.area),
      wraps: true,
      width: 110,
      render: (row) => row.area || '—',
    },
    {
      key: 'project',
      title: t(($) => $.column.project),
      wraps: 'name',
      width: 152,
      render: (row) =>
        row.projects.length === 0 ? (
          '—'
        ) : (
          <span className="user-wide" title={titleOf(row, formats)}>
            {formats.list(shownOf(row).map(placeOf(formats)))}
            {row.project_count > shownOf(row).length && ` +${row.project_count - shownOf(row).length}`}
          </span>
        ),
    },
    {
      key: 'email',
      title: t(($) => $.column.email),
      wraps: true,
      render: (row) => <EmailText address={row.email} />,
    },
    {
      key: 'password',
      title: t(($) => $.column.password),
      hidden: true,
      render: (row) => (
        <span className="nowrap">{t(($) => $.changed, { when: formats.date(row.password_changed_at) })}</span>
      ),
    },
    {
      key: 'created',
      title: t(($) => $.column.created),
      hidden: true,
      sort: 'created_at',
      render: (row) => <TimeText at={row.created_at} />,
    },
    {
      key: 'automatic',
      title: t(($) => $.column.automatic),
      hidden: true,
      render: (row) => t(($) => (row.auto_sign_in ? $.yes : $.no)),
    },
    {
      key: 'twoStep',
      title: t(($) => $.column.twoStep),
      hidden: true,
      render: (row) => t(($) => (row.two_step ? $.yes : $.no)),
    },
    {
      key: 'sessions',
      title: t(($) => $.column.sessions),
      align: 'right',
      hidden: true,
      render: (row) => <span className="tabular">{row.sessions}</span>,
    },
    {
      key: 'seen',
      title: t(($) => $.column.seen),
      hidden: true,
      render: (row) => (row.seen_at === null ? '—' : <LastSeen at={row.seen_at} />),
    },
  ];
};
