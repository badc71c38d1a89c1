import { Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { PointMap } from '#web/parts/map/PointMap.tsx';
import { NumberField } from '#web/parts/NumberField.tsx';
import { numberFlaw, numberRule } from '#web/parts/number-flaw.ts';

const bounds = {
  lat: { min: -90, max: 90, digits: 7 },
  lng: { min: -180, max: 180, digits: 7 },
};

/** The position of a project: chosen on the map, or typed. Both coordinates or none. */
export const PlaceFields = ({ name }: { name: string }) => {
  const { t } = useTranslation('projects');
  const form = Form.useFormInstance<{ lat?: number | null; lng?: number | null }>();
  const lat = Form.useWatch('lat', form) ?? null;
  const lng = Form.useWatch('lng', form) ?? null;
  const language = currentLanguage();
  const isPoint =
    lat !== null &&
    lng !== null &&
    numberFlaw(lat, bounds.lat, language) === null &&
    numberFlaw(lng, bounds.lng, language) === null;
  const item = (field: 'lat' | 'lng') => (
    <Form.Item
      name={field}
      label={t(($) => $.map[field])}
      dependencies={[field === 'lat' ? 'lng' : 'lat']}
      rules={[
        numberRule(bounds[field]),
        ({ getFieldsValue }) => ({
          validator: () => {
            const values = getFieldsValue(['lat', 'lng']) as { lat?: number | null; lng?: number | null };
            const isHalf = (values.lat ?? null) === null ? (values.lng ?? null) !== null : false;
            return field === 'lat' && isHalf
              ? Promise.reject(new Error(t(($) => $.map.both)))
              : Promise.resolve();
          },
        }),
      ]}
    >
      <NumberField {...bounds[field]} unit="°" />
    </Form.Item>
  );
  return (
    <fieldset className="project-place">
      <legend>{t(($) => $.map.title)}</legend>
      <PointMap
        title={t(($) => $.map.title)}
        name={name}
        point={isPoint ? { lat, lng } : null}
        height={240}
        onPick={(point) => {
          form.setFieldsValue(point);
          void form.validateFields(['lat', 'lng']).catch(() => undefined);
        }}
      />
      <p className="soft">{t(($) => $.map.how)}</p>
      <div className="project-point">
        {item('lat')}
        {item('lng')}
      </div>
    </fieldset>
  );
};
