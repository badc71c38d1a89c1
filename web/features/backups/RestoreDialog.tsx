import { useQuery } from '@tanstack/react-query';
import { Alert, Form, Input, Radio, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { backupEndpoints } from '#contract/backups.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery } from '#web/api/query.ts';
import { useFormats } from '#web/i18n/format.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { FormDialog } from '#web/parts/FormDialog.tsx';
import { useBegun } from './backups.query.ts';

type Contents = ReplyOf<typeof backupEndpoints.contents>;
interface Values {
  extent: 'all' | 'some';
  tables?: string[];
  passphrase?: string;
  confirm?: string;
  password?: string;
}

/** Prepares a restore: what to restore, the passphrase, the typed name, and the password. */
export const RestoreDialog = ({ name, onClose }: { name: string; onClose: () => void }) => {
  const { t } = useTranslation('backups');
  const [form] = Form.useForm<Values>();
  const begun = useBegun();
  const query = useQuery(endpointQuery(backupEndpoints.contents, { name }));
  const restore = async ({ extent, tables, passphrase, confirm, password }: Values) => {
    await call(backupEndpoints.restore, {
      name,
      ...(extent === 'some' ? { tables: tables ?? [] } : {}),
      ...(passphrase ? { passphrase } : {}),
      confirm: confirm ?? '',
      password: password ?? '',
    });
    await begun();
  };
  return (
    <FormDialog
      title={t(($) => $.restore.title, { name })}
      act={t(($) => $.act.restore)}
      danger
      disabled={query.data?.restorable !== true}
      requiredMark={false}
      form={form}
      initial={{ extent: 'all' }}
      send={restore}
      onClose={onClose}
    >
      <DataState query={query} rows={6}>
        {(contents) => <RestoreFields contents={contents} />}
      </DataState>
    </FormDialog>
  );
};

const RestoreFields = ({ contents }: { contents: Contents }) => {
  const { t } = useTranslation('backups');
  const { number, dateTime } = useFormats();
  const extent = Form.useWatch<Values['extent'] | undefined>('extent') ?? 'all';
  return (
    <>
      {contents.message && <Alert type="error" showIcon title={contents.message} className="backup-text" />}
      <p className="backup-text">{t(($) => $.restore.text, { at: dateTime(contents.made_at) })}</p>
      <Form.Item name="extent">
        <Radio.Group
          className="backup-extent"
          options={[
            { value: 'all', label: t(($) => $.restore.all, { rows: number(contents.rows) }) },
            { value: 'some', label: t(($) => $.restore.some) },
          ]}
        />
      </Form.Item>
      {extent === 'some' && (
        <Form.Item name="tables" label={t(($) => $.restore.choose)}>
          <Select
            mode="multiple"
            showSearch={{ optionFilterProp: 'label' }}
            options={contents.contents.map(({ name, rows }) => ({
              value: name,
              label: `${name} (${number(rows)})`,
            }))}
          />
        </Form.Item>
      )}
      {contents.encrypted && (
        <Form.Item name="passphrase" label={t(($) => $.act.passphrase)}>
          <Input.Password autoComplete="off" maxLength={200} />
        </Form.Item>
      )}
      <Form.Item name="confirm" label={t(($) => $.restore.confirm)} extra={<code>{contents.name}</code>}>
        <Input autoComplete="off" spellCheck={false} />
      </Form.Item>
      <Form.Item name="password" label={t(($) => $.act.password)}>
        <Input.Password autoComplete="current-password" maxLength={200} />
      </Form.Item>
    </>
  );
};
