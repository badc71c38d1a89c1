import { useTranslation } from 'react-i18next';
import { Field } from './Field.tsx';
import type { useCode } from './use-sign-in.ts';

export const CodeField = ({
  value,
  onChange,
  error,
  source,
}: {
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  source: ReturnType<typeof useCode>;
}) => {
  const { t } = useTranslation('signIn');
  const { code, alternative, failed, refresh, setAlternative } = source;
  return (
    <div>
      <Field
        name="code"
        label={t(($) => $.code)}
        value={value}
        onChange={(text) => onChange(text.replace(/\D/g, ''))}
        error={error ?? (failed ? t(($) => $.network) : undefined)}
        inputMode="numeric"
        maxLength={4}
        autoComplete="one-time-code"
        beside={
          <div className="door-code">
            {!alternative && code?.image ? (
              <img src={code.image} alt={t(($) => $.codeImage)} width="132" height="44" />
            ) : (
              <span className="door-code-room" />
            )}
            <button
              type="button"
              className="door-quiet"
              onClick={() => void refresh()}
              aria-label={t(($) => $.refresh)}
              title={t(($) => $.refresh)}
            >
              ↻
            </button>
          </div>
        }
      />
      {alternative && code && (
        <p className="door-question" aria-live="polite">
          {code.question}
        </p>
      )}
      <button type="button" className="door-text-button" onClick={() => setAlternative(!alternative)}>
        {alternative ? t(($) => $.asPicture) : t(($) => $.asText)}
      </button>
    </div>
  );
};
