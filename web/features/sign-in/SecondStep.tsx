import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionEndpoints } from '#contract/session.ts';
import { call } from '#web/api/call.ts';
import { Field } from './Field.tsx';
import type { useSignIn } from './use-sign-in.ts';

/** The second step after the password: the code of the app, or a recovery code. */
export const SecondStep = ({
  ticket,
  signIn: { run, busy, trouble, waitSeconds, startAgain },
}: {
  ticket: string;
  signIn: ReturnType<typeof useSignIn>;
}) => {
  const { t } = useTranslation('signIn');
  const [code, setCode] = useState('');
  const [missing, setMissing] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setMissing(code.trim().length < 6);
    if (code.trim().length < 6) return;
    const done = await run(() => call(sessionEndpoints.twoStep, { ticket, code }, { quiet: true }));
    if (!done) setCode('');
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="door-form">
      <p>{t(($) => $.second.text)}</p>
      <Field
        name="code"
        label={t(($) => $.second.code)}
        value={code}
        onChange={setCode}
        error={missing ? t(($) => $.second.need) : trouble.fields['code']}
        autoComplete="one-time-code"
        autoFocus
      />
      <div role="alert" className="door-alert">
        {trouble.network ? t(($) => $.network) : trouble.text}
      </div>
      <button type="submit" className="door-submit" disabled={busy || waitSeconds > 0}>
        {waitSeconds > 0 ? t(($) => $.wait, { count: waitSeconds }) : t(($) => $.signIn)}
      </button>
      <button type="button" className="text-button" onClick={startAgain}>
        {t(($) => $.second.back)}
      </button>
    </form>
  );
};
