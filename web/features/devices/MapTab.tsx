import { useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import { sentence } from '#contract/faults/codes.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { PointMap } from '#web/parts/map/PointMap.tsx';
import { NumberField } from '#web/parts/NumberField.tsx';
import { numberFlaw } from '#web/parts/number-flaw.ts';
import { useUnsaved } from '#web/parts/use-unsaved.ts';
import { useRoom } from '#web/theme/use-room.ts';
import { type DeviceDetail, useReloadDevices } from './devices.query.ts';

type Point = { lat: number | null; lng: number | null };
const bounds = {
  lat: { min: -90, max: 90, digits: 7 },
  lng: { min: -180, max: 180, digits: 7 },
};

/** The position of the device. A click on the map selects another point, which is stored on saving. */
export const MapTab = ({ device }: { device: DeviceDetail }) => {
  const { t } = useTranslation('devices');
  const { message } = App.useApp();
  const reload = useReloadDevices();
  const may = useCan('device.write');
  const wide = useRoom('table');
  const own = useQuery(endpointQuery(deviceEndpoints.form, { device_id: device.device_id }));
  const [picked, setPicked] = useState<Point | null>(null);
  const [busy, setBusy] = useState(false);
  const point = picked ?? { lat: device.lat, lng: device.lng };
  // A stored value needs no validation: some have more decimals than a field allows.
  const flawOf = (name: 'lat' | 'lng') =>
    picked === null ? null : numberFlaw(point[name], bounds[name], currentLanguage());
  const flaws = { lat: flawOf('lat'), lng: flawOf('lng') };
  const isSound = flaws.lat === null && flaws.lng === null;
  useUnsaved(() => picked !== null);
  const isOwn = own.data?.lat !== null && own.data?.lat !== undefined;

  const save = async (to: Point) => {
    if (picked !== null && (to.lat === null || to.lng === null))
      return void message.warning(sentence('map.choose', currentLanguage()));
    setBusy(true);
    await attempt(async () => {
      await call(deviceEndpoints.change, {
        device_id: device.device_id,
        revision: device.revision,
        lat: to.lat,
        lng: to.lng,
      });
      setPicked(null);
      void message.success(t(($) => $.map.done));
    });
    setBusy(false);
    await reload();
  };
  const field = (name: 'lat' | 'lng') => (
    <span className="map-field">
      <label htmlFor={`map-${name}`}>{t(($) => $.map[name])}</label>
      <NumberField
        id={`map-${name}`}
        {...bounds[name]}
        unit="°"
        readOnly={!may}
        flawed={flaws[name] !== null}
        aria-describedby={`map-${name}-flaw`}
        value={point[name]}
        onChange={(value) => setPicked({ ...point, [name]: value })}
      />
      <span id={`map-${name}-flaw`} className="is-alarm">
        {flaws[name]}
      </span>
    </span>
  );
  return (
    <section className="panel">
      <h2>{t(($) => $.tab.map)}</h2>
      {may && <p className="soft">{t(($) => $.map.how)}</p>}
      <PointMap
        title={t(($) => $.map.title, { name: device.name })}
        name={device.name}
        point={
          isSound && point.lat !== null && point.lng !== null ? { lat: point.lat, lng: point.lng } : null
        }
        height={wide ? 480 : 340}
        onPick={may ? setPicked : null}
      />
      <div className="map-tools">
        {field('lat')}
        {field('lng')}
        {may && (
          <>
            <Button
              type="primary"
              loading={busy}
              disabled={picked === null || !isSound}
              onClick={() => void save(point)}
            >
              {t(($) => $.map.save)}
            </Button>
            {picked !== null && <Button onClick={() => setPicked(null)}>{t(($) => $.map.back)}</Button>}
            {picked === null && isOwn && (
              <Button loading={busy} onClick={() => void save({ lat: null, lng: null })}>
                {t(($) => $.map.useProject)}
              </Button>
            )}
          </>
        )}
      </div>
      {own.data && <p className="soft">{t(($) => (isOwn ? $.map.own : $.map.ofProject))}</p>}
    </section>
  );
};
