import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { useTranslation } from 'react-i18next';
import { alarmEndpoints } from '#contract/alarms.ts';
import { deviceEndpoints } from '#contract/devices.ts';
import { projectEndpoints } from '#contract/projects.ts';
import { endpointQuery } from '../../api/query.ts';
import type { Session } from '../../api/session.ts';
import { paths } from '../../parts/paths.ts';
import { alarmTypeName } from '../../values/AlarmTypeName.tsx';
import { homePath, homeScreens, settingsFor, settingsPath } from '../menu.ts';

export interface Hit {
  key: string;
  kind: 'screen' | 'device' | 'project' | 'alarm';
  title: string;
  note: string;
  path: string;
}
const most = 6;

/** What the palette finds for a text: screens at once, the rest through the list endpoints. */
export const useHits = (text: string, session: Session): readonly Hit[] => {
  const { t, i18n } = useTranslation('shell');
  const sought = useDeferredValue(text.trim());
  const options = { enabled: sought.length >= 2, placeholderData: keepPreviousData };
  const devices = useQuery({
    ...endpointQuery(deviceEndpoints.list, { number: sought, limit: most }),
    ...options,
  });
  const projects = useQuery({
    ...endpointQuery(projectEndpoints.list, { project_name: sought, limit: most }),
    ...options,
  });
  const isWorkOrder = /^w\d{8,}$/i.test(sought);
  const alarms = useQuery({
    ...endpointQuery(alarmEndpoints.list, { work_order: sought.toUpperCase(), limit: most }),
    ...options,
    enabled: isWorkOrder,
  });

  const screens: Hit[] = [
    ...homeScreens
      .filter(({ inMenu }) => inMenu !== 'nobody')
      .map(({ key }) => ({ title: t(($) => $.menu[key]), path: homePath(key) })),
    ...settingsFor(session).map((page) => ({
      title: t(($) => $.settings[page.path as 'operationlog']),
      path: settingsPath(page),
    })),
  ]
    .filter(({ title }) => title.toLowerCase().includes(text.trim().toLowerCase()))
    .map((screen) => ({ ...screen, key: screen.path, kind: 'screen', note: '' }));
  if (sought.length < 2) return screens;
  return [
    ...(devices.data?.list ?? []).map(
      (row): Hit => ({
        key: `device-${row.device_id}`,
        kind: 'device',
        title: row.number,
        note: [row.name, row.project_name].filter(Boolean).join(' · '),
        path: paths.device(row.device_id),
      }),
    ),
    ...(projects.data?.list ?? []).map(
      (row): Hit => ({
        key: `project-${row.project_id}`,
        kind: 'project',
        title: row.name,
        note: row.address,
        path: paths.deviceList({ project_id: row.project_id }),
      }),
    ),
    ...(isWorkOrder ? (alarms.data?.list ?? []) : []).map(
      (row): Hit => ({
        key: `alarm-${row.id}`,
        kind: 'alarm',
        title: row.work_order,
        note: [alarmTypeName(row.typeNumber, i18n.language), row.project_name].filter(Boolean).join(' · '),
        path: paths.alarm(row.id),
      }),
    ),
    ...screens,
  ];
};
