import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { act, cleanup, fireEvent, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type ReactNode, useEffect, useState } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { deviceEndpoints } from '#contract/devices.ts';
import { type Language, languages } from '#contract/languages.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { noticeEndpoints } from '#contract/notices.ts';
import { parameters } from '#contract/parameters.ts';
import { projectEndpoints } from '#contract/projects.ts';
import { type SettingRow, settingsEndpoints } from '#contract/settings.ts';
import { statisticsEndpoints } from '#contract/statistics.ts';
import type { TariffContent } from '#contract/tariffs.ts';
import { DefaultThresholds } from '#web/features/alarm-types/DefaultThresholds.tsx';
import { PlatformLimitForm } from '#web/features/device-settings/PlatformLimitForm.tsx';
import { SettingTable } from '#web/features/device-settings/SettingTable.tsx';
import { type Edits, editKey, flawsOf } from '#web/features/device-settings/setting-edits.ts';
import type { Setting, Settings } from '#web/features/device-settings/settings.query.ts';
import { AddDevice } from '#web/features/devices/AddDevice.tsx';
import type { DeviceDetail } from '#web/features/devices/devices.query.ts';
import { MapTab } from '#web/features/devices/MapTab.tsx';
import { PopupSettings } from '#web/features/notices/PopupSettings.tsx';
import { ProjectForm } from '#web/features/projects/ProjectForm.tsx';
import { CorrectDrawer } from '#web/features/statistics/CorrectDrawer.tsx';
import { TariffEditor } from '#web/features/statistics/TariffEditor.tsx';
import { blankTariff } from '#web/features/statistics/tariff-draft.ts';
import { SettingEditor } from '#web/features/system/SettingEditor.tsx';
import { TrialForm } from '#web/features/what-if/TrialForm.tsx';
import type { TrialLine } from '#web/features/what-if/trial.ts';
import { setStage, showAt } from '#web/test-stage.tsx';

const web = path.resolve(import.meta.dirname, '..');
const sources = readdirSync(web, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(web, file), 'utf8') }));

test('NumberField is the only field for numbers, and every screen that has one is tested here', () => {
  const others = sources.filter(({ text }) =>
    /\bInputNumber\b|type="number"|type: 'number'.*<Input/.test(text),
  );
  expect(others.map(({ file }) => file)).toEqual([]);
  const users = sources.filter(({ text }) => text.includes('<NumberField'));
  expect(users.map(({ file }) => path.basename(file)).sort()).toEqual([
    'AddDevice.tsx',
    'CorrectDrawer.tsx',
    'DefaultThresholds.tsx',
    'MapTab.tsx',
    'PlaceFields.tsx',
    'PlatformLimitForm.tsx',
    'PopupSettings.tsx',
    'ProjectForm.tsx',
    'SettingEditor.tsx',
    'SettingInput.tsx',
    'TariffEditor.tsx',
    'TrialForm.tsx',
  ]);
});

const files = import.meta.glob<Record<string, object>>('../**/words/*.ts', { eager: true });
const wordsOf = (language: Language): Record<string, object> =>
  Object.assign(
    {},
    ...Object.entries(files)
      .filter(([file]) => file.endsWith(`/${language}.ts`))
      .map(([, words]) => ('words' in words ? words.words : words)),
  );
const sign: Record<Language, string> = { 'zh-CN': '.', 'en-US': '.', 'ru-RU': ',' };
const user = () => userEvent.setup({ delay: null, pointerEventsCheck: 0 });
const fields = () => {
  const found = [...document.querySelectorAll<HTMLInputElement>('[role=spinbutton]')];
  expect(found.length).toBeGreaterThan(0);
  return found;
};
const retype = (field: HTMLInputElement, value: string) => fireEvent.change(field, { target: { value } });
// The map draws on a canvas, which jsdom lacks.
vi.mock('../parts/map/PointMap.tsx', () => ({ PointMap: () => null }));

afterEach(cleanup);

const settingOf = ({ key, min, max, step, zeroIsOff, unit, role, choices }: (typeof parameters)[number]) =>
  ({
    key,
    n: 1,
    name: key,
    meaning: '',
    unit,
    role,
    min,
    max,
    step,
    zero_is_off: zeroIsOff ?? false,
    choices: choices ?? null,
    reported: null,
    desired: null,
    default: min,
    percent_of: null,
    state: 'none',
    drift: false,
  }) as unknown as Setting;
