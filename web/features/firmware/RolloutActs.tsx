import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { firmwareEndpoints, type Rollout } from '#contract/firmware.ts';
import { attempt } from '#web/api/attempt.ts';
import { useReload } from '#web/api/query.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';
import { useProvenCall } from '#web/parts/use-proof.tsx';

/** Pause, resume (asks for the password) and stop. */
export const RolloutActs = ({ rollout }: { rollout: Rollout }) => {
  const { t } = useTranslation('firmware');
  const confirm = useConfirm();
  const prove = useProvenCall();
  const reload = useReload(firmwareEndpoints.rollout, firmwareEndpoints.rollouts);
  const { rollout_id, state, appVersion: version } = rollout;
  const change = async (act: 'pause' | 'resume' | 'stop') => {
    const sure =
      act !== 'stop' ||
      (await confirm({
        title: t(($) => $.rollout.stopTitle, { version }),
        content: t(($) => $.rollout.stopText),
        okText: t(($) => $.rollout.stopAct),
        danger: true,
      }));
    if (!sure) return;
    await attempt(async () => {
      await prove(firmwareEndpoints.change, { rollout_id, act });
    });
    await reload();
  };
  return (
    <span className="rollout-acts">
      {state === 'running' && (
        <Button onClick={() => void change('pause')}>{t(($) => $.rollout.pause)}</Button>
      )}
      {state === 'paused' && (
        <Button type="primary" onClick={() => void change('resume')}>
          {t(($) => $.rollout.resume)}
        </Button>
      )}
      {(state === 'running' || state === 'paused') && (
        <Button danger onClick={() => void change('stop')}>
          {t(($) => $.rollout.stopAct)}
        </Button>
      )}
    </span>
  );
};
