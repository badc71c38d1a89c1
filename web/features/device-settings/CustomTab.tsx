import { useQuery } from '@tanstack/react-query';
import { DataState } from '#web/parts/DataState.tsx';
import { CustomEditor } from './CustomEditor.tsx';
import { ServiceForm } from './ServiceForm.tsx';
import './settings.css';
import { settingsQuery, useLiveSettings } from './settings.query.ts';

/**
 * Settings that only the device interprets: a JSON object stored unchanged, and the server address of the
 * device.
 */
export const CustomTab = ({ deviceId, number }: { deviceId: number; number: string }) => {
  const query = useQuery(settingsQuery(deviceId));
  useLiveSettings(deviceId);
  return (
    <DataState query={query} rows={10}>
      {(settings) => (
        <div className="setting-panels">
          <CustomEditor settings={settings} number={number} />
          <ServiceForm settings={settings} />
        </div>
      )}
    </DataState>
  );
};
