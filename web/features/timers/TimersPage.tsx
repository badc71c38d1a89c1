import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { DevicePicker } from '#web/parts/DevicePicker.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { PathLink } from '#web/parts/PathLink.tsx';
import { paths } from '#web/parts/paths.ts';
import { useUrlState } from '#web/parts/url-state.ts';
import { TimersView } from './TimersView.tsx';
import { timerSearch, withinOf } from './timer-search.ts';
import { previewQuery } from './timers.query.ts';

/** Timers in scope, or of one device. */
export const TimersPage = () => {
  const { t } = useTranslation('timers');
  const [search, setSearch] = useUrlState(timerSearch);
  const within = withinOf(search);
  const { device_id } = search;
  const zone = useQuery({ ...previewQuery(within), enabled: Object.keys(within).length > 0 });
  return (
    <>
      <PageHeader
        title={t(($) => $.title)}
        note={zone.data && <span className="soft">{t(($) => $.zone, { zone: zone.data.time_zone })}</span>}
      >
        {device_id !== undefined && <PathLink to={paths.lineList(device_id)}>{t(($) => $.toLines)}</PathLink>}
      </PageHeader>
      <TimersView
        picker={
          <DevicePicker
            label={t(($) => $.field.device)}
            value={device_id}
            onChange={(value) => setSearch({ device_id: value, line_id: undefined, page: undefined })}
          />
        }
      />
    </>
  );
};
