import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionEndpoints } from '#contract/session.ts';
import { call } from '#web/api/call.ts';
import { dropCookie, readCookie, writeCookie } from '#web/api/cookies.ts';
import { CodeField } from './CodeField.tsx';
import { Field } from './Field.tsx';
import { SecondStep } from './SecondStep.tsx';
import { useCode, type useSignIn } from './use-sign-in.ts';

type Name = 'username' | 'password' | 'code';
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
  const [missing, setMissing] = useState<readonly Name[]>([]);
  const form = useRef<HTMLFormElement>(null);
  const waiting = useRef(false);
  const needsCode = code.code?.required ?? true;

  const change = (name: Name) => (value: string) => {
    setValues((before) => ({ ...before, [name]: value }));
    setMissing((before) => before.filter((each) => each !== name));
  };
  const focus = (name: string) =>
    form.current?.querySelector<HTMLInputElement>(`input[name=${name}]`)?.focus();
  const check = (needsCode: boolean): Name[] => [
    ...(values.username.trim() === '' ? (['username'] as const) : []),
    ...(values.password === '' ? (['password'] as const) : []),
    ...(needsCode && !/^\d{4}$/.test(values.code) ? (['code'] as const) : []),
  ];

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy || waiting.current) return;
    waiting.current = true;
    const known = code.code ?? (await code.arrived());
    waiting.current = false;
    const needsCode = known?.required ?? true;
    const lacking = check(needsCode);
    setMissing(lacking);
    const [first] = lacking;
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

  const asked: Record<Name, string> = {
    username: t(($) => $.need.account),
    password: t(($) => $.need.password),
    code: t(($) => $.need.code),
  };
  const errorOf = (name: Name) => (missing.includes(name) ? asked[name] : trouble.fields[name]);
  const general = trouble.network ? t(($) => $.network) : trouble.text;
  return (
    <form ref={form} onSubmit={(event) => void submit(event)} noValidate className="door-form">
      <Field
        name="username"
        label={t(($) => $.account)}
        value={values.username}
        onChange={change('username')}
        error={errorOf('username')}
        autoComplete="username"
        autoFocus={values.username === ''}
      />
      <Field
        name="password"
        type="password"
        label={t(($) => $.password)}
        value={values.password}
        onChange={change('password')}
        error={errorOf('password')}
        autoComplete="current-password"
        autoFocus={values.username !== ''}
      />
      {needsCode && (
        <CodeField value={values.code} onChange={change('code')} error={errorOf('code')} source={code} />
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
