import { useTranslation } from 'react-i18next';

const known = ['1', '2', '3', '4'] as const;

/** 1 critical … 4 low, as bars and a word. */
export const Severity = ({ severity }: { severity: number }) => {
  const { t } = useTranslation('common');
  const key = known.find((each) => each === String(severity));
  const word = key ? t(($) => $.severity[key]) : severity;
  return (
    <span className={`severity${severity === 1 ? ' is-alarm' : ''}`} title={String(word)}>
      <svg viewBox="0 0 18 12" width="18" height="12" aria-hidden="true" className="signal">
        {[0, 1, 2, 3].map((bar) => (
          <rect key={bar} x={bar * 4.5} y="1" width="3" height="10" opacity={bar < 5 - severity ? 1 : 0.22} />
        ))}
      </svg>{' '}
      <span>{word}</span>
    </span>
  );
};