const numeric = parameters.filter(({ choices }) => !choices);
const settings = {
  type: 4,
  device: [],
  lines: [{ n: 1, settings: numeric.map(settingOf) }],
} as unknown as Settings;
let edits: Edits;
let showOnly: (key: string) => void;
const Table = () => {
  const [typed, setTyped] = useState<Edits>({});
  const [only, setOnly] = useState<string | null>(null);
  useEffect(() => {
    edits = typed;
    showOnly = setOnly;
  });
  return (
    <SettingTable
      settings={settings.lines[0]!.settings.filter(({ key }) => only === null || key === only)}
      edits={typed}
      flaws={flawsOf(settings, typed)}
      onEdit={(setting, value) => setTyped((before) => ({ ...before, [editKey(setting)]: value! }))}
    />
  );
};

let kept: TariffContent = blankTariff('CNY', 'Year');
const Editor = () => {
  const [draft, setDraft] = useState(kept);
  useEffect(() => {
    kept = draft;
  });
  return <TariffEditor draft={draft} onChange={setDraft} />;
};

describe.each(languages)('in %s', (language) => {
  const show = async (part: ReactNode, replies: Record<string, object>) => {
    const stage = await setStage({
      language,
      words: wordsOf(language),
      replies,
      permissions: ['device.write', 'device.configure'],
    });
    showAt(part);
    await waitFor(() => fields());
    return stage;
  };

  test('every parameter accepts decimal comma and point, and marks a value out of range with its bound', async () => {
    await show(<Table />, {});
    expect(fields()).toHaveLength(numeric.length);
    for (const { key, min, max, step, zeroIsOff } of numeric) {
      // Shows only this parameter, because each keystroke redraws the whole table.
      act(() => showOnly(key));
      const [field, ...others] = fields();
      expect(others).toEqual([]);
      const digits = step >= 1 ? 0 : step >= 0.1 ? 1 : 2;
      const value = Number((min + step).toFixed(digits));
      for (const decimal of [',', '.']) {
        retype(field!, String(value).replace('.', decimal));
        expect({ key, value: edits[`1/${key}`] }).toEqual({ key, value });
      }
      fireEvent.blur(field!);
      expect(field!.value).toBe(String(value).replace('.', sign[language]));
      retype(field!, String(max * 10));
      expect({ key, value: edits[`1/${key}`] }).toEqual({ key, value: max * 10 });
      fireEvent.blur(field!);
      expect(field!.value).toBe(String(max * 10).replace('.', sign[language]));
      const flaw = document.getElementById(field!.getAttribute('aria-describedby') ?? '');
      expect(flaw?.textContent).toContain(String(max).replace('.', sign[language]));
      if (zeroIsOff) retype(field!, '0');
    }
  });

  test('an invalid parameter is marked and never becomes a value', async () => {
    await show(<Table />, {});
    const at = numeric.findIndex(({ key }) => key === 'ov_t');
    retype(fields()[at]!, '0,3,');
    expect(flawsOf(settings, edits)).toMatchObject({ '1/ov_t': 'setting.number' });
    expect(fields()[at]!.getAttribute('aria-invalid')).toBe('true');
    retype(fields()[at]!, '');
    expect(edits['1/ov_t'] ?? undefined).toBe(undefined);
  });

  test('a default threshold is sent as typed, and not while it is out of range', async () => {
    const set = '/device_warning_type/set_defaults';
    const stage = await show(<DefaultThresholds open onClose={() => undefined} />, {
      '/project/options': { list: [{ project_id: 3, name: 'Bay Tower' }] },
      '/device_warning_type/get_defaults': {
        project_id: 3,
        device_type: 3,
        revision: 1,
        parameters: [
          {
            key: 'ov_t',
            unit: 's',
            role: 'delay',
            min: 0.1,
            max: 30,
            step: 0.1,
            zero_is_off: false,
            value: null,
            inherited: 0.5,
          },
        ],
      },
      [set]: { project_id: 3, device_type: 3, revision: 2, thresholds: {}, before: {} },
    });
    const [field] = fields();
    expect(field!.placeholder).toBe(`0${sign[language]}5`);
    const save = document.querySelector<HTMLElement>('.drawer-foot .ant-btn-primary')!;
    retype(field!, '99');
    await user().click(save);
    await waitFor(() =>
      expect(document.querySelector('.ant-form-item-explain-error')?.textContent).toContain('30'),
    );
    expect(stage.sent(set)).toEqual([]);
    expect(field!.value).toBe('99');
    retype(field!, '0,3');
    await user().click(save);
    await waitFor(() => expect(stage.sent(set)).toMatchObject([{ thresholds: { ov_t: 0.3 } }]));
  });

  test('a limit of the platform is sent as typed, and shows what applies without it', async () => {
    const limit = {
      ...{ key: 'ov_d', name: 'ov_d', meaning: '', role: 'deadband', unit: 'V' },
      ...{ min: 0.5, max: 12, step: 0.5, zero_is_off: false, own: null, inherited: 4.5 },
    };
    const line = { line_id: 7, n: 1, name: 'Kitchen', revision: 5 };
    const stage = await show(<PlatformLimitForm limit={limit} line={line} onClose={() => undefined} />, {
      [lineEndpoints.change.path]: { line_id: 7, name: 'Kitchen', revision: 6 },
    });
    const [field] = fields();
    expect(field!.placeholder).toBe(`4${sign[language]}5`);
    retype(field!, '0,5');
    await user().click(document.querySelector<HTMLElement>('.drawer-foot .ant-btn-primary')!);
    await waitFor(() =>
      expect(stage.sent(lineEndpoints.change.path)).toMatchObject([{ thresholds: { ov_d: 0.5 } }]),
    );
  });

  test('a latitude accepts a comma and is never moved to a bound', async () => {
    const change = deviceEndpoints.change.path;
    const device = {
      device_id: 7,
      revision: 2,
      name: 'Board',
      lat: null,
      lng: null,
    } as unknown as DeviceDetail;
    const stage = await show(<MapTab device={device} />, {
      [deviceEndpoints.form.path]: { lat: null, lng: null },
      [change]: { revision: 3 },
    });
    const [lat, lng] = fields();
    retype(lng!, '120,25');
    retype(lat!, '305');
    fireEvent.blur(lat!);
    expect(lat!.value).toBe('305');
    const save = document.querySelector<HTMLButtonElement>('.map-tools .ant-btn-primary')!;
    expect([save.disabled, document.getElementById('map-lat-flaw')?.textContent]).toEqual([
      true,
      expect.stringContaining('90'),
    ]);
    retype(lat!, '30,5');
    await user().click(save);
    await waitFor(() => expect(stage.sent(change)).toMatchObject([{ lat: 30.5, lng: 120.25 }]));
  });

  test('the time of pop-ups is saved when its field loses focus, within its bounds only', async () => {
    const set = noticeEndpoints.setPopup.path;
    const stage = await show(<PopupSettings />, {
      [noticeEndpoints.popup.path]: { enabled: true, sound: 'off', levels: [], typeNumbers: [], seconds: 10 },
      [set]: {},
    });
    retype(fields()[0]!, '500');
    fireEvent.blur(fields()[0]!);
    expect([fields()[0]!.value, document.getElementById('popup-seconds-flaw')?.textContent]).toEqual([
      '500',
      expect.stringContaining('120'),
    ]);
    expect(stage.sent(set)).toEqual([]);
    retype(fields()[0]!, '15');
    fireEvent.blur(fields()[0]!);
    await waitFor(() => expect(stage.sent(set)).toMatchObject([{ seconds: 15 }]));
  });

  test('a number of lines above the most of its type is marked, not reduced', async () => {
    const stage = await show(
      <AddDevice open given={{ number: undefined, project_id: undefined }} onClose={() => undefined} />,
      {
        '/project/options': { list: [] },
        [deviceEndpoints.add.path]: {},
      },
    );
    retype(fields()[0]!, '400');
    await user().click(document.querySelector<HTMLElement>('.drawer-foot .ant-btn-primary')!);
    await waitFor(() =>
      expect(document.querySelectorAll('.ant-form-item-explain-error').length).toBeGreaterThan(2),
    );
    expect(fields()[0]!.value).toBe('400');
    expect(stage.sent(deviceEndpoints.add.path)).toEqual([]);
  });

  test('the point and the area of a project accept both decimal signs and reach the server as typed', async () => {
    const project = {
      ...{ project_id: 3, project_codeid: 'P000003', name: 'Mill', kind: 'other', region_id: 440305 },
      ...{
        region_ids: [440305],
        region: 'Nanshan',
        address: '',
        detailed_address: '',
        area_m2: null,
        contract_kw: null,
      },
      ...{ contact_name: 'Li Wei', contact_phone: '13800000101', lat: 22.5, lng: 113.9, revision: 4 },
      ...{ time_zone: 'Asia/Shanghai', nominal_voltage: 220, joined_at: '2026-01-01T00:00:00Z' },
    };
    const edit = projectEndpoints.edit.path;
    const stage = await show(<ProjectForm id={3} onClose={() => undefined} />, {
      [edit]: (body: object) => ({ ...project, ...body }),
      [`${edit}?project_id=3`]: project,
    });
    const [lat, lng, area, contracted] = fields();
    retype(lat!, '30,5');
    retype(lng!, '120.25');
    retype(area!, '1200,75');
    retype(contracted!, '250,5');
    const save = document.querySelector<HTMLButtonElement>('.drawer-foot .ant-btn-primary')!;
    await user().click(save);
    await waitFor(() =>
      expect(stage.sent(edit)).toEqual([
        expect.objectContaining({
          ...{ project_id: 3, revision: 4, lat: 30.5, lng: 120.25, area_m2: 1200.75, contract_kw: 250.5 },
        }),
      ]),
    );
  });

  test('a correction accepts both decimal signs, refuses a negative value and is sent as typed', async () => {
    const correct = statisticsEndpoints.correct.path;
    const what = {
      line_id: 9,
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-11-02T00:00:00.000Z',
      kwh: 12,
    };
    const stage = await show(
      <CorrectDrawer what={what} timeZone="Asia/Shanghai" onClose={() => undefined} />,
      { [correct]: {} },
    );
    const save = document.querySelector<HTMLElement>('.drawer-foot .ant-btn-primary')!;
    fireEvent.change(document.querySelector('textarea:not([aria-hidden])')!, {
      target: { value: 'Meter was bypassed' },
    });
    retype(fields()[0]!, '-3');
    await user().click(save);
    await waitFor(() => expect(document.querySelector('.ant-form-item-explain-error')).not.toBeNull());
    expect(stage.sent(correct)).toEqual([]);
    retype(fields()[0]!, '12,75');
    await user().click(save);
    await waitFor(() =>
      expect(stage.sent(correct)).toMatchObject([{ line_id: 9, expected_kwh: 12, kwh: 12.75 }]),
    );
  });

  test('a what-if value is tested as typed, and not while it is out of range', async () => {
    const line = { line_id: 5, n: 1, line_name: 'Pump', device_name: 'Board', value: 235.5 } as TrialLine;
    const found = {
      ...{ enabled: true, total: 1, unit: 'V', value_unit: 'V', min: 0.5, max: 12, step: 0.5 },
      lines: [line],
    };
    const tried: number[] = [];
    const form = (
      <TrialForm
        search={{ line_id: 5, type: 101, key: 'ov_d', days: '30' }}
        found={found}
        busy={false}
        onPlace={() => undefined}
        onChange={() => undefined}
        onTry={(value) => tried.push(value)}
      />
    );
    await show(form, {});
    const [field] = fields();
    const act = document.querySelector<HTMLButtonElement>('.what-if-value button')!;
    retype(field!, '99');
    expect([act.disabled, document.getElementById('what-if-value-help')?.textContent]).toEqual([
      true,
      expect.stringContaining('12'),
    ]);
    for (const decimal of [',', '.']) {
      retype(field!, `2${decimal}5`);
      await user().click(act);
    }
    expect(tried).toEqual([2.5, 2.5]);
  });

  test('a price of a tariff accepts both decimal signs and is kept as typed', async () => {
    kept = blankTariff('CNY', 'Year');
    await show(<Editor />, {});
    const [co2, sharp, peak] = fields();
    retype(co2!, '0,5306');
    retype(peak!, '1.25');
    expect([kept.co2_kg_per_kwh, kept.seasons[0]!.prices.peak]).toEqual([0.5306, 1.25]);
    expect(sharp!.value).toBe('');
  });

  test('a setting is sent as typed, and not while it is out of range', async () => {
    const [set, history] = [settingsEndpoints.set.path, settingsEndpoints.history.path];
    const row: SettingRow = {
      ...{ name: 'control.switchExpiryS', kind: 'whole', value: 15, default: 15, min: 5, max: 60 },
      ...{ unit: 's', choices: null, variable: null, changed_at: null, changed_by: null },
    };
    const stage = await show(<SettingEditor row={row} onClose={() => undefined} />, {
      [set]: row,
      [history]: { list: [] },
    });
    const save = document.querySelector<HTMLElement>('.drawer-foot .ant-btn-primary')!;
    retype(fields()[0]!, '600');
    await user().click(save);
    await waitFor(() => expect(document.querySelector('.ant-form-item-explain-error')).not.toBeNull());
    expect(stage.sent(set)).toEqual([]);
    retype(fields()[0]!, '20');
    await user().click(save);
    await waitFor(() => expect(stage.sent(set)).toEqual([{ name: 'control.switchExpiryS', value: 20 }]));
  });
});
