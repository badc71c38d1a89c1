import { useQuery } from '@tanstack/react-query';
import { Alert, Form, Input, Modal, Radio, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { backupEndpoints } from '#contract/backups.ts';
import type { ReplyOf } from '#contract/endpoint.ts';
import { call } from '../../api/call.ts';
import { endpointQuery } from '../../api/query.ts';
import { useFormats } from '../../i18n/format.ts';
import { DataState } from '../../parts/DataState.tsx';
import { useFocusBack } from '../../parts/use-focus-back.ts';
import { useFormFaults } from '../../parts/zod-rule.ts';
import { useBegun } from './backups.query.ts';

type Contents = ReplyOf<typeof backupEndpoints.contents>;
interface Values {
  extent: 'all' | 'some';
  tables?: string[];
  passphrase?: string;
  confirm?: string;
  password?: string;
}

/** Prepares a restore: what of the backup, its passphrase, its name typed, and the password. */
export const RestoreDialog = ({ name, onClose }: { name: string; onClose: () => void }) => {
  useFocusBack();
  const { t } = useTranslation('backups');
  const { t: tc } = useTranslation('common');
  const [form] = Form.useForm<Values>();
  const mark = useFormFaults(form);
  const begun = useBegun();
  const [busy, setBusy] = useState(false);
  const query = useQuery(endpointQuery(backupEndpoints.contents, { name }));
  const restore = async ({ extent, tables, passphrase, confirm, password }: Values) => {
    setBusy(true);
    try {
      await call(backupEndpoints.restore, {
        name,
        ...(extent === 'some' ? { tables: tables ?? [] } : {}),
        ...(passphrase ? { passphrase } : {}),
        confirm: confirm ?? '',
        password: password ?? '',
      });
      await begun();
      onClose();
    } catch (error) {
      mark(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      open
      title={t(($) => $.restore.title, { name })}
      okText={t(($) => $.act.restore)}
      cancelText={tc(($) => $.dialog.cancel)}
      okButtonProps={{ danger: true, loading: busy, disabled: query.data?.restorable !== true }}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <DataState query={query} rows={6}>
        {(contents) => (
          <Form
            form={form}
            layout="vertical"
            requiredMark={false}
            initialValues={{ extent: 'all' }}
            onFinish={(values) => void restore(values)}
          >
            <RestoreFields contents={contents} />
          </Form>
        )}
      </DataState>
    </Modal>
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
