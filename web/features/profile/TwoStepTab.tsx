import { useQuery } from '@tanstack/react-query';
import { App, Button, Form, Input, QRCode } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { sessionEndpoints } from '#contract/session.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { refreshSession } from '#web/api/session.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { useSubmit } from '#web/parts/use-submit.ts';

type Setup = ReplyOf<typeof sessionEndpoints.twoStepBegin>;
type State = ReplyOf<typeof sessionEndpoints.userInfo>['two_step'];

/** Two-step sign-in of the user's own account: set up, new recovery codes, turn off. */
export const TwoStepTab = () => {
  const reload = useReload(sessionEndpoints.userInfo);
  const query = useQuery(endpointQuery(sessionEndpoints.userInfo, {}));
  const [setup, setSetup] = useState<Setup | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const refresh = async () => {
    await reload();
  };
  if (codes)
    return (
      <RecoveryCodes
        codes={codes}
        onDone={() => {
          setCodes(null);
          void refresh().then(refreshSession);
        }}
      />
    );
  if (setup)
    return (
      <Confirm
        setup={setup}
        onConfirmed={(given) => {
          setSetup(null);
          setCodes(given);
        }}
      />
    );
  return (
    <DataState query={query} rows={4}>
      {({ two_step }) =>
        two_step.enabled ? (
          <Enabled state={two_step} onCodes={setCodes} onDisabled={() => void refresh()} />
        ) : (
          <Begin state={two_step} onSetup={setSetup} />
        )
      }
    </DataState>
  );
};

const Begin = ({ state, onSetup }: { state: State; onSetup: (setup: Setup) => void }) => {
  const { t } = useTranslation('profile');
  const [form] = Form.useForm<{ password: string }>();
  const { busy, submit: begin } = useSubmit(form, async ({ password }) =>
    onSetup(await call(sessionEndpoints.twoStepBegin, { password })),
  );
  return (
    <Form form={form} layout="vertical" onFinish={(values) => void begin(values)}>
      {state.required && (
        <p role="status">
          <strong>{t(($) => $.twoStep.required)}</strong>
        </p>
      )}
      <p>{t(($) => $.twoStep.text)}</p>
      <Form.Item
        name="password"
        label={t(($) => $.twoStep.password)}
        rules={[{ required: true, message: t(($) => $.twoStep.needPassword) }]}
      >
        <Input.Password autoComplete="current-password" />
      </Form.Item>
      <Button type="primary" htmlType="submit" loading={busy}>
        {t(($) => $.twoStep.begin)}
      </Button>
    </Form>
  );
};

const Confirm = ({
  setup,
  onConfirmed,
}: {
  setup: Setup;
  onConfirmed: (codes: readonly string[]) => void;
}) => {
  const { t } = useTranslation('profile');
  const [form] = Form.useForm<{ code: string }>();
  const { busy, submit: confirm } = useSubmit(form, async ({ code }) =>
    onConfirmed((await call(sessionEndpoints.twoStepConfirm, { code: code ?? '' })).recovery_codes),
  );
  return (
    <Form form={form} layout="vertical" onFinish={(values) => void confirm(values)}>
      <p>{t(($) => $.twoStep.scan)}</p>
      <QRCode value={setup.uri} color="#000" bgColor="#fff" size={176} />
      <p>
        {t(($) => $.twoStep.secret)} <code className="two-step-secret">{setup.secret}</code>
      </p>
      <Form.Item name="code" label={t(($) => $.twoStep.code)}>
        <Input inputMode="numeric" autoComplete="one-time-code" maxLength={6} autoFocus />
      </Form.Item>
      <Button type="primary" htmlType="submit" loading={busy}>
        {t(($) => $.twoStep.confirm)}
      </Button>
    </Form>
  );
};

const RecoveryCodes = ({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) => {
  const { t } = useTranslation('profile');
  const { message } = App.useApp();
  const copy = async () => {
    await navigator.clipboard.writeText(codes.join('\n'));
    void message.success(t(($) => $.twoStep.copied));
  };
  return (
    <>
      <p>
        <strong>{t(($) => $.twoStep.codes)}</strong>
      </p>
      <p>{t(($) => $.twoStep.codesText)}</p>
      <ul className="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="two-step-acts">
        {window.isSecureContext && <Button onClick={() => void copy()}>{t(($) => $.twoStep.copy)}</Button>}
        <Button type="primary" onClick={onDone}>
          {t(($) => $.twoStep.kept)}
        </Button>
      </div>
    </>
  );
};

const Enabled = ({
  state,
  onCodes,
  onDisabled,
}: {
  state: State;
  onCodes: (codes: readonly string[]) => void;
  onDisabled: () => void;
}) => {
  const { t } = useTranslation('profile');
  const { message } = App.useApp();
  const [form] = Form.useForm<{ password: string; code: string }>();
  const { busy: renewing, submit: renew } = useSubmit(form, async (proof) => {
    const { recovery_codes } = await call(sessionEndpoints.twoStepRecovery, proof);
    form.resetFields();
    onCodes(recovery_codes);
  });
  const { busy: disabling, submit: disable } = useSubmit(form, async (proof) => {
    await call(sessionEndpoints.twoStepDisable, proof);
    form.resetFields();
    void message.success(t(($) => $.twoStep.disabled));
    onDisabled();
  });
  const busy = renewing || disabling;
  return (
    <Form form={form} layout="vertical" onFinish={(proof) => void renew(proof)}>
      <p role="status">
        <strong>{t(($) => $.twoStep.on)}</strong> {t(($) => $.twoStep.left, { count: state.recovery_left })}
      </p>
      <Form.Item name="password" label={t(($) => $.twoStep.password)}>
        <Input.Password autoComplete="current-password" />
      </Form.Item>
      <Form.Item name="code" label={t(($) => $.twoStep.code)}>
        <Input autoComplete="one-time-code" maxLength={20} />
      </Form.Item>
      <div className="two-step-acts">
        <Button htmlType="submit" loading={busy}>
          {t(($) => $.twoStep.renew)}
        </Button>
        {!state.required && (
          <Button danger loading={busy} onClick={() => void disable(form.getFieldsValue())}>
            {t(($) => $.twoStep.disable)}
          </Button>
        )}
      </div>
    </Form>
  );
};
