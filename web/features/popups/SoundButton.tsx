import { MutedOutlined, SoundOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import { useTranslation } from 'react-i18next';
import { useSound } from './use-sound.ts';

/** Whether new alarms make a sound; one press mutes it. */
export const SoundButton = () => {
  const { t } = useTranslation('popups');
  const { wish, sound, toggle } = useSound();
  const on = sound !== 'off';
  return (
    <Tooltip title={t(($) => (on ? $.mute : $.unmute))}>
      <Button
        type="text"
        icon={on ? <SoundOutlined /> : <MutedOutlined />}
        disabled={!wish}
        aria-pressed={on}
        aria-label={t(($) => $.sound)}
        onClick={() => void toggle()}
      />
    </Tooltip>
  );
};
