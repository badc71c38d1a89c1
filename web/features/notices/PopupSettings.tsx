import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Checkbox, Form, Segmented, Select, Switch } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { alarmNames } from '#contract/alarm-names.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import { noticeEndpoints } from '#contract/notices.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, keyOf } from '#web/api/query.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { NumberField } from '#web/parts/NumberField.tsx';
import { numberFlaw } from '#web/parts/number-flaw.ts';
import { playTones } from '#web/parts/tones.ts';

type Popup = ReplyOf<typeof noticeEndpoints.popup>;
const sampleTones = [880, 880];
const secondsBounds = { min: 3, max: 120, digits: 0 };
const sounds = ['off', 'soft', 'loud'] as const;

/** Which alarms pop up in the user's console, for how long and how loud; each change is saved at once. */
export const PopupSettings = () => {
  const { t, i18n } = useTranslation('notices');
  const { t: tc } = useTranslation('common');
  const client = useQueryClient();
  const query = useQuery(endpointQuery(noticeEndpoints.popup, {}));
  const { queryKey } = endpointQuery(noticeEndpoints.popup, {});
  const change = async (before: Popup, patch: Partial<Popup>) => {
    client.setQueryData(queryKey, { ...before, ...patch });
    const refusal = await attempt(() => call(noticeEndpoints.setPopup, { ...before, ...patch }));
    if (refusal) await client.invalidateQueries({ queryKey: keyOf(noticeEndpoints.popup) });
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
            <SecondsField seconds={popup.seconds} onChange={(seconds) => void change(popup, { seconds })} />
          </Form.Item>
        </Form>
      )}
    </DataState>
  );
};

/** Saved when the field loses focus, because a partly typed number is not valid. */
const SecondsField = ({ seconds, onChange }: { seconds: number; onChange: (seconds: number) => void }) => {
  const { t } = useTranslation('notices');
  const [edited, setEdited] = useState<number | null>(seconds);
  useEffect(() => setEdited(seconds), [seconds]);
  const flaw =
    edited === null
      ? sentence('field.required', currentLanguage())
      : numberFlaw(edited, secondsBounds, currentLanguage());
  return (
    <>
      <NumberField
        id="popup-seconds"
        aria-label={t(($) => $.popup.seconds)}
        aria-describedby="popup-seconds-flaw"
        {...secondsBounds}
        unit="s"
        flawed={flaw !== null}
        value={edited}
        onChange={setEdited}
        onDone={() => {
          if (flaw === null && edited !== null && edited !== seconds) onChange(edited);
        }}
      />
      <span id="popup-seconds-flaw" className="is-alarm">
        {flaw}
      </span>
    </>
  );
};
