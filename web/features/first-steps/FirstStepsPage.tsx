import { CheckCircleFilled } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import { useCan } from '#web/api/session.ts';
import { Notice } from '#web/parts/Notice.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import './first-steps.css';
import { nextOf, useFirstSteps } from './use-first-steps.ts';

/** From an empty installation to a supervised line: each step, why it is needed, and where to do it. */
export const FirstStepsPage = () => {
  const { t } = useTranslation('firstSteps');
  const may = useCan('project.create');
  return may ? <Steps /> : <Notice title={t(($) => $.title)} text={t(($) => $.denied)} />;
};

const Steps = () => {
  const { t } = useTranslation('firstSteps');
  const steps = useFirstSteps();
  const next = steps ? nextOf(steps) : undefined;
  return (
    <>
      <PageHeader title={t(($) => $.title)} />
      <p className="soft">{t(($) => (steps !== null && next === undefined ? $.over : $.text))}</p>
      <ol className="first-steps" aria-busy={steps === null}>
        {(steps ?? []).map((step, index) => (
          <li
            key={step.name}
            className={step.done ? 'panel is-done' : 'panel'}
            aria-current={step === next ? 'step' : undefined}
          >
            <span className="first-steps-mark" aria-hidden="true">
              {step.done ? <CheckCircleFilled /> : index + 1}
            </span>
            <div>
              <h2>
                {t(($) => $.step[step.name].name)}
                {step.done && <span className="soft"> · {t(($) => $.done)}</span>}
              </h2>
              <p>{t(($) => $.step[step.name].text)}</p>
              <PathLink className={step === next ? 'first-steps-next' : undefined} to={step.to}>
                {t(($) => (step.done ? $.step[step.name].see : $.step[step.name].act))}
              </PathLink>
            </div>
          </li>
        ))}
      </ol>
    </>
  );
};
