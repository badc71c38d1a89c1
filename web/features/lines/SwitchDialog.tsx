import { App, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { controlEndpoints } from '#contract/control.ts';
import { call } from '#web/api/call.ts';
import { Fault } from '#web/api/fault.ts';
import { AskField } from '#web/parts/AskField.tsx';
import { useAsk } from '#web/parts/use-ask.ts';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { LineLoad } from '#web/values/LineLoad.tsx';
import { LineState } from '#web/values/LineState.tsx';
import { useAges } from '#web/values/line-ages.ts';
import { LineAge } from './LineAge.tsx';
import { type Asked, type LinesDevice, useLinesChanged } from './lines.query.ts';

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
  const [typed, setTyped] = useState('');
  const changed = useLinesChanged();
  const old = useAges()(line, device.interval_seconds);
  const name = line.name || String(line.n);
  const asksPassword = action === 'close' && passwordNeeded;
  const asksName = action === 'open' && line.critical;

  const { busy, flaws, submit, typed: noFlaws } = useAsk();
  const type = (value: string) => {
    setTyped(value);
    noFlaws();
  };
  const found = () => {
    if (asksName && typed.trim() !== name.trim()) return { confirm_name: t(($) => $.ask.nameWrong) };
    if (asksPassword && typed === '') return { password: t(($) => $.ask.passwordMissing) };
    return {};
  };
  const send = () =>
    submit(found(), async () => {
      try {
        await call(controlEndpoints.do, {
          device_id: device.device_id,
          line_id: line.line_id,
          action,
          ...(asksPassword ? { password: typed } : {}),
          ...(asksName ? { confirm_name: typed } : {}),
        });
        void message.info(t(($) => $.takingEffect));
        onClose();
      } catch (error) {
        if (error instanceof Fault && Object.keys({ ...error.alsoFields, ...error.fields }).length === 0)
          onClose();
        throw error;
      }
    }).finally(changed);
  return (
    <Modal
      open
      title={t(($) => $[action].title, { line: name })}
      okText={t(($) => $[action].confirm)}
      okButtonProps={{ danger: action === 'close', disabled: refusal !== null }}
      confirmLoading={busy}
      onOk={() => void send()}
      onCancel={onClose}
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
          <LineState state={line.state} stale={old.stale} /> <LineAge line={line} stale={old.stale} />
        </dd>
        <dt>{t(($) => $.ask.load)}</dt>
        <dd>
          <LineLoad load={line} stale={old.values_stale} />
        </dd>
      </dl>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (refusal === null) void send();
        }}
      >
        {asksName && (
          <AskField
            id="switch-name"
            kind="text"
            focused
            label={t(($) => $.ask.typeName, { line: name })}
            flaw={flaws['confirm_name']}
            onChange={type}
          />
        )}
        {asksPassword && (
          <AskField
            id="switch-password"
            kind="password"
            focused
            label={t(($) => $.ask.password)}
            flaw={flaws['password']}
            onChange={type}
          />
        )}
      </form>
    </Modal>
  );
};
