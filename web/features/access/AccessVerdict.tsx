import { CheckCircleOutlined, CloseCircleOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type AccessAct, accessEndpoints } from '#contract/access.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { endpointQuery } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';

type Verdict = ReplyOf<typeof accessEndpoints.explain>;

/** The verdict, and each check that leads to it, in the order of the server. */
export const AccessVerdict = ({
  ask: { line_id, ...ask },
}: {
  ask: { user_id: number; device_id: number; line_id: number | undefined; act: AccessAct };
}) => {
  const query = useQuery(
    endpointQuery(accessEndpoints.explain, { ...ask, ...(line_id === undefined ? {} : { line_id }) }),
  );
  return (
    <DataState query={query} rows={5}>
      {(verdict) => <Steps verdict={verdict} />}
    </DataState>
  );
};

const Steps = ({ verdict }: { verdict: Verdict }) => {
  const { t } = useTranslation('access');
  const { allowed, user, account, permission, scope, line } = verdict;
  const role = permission.role_name;
  const lacking = permission.needs.filter(({ ok }) => !ok);
  const held = [...new Set(permission.needs.flatMap(({ by }) => by))].join(', ');
  const granting = lacking.every(({ letters }) => letters.length > 0)
    ? lacking.map(({ letters }) => letters.join(', ')).join(' + ')
    : '';
  const why = permission.ok
    ? held !== '' && !permission.built_in
      ? t(($) => $.permission.letter, { role, letters: held })
      : t(($) => $.permission.builtIn, { role })
    : granting !== '' && !permission.built_in
      ? t(($) => $.permission.lacks, { role, letters: granting })
      : t(($) => $.permission.lacksBuiltIn, { role });
  const places = scope.places.join(', ') || t(($) => $.scope.nowhere);
  const steps = [
    { key: 'account' as const, ok: account.ok, text: t(($) => $.account[account.why]) },
    { key: 'permission' as const, ok: permission.ok, text: why },
    { key: 'scope' as const, ok: scope.ok, text: t(($) => $.scope[scope.reach], { places }) },
    ...(line
      ? [
          {
            key: 'line' as const,
            ok: line.allowed,
            text: line.allowed
              ? t(($) => $.line.allowed)
              : t(($) => $.line.refused, { message: line.message ?? '' }),
          },
        ]
      : []),
  ];
  return (
    <section className="access-verdict" aria-live="polite">
      <h2>
        <Mark ok={allowed} /> {t(($) => (allowed ? $.allowed : $.refused), { name: user.name })}
      </h2>
      <ol>
        {steps.map(({ key, ok, text }) => (
          <li key={key}>
            <Mark ok={ok} />
            <div>
              <strong>{t(($) => $.step[key])}</strong>
              <div>{text}</div>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
};

/** The text beside the sign has the same meaning: colour is never the only sign. */
const Mark = ({ ok }: { ok: boolean }) =>
  ok ? (
    <CheckCircleOutlined className="access-yes" aria-hidden />
  ) : (
    <CloseCircleOutlined className="access-no" aria-hidden />
  );
