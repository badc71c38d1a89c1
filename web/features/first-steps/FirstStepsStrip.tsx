import { FlagOutlined } from '@ant-design/icons';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { refreshSession } from '#web/api/session.ts';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import './first-steps.css';
import { nextOf, useFirstSteps } from './use-first-steps.ts';

/** Above every screen of an installation that supervises nothing yet: its progress, and the next step. */
export const FirstStepsStrip = () => {
  const { t } = useTranslation('firstSteps');
  const steps = useFirstSteps();
  const next = steps && nextOf(steps);
  const isOver = steps !== null && next === undefined;
  useEffect(() => {
    if (isOver) void refreshSession();
  }, [isOver]);
  if (!steps || !next) return null;
  return (
    <aside className="first-steps-strip" aria-label={t(($) => $.title)}>
      <span>
        <FlagOutlined aria-hidden /> {t(($) => $.progress, { done: steps.filter(({ done }) => done).length })}
      </span>
      <PathLink className="first-steps-next" to={next.to}>
        {t(($) => $.step[next.name].act)}
      </PathLink>
      <PathLink to={paths.firstSteps}>{t(($) => $.all)}</PathLink>
    </aside>
  );
};
