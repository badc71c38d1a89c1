import { useQuery } from '@tanstack/react-query';
import { App, Checkbox, Form, Input, Select, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { type BackupSchedule, backupEndpoints } from '#contract/backups.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery } from '#web/api/query.ts';
import { DateField } from '#web/parts/DateField.tsx';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { useBytes } from '#web/values/use-bytes.ts';
import { useChanged } from './backups.query.ts';

interface Values extends BackupSchedule {
  passphrase?: string;
  decrypt?: boolean;
  password?: string;
}

/** Schedule of backups and drills, how long backups are kept, and whether they are encrypted. */
export const ScheduleDrawer = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  const { t } = useTranslation('backups');
  const { message } = App.useApp();
  const changed = useChanged();
  const bytes = useBytes();
  const [form] = Form.useForm<Values>();
  const { data } = useQuery({ ...endpointQuery(backupEndpoints.schedule, {}), enabled: open });
  const save = async ({ passphrase, decrypt, password, ...schedule }: Values) => {
    await call(backupEndpoints.setSchedule, {
      ...schedule,
      ...(decrypt ? { passphrase: '' } : passphrase ? { passphrase } : {}),
      password: password ?? '',
    });
    void message.success(t(($) => $.schedule.saved));
    await changed();
  };
  if (!data) return null;
  const { encrypted, zone, ...initial } = data;
  const days = (choices: readonly number[], current: number) =>
    [...new Set([...choices, current])]
      .sort((x, y) => x - y)
      .map((value) => ({
        value,
        label: value === 0 ? t(($) => $.schedule.never) : t(($) => $.schedule.days, { count: value }),
      }));
  const newest = [...new Set([3, 7, 14, 30, initial.keep_least])].sort((x, y) => x - y);
  const sizes = [...new Set([0, 10, 50, 100, 500, 1000, initial.keep_gigabytes])].sort((x, y) => x - y);
  return (
    <FormDrawer
      open={open}
      title={t(($) => $.schedule.title)}
      form={form}
      initial={initial}
      onSave={save}
      onClose={onClose}
    >
      <Form.Item name="enabled" label={t(($) => $.schedule.enabled)} valuePropName="checked">
        <Switch />
      </Form.Item>
      <Form.Item name="time" label={t(($) => $.schedule.time, { zone })}>
        <DateField kind="time" />
      </Form.Item>
      <Form.Item name="keep_days" label={t(($) => $.schedule.keepDays)}>
        <Select options={days([7, 14, 30, 90, 365], initial.keep_days)} />
      </Form.Item>
      <Form.Item name="keep_least" label={t(($) => $.schedule.keepLeast)}>
        <Select
          options={newest.map((value) => ({
            value,
            label: t(($) => $.summary.shelf_files, { count: value }),
          }))}
        />
      </Form.Item>
      <Form.Item
        name="keep_gigabytes"
        label={t(($) => $.schedule.keepGigabytes)}
        extra={t(($) => $.schedule.keepGigabytesText)}
      >
        <Select
          options={sizes.map((value) => ({
            value,
            label: value === 0 ? t(($) => $.schedule.noLimit) : bytes(value * 1e9),
          }))}
        />
      </Form.Item>
      <Form.Item name="drill_days" label={t(($) => $.schedule.drillDays)}>
        <Select options={days([0, 1, 7, 14, 30], initial.drill_days)} />
      </Form.Item>
      <Form.Item
        name="passphrase"
        label={t(($) => $.schedule.passphrase)}
        extra={t(($) => (encrypted ? $.schedule.passphraseKept : $.schedule.passphraseNone))}
      >
        <Input.Password autoComplete="off" maxLength={200} />
      </Form.Item>
      {encrypted && (
        <Form.Item name="decrypt" valuePropName="checked">
          <Checkbox>{t(($) => $.schedule.decrypt)}</Checkbox>
        </Form.Item>
      )}
      <Form.Item name="password" label={t(($) => $.act.password)}>
        <Input.Password autoComplete="current-password" maxLength={200} />
      </Form.Item>
    </FormDrawer>
  );
};
