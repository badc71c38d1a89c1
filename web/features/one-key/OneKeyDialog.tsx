import { useQuery } from '@tanstack/react-query';
import { Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { oneKeyEndpoints } from '#contract/one-key.ts';
import { call } from '#web/api/call.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { AskField } from '#web/parts/AskField.tsx';
import { DataState } from '#web/parts/DataState.tsx';
import { useAsk } from '#web/parts/use-ask.ts';
import { useCutRefusal } from '#web/parts/use-cut-refusal.ts';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import { useRefusal } from '#web/parts/use-refusal.tsx';
import { previewQuery, type SwitchAction } from './one-key.query.ts';
import './one-key.css';
import { PreviewLines } from './PreviewLines.tsx';

/**
 * Shows what one-key would do with each line: which are switched, their present load, which are skipped and
 * why. Nothing is sent before the confirmation, and closing several lines needs the password.
 */
export const OneKeyDialog = ({
  deviceIds,
  action,
  onStarted,
  onClose,
}: {
  deviceIds: readonly number[];
  action: SwitchAction;
  onStarted: (batchId: string) => void;
  onClose: () => void;
}) => {
  const { t } = useTranslation('oneKey');
  const cut = useCutRefusal();
  const refusal = useRefusal(cut);
  useFocusBack();
  const [password, setPassword] = useState('');
  const preview = useQuery(previewQuery(deviceIds, action));
  useLiveRefresh(
    ['line_state', 'device_state', 'alarm', 'alarm_update', 'tag'],
    [oneKeyEndpoints.switch],
    1000,
    (data) => !('device_id' in data) || deviceIds.includes(data.device_id ?? 0),
  );
  // The notice above the lines says why their state is not known.
  const isOld = preview.isError && cut === null;
  const count = preview.data?.to_switch ?? 0;
  const asksPassword = count > 0 && (preview.data?.password_needed ?? false);

  const { busy, flaws, submit, typed } = useAsk();
  const send = async () => {
    const found = asksPassword && password === '' ? { password: t(($) => $.passwordMissing) } : {};
    const done = await submit(found, async () => {
      const { batch_id } = await call(oneKeyEndpoints.switch, {
        device_ids: [...deviceIds],
        // Only the shown lines are switched, not ones that became ready meanwhile.
        line_ids: (preview.data?.lines ?? [])
          .filter(({ will }) => will === 'switch')
          .map(({ line_id }) => line_id),
        action,
        ...(asksPassword ? { password } : {}),
      });
      if (batch_id !== null) onStarted(batch_id);
    });
    if (!done) await preview.refetch();
  };
  return (
    <Modal
      open
      width={760}
      title={t(($) => $[action].title)}
      okText={t(($) => $[action].confirm, { count })}
      okButtonProps={{ ...refusal.button, danger: action === 'close', disabled: cut !== null || isOld }}
      footer={(_, { OkBtn, CancelBtn }) => (
        <>
          <CancelBtn />
          {count > 0 && <OkBtn />}
        </>
      )}
      confirmLoading={busy}
      onOk={() => void send()}
      onCancel={onClose}
    >
      {refusal.text}
      <DataState query={preview} rows={6}>
        {(plan) => (
          <>
            <p className={`one-key-consequence is-${plan.to_switch === 0 ? 'none' : action}`}>
              <strong>
                {plan.to_switch === 0
                  ? t(($) => $.nothing)
                  : t(($) => $[action].consequence, { count: plan.to_switch })}
              </strong>
            </p>
            <PreviewLines plan={plan} />
            {asksPassword && (
              <form
                onSubmit={(event) => {
                  event.preventDefault();
                  if (cut === null && !isOld) void send();
                }}
              >
                <AskField
                  id="one-key-password"
                  kind="password"
                  label={t(($) => $.password)}
                  flaw={flaws['password']}
                  onChange={(value) => {
                    setPassword(value);
                    typed();
                  }}
                />
              </form>
            )}
          </>
        )}
      </DataState>
    </Modal>
  );
};
