import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionEndpoints } from '#contract/session.ts';
import { call } from '../../api/call.ts';
import { dropCookie, readCookie, writeCookie } from '../../api/cookies.ts';
import { CodeField } from './CodeField.tsx';
import { Field } from './Field.tsx';
import { SecondStep } from './SecondStep.tsx';
import { useCode, type useSignIn } from './use-sign-in.ts';

type Errors = Partial<Record<'username' | 'password' | 'code', string>>;
const accountCookie = 'account';

export const SignInForm = ({ signIn }: { signIn: ReturnType<typeof useSignIn> }) =>
  signIn.ticket === null ? (
    <FirstStep signIn={signIn} />
  ) : (
    <SecondStep ticket={signIn.ticket} signIn={signIn} />
  );

const FirstStep = ({ signIn }: { signIn: ReturnType<typeof useSignIn> }) => {
  const { t, i18n } = useTranslation('signIn');
  const { run, busy, trouble, waitSeconds } = signIn;
  const code = useCode(i18n.language);
  const [values, setValues] = useState({ username: readCookie(accountCookie) ?? '', password: '', code: '' });
  const [remember, setRemember] = useState(true);
  const [missing, setMissing] = useState<Errors>({});
  const form = useRef<HTMLFormElement>(null);
  const waiting = useRef(false);
  const needsCode = code.code?.required ?? true;

  const change = (name: keyof typeof values) => (value: string) => {
    setValues((before) => ({ ...before, [name]: value }));
    setMissing(({ [name]: _gone, ...rest }) => rest);
  };
  const focus = (name: string) =>
    form.current?.querySelector<HTMLInputElement>(`input[name=${name}]`)?.focus();
  const check = (needsCode: boolean): Errors => ({
    ...(values.username.trim() === '' ? { username: t(($) => $.need.account) } : {}),
    ...(values.password === '' ? { password: t(($) => $.need.password) } : {}),
    ...(needsCode && !/^\d{4}$/.test(values.code) ? { code: t(($) => $.need.code) } : {}),
  });

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy || waiting.current) return;
    waiting.current = true;
    const known = code.code ?? (await code.arrived());
    waiting.current = false;
    const needsCode = known?.required ?? true;
    const errors = check(needsCode);
    setMissing(errors);
    const first = Object.keys(errors)[0];
    if (first !== undefined) return focus(first);
    const username = values.username.trim();
    const done = await run(() =>
      call(
        sessionEndpoints.signIn,
        {
          username,
          password: values.password,
          ...(needsCode && known ? { code: values.code, code_id: known.code_id } : {}),
        },
        { quiet: true },
      ),
    );
    if (remember) writeCookie(accountCookie, username);
    else dropCookie(accountCookie);
    if (done) return;
    change('code')('');
    await code.refresh();
    focus('password');
  };

  const errors = { ...trouble.fields, ...missing };
  const general = trouble.network ? t(($) => $.network) : trouble.text;
  return (
    <form ref={form} onSubmit={(event) => void submit(event)} noValidate className="door-form">
      <Field
        name="username"
        label={t(($) => $.account)}
        value={values.username}
        onChange={change('username')}
        error={errors.username}
        autoComplete="username"
        autoFocus={values.username === ''}
      />
      <Field
        name="password"
        type="password"
        label={t(($) => $.password)}
        value={values.password}
        onChange={change('password')}
        error={errors.password}
        autoComplete="current-password"
        autoFocus={values.username !== ''}
      />
      {needsCode && (
        <CodeField value={values.code} onChange={change('code')} error={errors.code} source={code} />
      )}
      <label className="door-remember">
        <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.target.checked)} />
        {t(($) => $.remember)}
      </label>
      <div role="alert" className="door-alert">
        {general}
      </div>
      <button type="submit" className="door-submit" disabled={busy || waitSeconds > 0}>
        {waitSeconds > 0
          ? t(($) => $.wait, { count: waitSeconds })
          : busy
            ? t(($) => $.signingIn)
            : t(($) => $.signIn)}
      </button>
    </form>
  );
};
