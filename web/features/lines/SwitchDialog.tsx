import { App, Form, Input, Modal } from 'antd';
import { useTranslation } from 'react-i18next';
import { controlEndpoints } from '#contract/control.ts';
import { call } from '../../api/call.ts';
import { Fault } from '../../api/fault.ts';
import { useFocusBack } from '../../parts/use-focus-back.ts';
import { useSubmit } from '../../parts/use-submit.ts';
import { LineState } from '../../values/LineState.tsx';
import { Quantity } from '../../values/Quantity.tsx';
import { type Asked, type LinesDevice, useLinesChanged } from './lines.query.ts';

interface Values {
  password?: string;
  confirm_name?: string;
}

/**
 * A dialog before switching a line: names device, line, action, the present load and the consequence. Closing
 * asks for the password if the last check is old; opening a critical line asks for its name. If the act
 * becomes impossible meanwhile, the dialog says why, and it cannot be sent.
 */
export const SwitchDialog = ({
  asked: { line, action },
  device,
  passwordNeeded,
  refusal,
  onClose,
}: {
  asked: Asked;
  device: LinesDevice;
  passwordNeeded: boolean;
  /** Why it is not possible now. */
  refusal: string | null;
  onClose: () => void;
}) => {
  const { t } = useTranslation('lines');
  useFocusBack();
  const { message } = App.useApp();
  const [form] = Form.useForm<Values>();
  const changed = useLinesChanged();
  const name = line.name || String(line.n);
  const asksPassword = action === 'close' && passwordNeeded;
  const asksName = action === 'open' && line.critical;

  const { busy, submit } = useSubmit(form, async (values: Values) => {
    try {
      await call(controlEndpoints.do, {
        device_id: device.device_id,
        line_id: line.line_id,
        action,
        ...(asksPassword ? { password: values.password ?? '' } : {}),
        ...(asksName ? { confirm_name: values.confirm_name ?? '' } : {}),
      });
      void message.info(t(($) => $.takingEffect));
      onClose();
    } catch (error) {
      if (error instanceof Fault && Object.keys(error.fields).length === 0) onClose();
      throw error;
    }
  });
  const send = (values: Values) => submit(values).finally(changed);
  return (
    <Modal
      open
      title={t(($) => $[action].title, { line: name })}
      okText={t(($) => $[action].confirm)}
      okButtonProps={{ danger: action === 'close', disabled: refusal !== null }}
      confirmLoading={busy}
      onOk={() => form.submit()}
      onCancel={onClose}
      afterOpenChange={(isOpen) => {
        if (isOpen) form.getFieldInstance(asksName ? 'confirm_name' : 'password')?.focus();
      }}
    >
      <p className={`switch-consequence switch-${action}`}>
        <strong>{t(($) => $[action].consequence, { line: name })}</strong>
      </p>
      {refusal !== null && (
        <p className="line-alarm" role="alert">
          <strong>{refusal}</strong>
        </p>
      )}
      <dl className="facts switch-facts">
        <dt>{t(($) => $.ask.device)}</dt>
        <dd>
          {device.name} · <span className="tabular">{device.number}</span>
        </dd>
        <dt>{t(($) => $.ask.line)}</dt>
        <dd>
          {line.n} · {name}
        </dd>
        <dt>{t(($) => $.ask.now)}</dt>
        <dd>
          <LineState state={line.state} stale={line.stale} />
        </dd>
        <dt>{t(($) => $.ask.load)}</dt>
        <dd>
          <Quantity value={line.power} unit="W" stale={line.values_stale} /> ·{' '}
          <Quantity value={line.current} unit="A" stale={line.values_stale} />
        </dd>
      </dl>
      <Form form={form} layout="vertical" onFinish={(values) => void send(values)}>
        {asksName && (
          <Form.Item
            name="confirm_name"
            label={t(($) => $.ask.typeName, { line: name })}
            rules={[
              {
                validator: (_, value: string | undefined) =>
                  value?.trim() === name.trim()
                    ? Promise.resolve()
                    : Promise.reject(new Error(t(($) => $.ask.nameWrong))),
              },
            ]}
          >
            <Input autoComplete="off" />
          </Form.Item>
        )}
        {asksPassword && (
          <Form.Item
            name="password"
            label={t(($) => $.ask.password)}
            rules={[{ required: true, message: t(($) => $.ask.passwordMissing) }]}
          >
            <Input.Password autoComplete="current-password" />
          </Form.Item>
        )}
      </Form>
    </Modal>
  );
};
