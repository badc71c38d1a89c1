import { useNavigate } from '@tanstack/react-router';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { deviceEndpoints } from '#contract/devices.ts';
import { CustomEditor } from '#web/features/device-settings/CustomEditor.tsx';
import { ServiceForm } from '#web/features/device-settings/ServiceForm.tsx';
import type { Settings } from '#web/features/device-settings/settings.query.ts';
import { deviceSettings } from '#web/features/device-settings/words/en-US.ts';
import { ContactsTab } from '#web/features/devices/ContactsTab.tsx';
import type { DeviceDetail } from '#web/features/devices/devices.query.ts';
import { MapTab } from '#web/features/devices/MapTab.tsx';
import { devices } from '#web/features/devices/words/en-US.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';

vi.mock('../parts/map/PointMap.tsx', () => ({ PointMap: () => null }));
afterEach(cleanup);

const device = {
  device_id: 7,
  revision: 2,
  name: 'Board',
  lat: 30,
  lng: 120,
  contacts: [],
  project_contact: { name: '', phone: '' },
} as unknown as DeviceDetail;
const settings = {
  device_id: 7,
  revision: 2,
  waits: null,
  reported_at: null,
  custom: { desired: null, reported: {}, state: 'none', drift: false },
} as unknown as Settings;

const screens: Record<string, { part: ReactNode; field: () => HTMLElement; typed: string }> = {
  contacts: {
    part: <ContactsTab device={device} />,
    field: () => document.querySelector<HTMLElement>('input[type=text]')!,
    typed: 'Wang Wei',
  },
  'custom settings': {
    part: <CustomEditor settings={settings} number="AW1" />,
    field: () => document.querySelector<HTMLElement>('textarea:not([aria-hidden])')!,
    typed: '{"a": 1}',
  },
  'the reporting form': {
    part: <ServiceForm settings={settings} />,
    field: () => document.querySelector<HTMLElement>('input[type=text]')!,
    typed: 'host:1883',
  },
  'the map point': {
    part: <MapTab device={device} />,
    field: () => document.querySelector<HTMLElement>('[role=spinbutton]')!,
    typed: '31,5',
  },
};
const Away = () => {
  const navigate = useNavigate();
  return (
    <>
      {[{ line: '3' }, { tab: 'info' }, { device_id: '8' }].map((search) => (
        <button
          key={Object.keys(search)[0]}
          type="button"
          onClick={() =>
            void navigate({ to: '.', search: (before: object) => ({ ...before, ...search }) } as never)
          }
        >
          {`to ${Object.keys(search)[0]}`}
        </button>
      ))}
    </>
  );
};

test.each(Object.entries(screens))(
  '%s: the console asks before unsaved work is lost',
  async (_name, { part, field, typed }) => {
    await setStage({
      words: { devices, deviceSettings, common },
      replies: { [deviceEndpoints.form.path]: { lat: 30, lng: 120 } },
      permissions: ['device.write', 'device.configure'],
    });
    const address = showAt(
      <>
        <Away />
        {part}
      </>,
      '/home/devicedetails?device_id=7&tab=x',
    );
    await waitFor(() => expect(field()).toBeTruthy());
    fireEvent.change(field(), { target: { value: typed } });

    // An antd dialog stays in the document until its closing animation ends, which never runs here.
    const questions = () => document.querySelectorAll('.ant-modal-confirm').length;
    const answer = (button: 'Cancel' | 'Leave') => {
      const buttons = [...document.querySelectorAll<HTMLElement>('.ant-modal-confirm-btns button')];
      fireEvent.click(buttons.findLast(({ textContent }) => textContent === button)!);
    };
    for (const away of ['to tab', 'to device_id']) {
      const before = questions();
      fireEvent.click(screen.getByText(away));
      await waitFor(() => expect(questions()).toBe(before + 1));
      answer('Cancel');
      expect(address()).toBe('/home/devicedetails?device_id=7&tab=x');
      expect((field() as HTMLInputElement).value).toBe(typed);
    }
    // A change of state within a screen does not leave the screen.
    fireEvent.click(screen.getByText('to line'));
    await waitFor(() => expect(address()).toContain('line=3'));
    const before = questions();
    fireEvent.click(screen.getByText('to tab'));
    await waitFor(() => expect(questions()).toBe(before + 1));
    answer('Leave');
    await waitFor(() => expect(address()).toContain('tab=info'));
  },
);
