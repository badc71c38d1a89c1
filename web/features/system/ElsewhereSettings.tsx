import { useTranslation } from 'react-i18next';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';

/** Settings on other pages: credentials, schedules and tables of a feature. */
const places = [
  ['wechat', 'bouncednotice'],
  ['sms', 'USERManage'],
  ['backup', 'databasemanage'],
  ['tariffs', 'epstatistics'],
  ['limits', 'alarmtype'],
  ['fireCentre', 'bouncednotice'],
  // Set at the server only, because a script of another party runs with the rights of the signed-in user.
  ['mapScript', null],
] as const;

export const ElsewhereSettings = () => {
  const { t } = useTranslation('system');
  return (
    <section className="system-card">
      <h2>{t(($) => $.settings.elsewhere.title)}</h2>
      <ul className="system-settings">
        {places.map(([key, page]) => (
          <li key={key}>
            <div>
              {page === null ? (
                <strong>{t(($) => $.settings.elsewhere[key].name)}</strong>
              ) : (
                <PathLink to={paths.settings(page)}>{t(($) => $.settings.elsewhere[key].name)}</PathLink>
              )}
              <p className="soft">{t(($) => $.settings.elsewhere[key].meaning)}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
};
