import { Form, Modal } from 'antd';
import Input from 'antd/es/input/Input.js';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { type Act, isGrave, type writtenFor } from './acts.ts';

/**
 * A dialog before an act: names the device and the consequence; the most severe acts need a typed
 * confirmation.
 */
export const ActDialog = ({
  act,
  written,
  where,
  text,
  busy,
  onConfirm,
  onClose,
}: {
  act: Act;
  written: ReturnType<typeof writtenFor>;
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
  return (
    <Modal
      open
      title={t(($) => $.ask, { action, where })}
      okText={action}
      okButtonProps={{ danger: isGrave(act), disabled: written !== null && typed.trim() !== written.text }}
      confirmLoading={busy}
      onOk={onConfirm}
      onCancel={onClose}
    >
      <p className={`control-consequence${isGrave(act) ? ' is-grave' : ''}`}>
        <strong>{text}</strong>
      </p>
      {written && (
        <Form layout="vertical">
          <Form.Item
            label={
              written.kind === 'name'
                ? t(($) => $.typeName, { line: written.text })
                : t(($) => $.typeNumber, { number: written.text })
            }
            htmlFor="act-written"
          >
            <Input
              id="act-written"
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
