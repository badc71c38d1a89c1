import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Checkbox, Form, InputNumber, Segmented, Select, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { alarmNames } from '#contract/alarm-names.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import type { Language } from '#contract/languages.ts';
import { noticeEndpoints } from '#contract/notices.ts';
import { call } from '../../api/call.ts';
import { Fault } from '../../api/fault.ts';
import { endpointQuery, keyOf } from '../../api/query.ts';
import { DataState } from '../../parts/DataState.tsx';
import { playTones } from '../../parts/tones.ts';

type Popup = ReplyOf<typeof noticeEndpoints.popup>;
const sampleTones = [880, 880];
const sounds = ['off', 'soft', 'loud'] as const;

/** Which alarms pop up in one's own console, for how long and how loud; each change is kept at once. */
export const PopupSettings = () => {
  const { t, i18n } = useTranslation('notices');
  const { t: tc } = useTranslation('common');
  const client = useQueryClient();
  const query = useQuery(endpointQuery(noticeEndpoints.popup, {}));
  const { queryKey } = endpointQuery(noticeEndpoints.popup, {});
  const change = async (before: Popup, patch: Partial<Popup>) => {
    client.setQueryData(queryKey, { ...before, ...patch });
    try {
      await call(noticeEndpoints.setPopup, { ...before, ...patch });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      await client.invalidateQueries({ queryKey: keyOf(noticeEndpoints.popup) });
    }
  };
  return (
    <DataState query={query} rows={6}>
      {(popup) => (
        <Form layout="vertical" component="div">
          <Form.Item label={t(($) => $.popup.enabled)} htmlFor="popup-enabled">
            <Switch
              id="popup-enabled"
              checked={popup.enabled}
              onChange={(enabled) => void change(popup, { enabled })}
            />
          </Form.Item>
          <Form.Item label={t(($) => $.popup.sound)} extra={t(($) => $.popup.soundText)}>
            <Segmented
              value={popup.sound}
              options={sounds.map((value) => ({ value, label: t(($) => $.popup.sounds[value]) }))}
              onChange={(sound) => {
                if (sound !== 'off') void playTones(sampleTones, sound);
                void change(popup, { sound });
              }}
            />
          </Form.Item>
          <Form.Item label={t(($) => $.column.levels)} extra={t(($) => $.levelsText)}>
            <Checkbox.Group
              value={popup.levels}
              options={[
                { value: 2, label: tc(($) => $.level.alarm) },
                { value: 1, label: tc(($) => $.level.early) },
              ]}
              onChange={(levels) => void change(popup, { levels: levels.map(Number) })}
            />
          </Form.Item>
          <Form.Item label={t(($) => $.column.types)} htmlFor="popup-types">
            <Select
              id="popup-types"
              mode="multiple"
              showSearch={{ optionFilterProp: 'label' }}
              placeholder={t(($) => $.allTypes)}
              value={popup.typeNumbers}
              options={Object.entries(alarmNames[i18n.language as Language] ?? {}).map(([code, label]) => ({
                value: Number(code),
                label,
              }))}
              onChange={(typeNumbers) => void change(popup, { typeNumbers })}
            />
          </Form.Item>
          <Form.Item
            label={t(($) => $.popup.seconds)}
            htmlFor="popup-seconds"
            extra={t(($) => $.popup.secondsText)}
          >
            <InputNumber
              id="popup-seconds"
              min={3}
              max={120}
              precision={0}
              value={popup.seconds}
              onChange={(seconds) => seconds !== null && void change(popup, { seconds })}
            />
          </Form.Item>
        </Form>
      )}
    </DataState>
  );
};
