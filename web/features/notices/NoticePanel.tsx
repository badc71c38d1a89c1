import { useTranslation } from 'react-i18next';
import './notices.css';
import { PopupSettings } from './PopupSettings.tsx';
import { PushSettings } from './PushSettings.tsx';

/** The user's own notifications: on this device, and as pop-ups in the console. */
export const NoticePanel = () => {
  const { t } = useTranslation('notices');
  return (
    <>
      <h2 className="notice-heading">{t(($) => $.push.title)}</h2>
      <PushSettings />
      <h2 className="notice-heading">{t(($) => $.popup.title)}</h2>
      <PopupSettings />
    </>
  );
};
