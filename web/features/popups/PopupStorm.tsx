import { ThunderboltOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import { AlarmTypeName } from '#web/values/AlarmTypeName.tsx';
import type { PopupView } from './popup-queue.ts';

const shownKinds = 3;

/** Many at once: how many, how severe, of what types. */
export const PopupStorm = ({ view }: { view: PopupView }) => {
  const { t } = useTranslation('popups');
  const kinds = [...Map.groupBy(view.groups, ({ lead }) => lead.typeNumber)]
    .map(([code, groups]) => [code, groups.length] as const)
    .sort((a, b) => b[1] - a[1]);
  return (
    <>
      <p className="popup-title">
        <ThunderboltOutlined aria-hidden />
        <strong className="tabular">{t(($) => $.storm, { count: view.total })}</strong>
      </p>
      <p className="popup-place tabular">
        {t(($) => $.stormDevices, { count: view.groups.length })}
        {view.critical > 0 && ` · ${t(($) => $.stormCritical, { count: view.critical })}`}
      </p>
      <p className="soft">
        {kinds.slice(0, shownKinds).map(([code, count], index) => (
          <span key={code}>
            {index > 0 && ' · '}
            <AlarmTypeName code={code} /> {count}
          </span>
        ))}
      </p>
    </>
  );
};
