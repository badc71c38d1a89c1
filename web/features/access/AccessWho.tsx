import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { type AccessAct, accessEndpoints } from '#contract/access.ts';
import { endpointQuery } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';

/** Everybody who may do this on the device, with the source of their scope. */
export const AccessWho = ({
  ask: { device_id, line_id, act },
  onExplain,
}: {
  ask: { device_id: number; line_id: number | undefined; act: AccessAct };
  onExplain: (userId: number) => void;
}) => {
  const { t } = useTranslation('access');
  const query = useQuery(
    endpointQuery(accessEndpoints.who, { device_id, act, ...(line_id === undefined ? {} : { line_id }) }),
  );
  return (
    <section className="access-who">
      <h2>{t(($) => $.who.title, { act: t(($) => $.act[act]) })}</h2>
      <DataState query={query} rows={4}>
        {({ list, others, more, line }) => (
          <>
            {line && !line.allowed && (
              <p role="status">{t(($) => $.line.refused, { message: line.message ?? '' })}</p>
            )}
            {list.length === 0 && <p className="soft">{t(($) => $.who.none)}</p>}
            <ul className="plain-list">
              {list.map((person) => (
                <li key={person.user_id}>
                  <div>
                    <div>
                      {person.name} <span className="soft">{person.username}</span>
                    </div>
                    <div className="soft">
                      {person.role_name} · {t(($) => $.who.reach[person.reach])}
                    </div>
                  </div>
                  <Button size="small" onClick={() => onExplain(person.user_id)}>
                    {t(($) => $.who.why)}
                  </Button>
                </li>
              ))}
            </ul>
            {others > 0 && <p className="soft">{t(($) => $.who.others, { count: others })}</p>}
            {more && <p className="soft">{t(($) => $.who.more)}</p>}
          </>
        )}
      </DataState>
    </section>
  );
};
