import { Form, Input, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFocusBack } from '../../parts/use-focus-back.ts';
import { type Act, asksNumber, type ControlDevice, isGrave } from './acts.ts';

/** Asks before an act: names where, and what follows; what cannot be taken back is confirmed by the device's number. */
export const ActDialog = ({
  act,
  device,
  where,
  text,
  busy,
  onConfirm,
  onClose,
}: {
  act: Act;
  device: ControlDevice;
  where: string;
  text: string;
  busy: boolean;
  onConfirm: () => void;
  onClose: () => void;
}) => {
  const { t } = useTranslation('control');
  useFocusBack();
  const { t: tc } = useTranslation('common');
  const [typed, setTyped] = useState('');
  const action = tc(($) => $.command.action[act.action]);
  const asks = asksNumber(act);
  return (
    <Modal
      open
      title={t(($) => $.ask, { action, where })}
      okText={action}
      okButtonProps={{ danger: isGrave(act), disabled: asks && typed.trim() !== device.number }}
      confirmLoading={busy}
      onOk={onConfirm}
      onCancel={onClose}
    >
      <p className={`control-consequence${isGrave(act) ? ' is-grave' : ''}`}>
        <strong>{text}</strong>
      </p>
      {asks && (
        <Form layout="vertical">
          <Form.Item label={t(($) => $.typeNumber, { number: device.number })} htmlFor="act-number">
            <Input
              id="act-number"
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </Form.Item>
        </Form>
      )}
    </Modal>
  );
};
