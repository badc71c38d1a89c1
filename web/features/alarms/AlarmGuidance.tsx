import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Language } from '#contract/languages.ts';
import { guidanceIn, interlockOf } from './guidance/guidance.ts';

/** Usual causes of this alarm type, what to check first, and what it forbids. */
export const AlarmGuidance = ({ code }: { code: number }) => {
  const { t, i18n } = useTranslation('alarms');
  const language = i18n.language as Language;
  const { data } = useQuery({
    queryKey: ['guidance', language],
    queryFn: () => guidanceIn(language),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const advice = data?.[code];
  const interlock = interlockOf(code);
  if (!advice) return null;
  return (
    <section>
      <h2>{t(($) => $.guidance.title)}</h2>
      {interlock !== 'none' && <p className="is-alarm">{t(($) => $.guidance.interlock[interlock])}</p>}
      <h3>{t(($) => $.guidance.checks)}</h3>
      <ol>
        {advice.checks.map((check) => (
          <li key={check}>{check}</li>
        ))}
      </ol>
      <h3>{t(($) => $.guidance.causes)}</h3>
      <ul>
        {advice.causes.map((cause) => (
          <li key={cause}>{cause}</li>
        ))}
      </ul>
    </section>
  );
};
