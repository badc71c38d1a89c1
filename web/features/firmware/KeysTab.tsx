import { useQuery, useQueryClient } from '@tanstack/react-query';
import { App, Button, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { firmwareEndpoints } from '#contract/firmware.ts';
import { call } from '../../api/call.ts';
import { endpointQuery, keyOf } from '../../api/query.ts';
import { useFormats } from '../../i18n/format.ts';
import { DataState } from '../../parts/DataState.tsx';
import { FormDialog } from '../../parts/FormDialog.tsx';
import { TimeText } from '../../values/TimeText.tsx';

type Key = ReplyOf<typeof firmwareEndpoints.keys>['list'][number];

/** The accepted signing keys. */
export const KeysTab = ({ mayWrite }: { mayWrite: boolean }) => {
  const { t } = useTranslation('firmware');
  const { dateTime } = useFormats();
  const query = useQuery(endpointQuery(firmwareEndpoints.keys, {}));
  const [open, setOpen] = useState<Key | 'new' | null>(null);
  return (
    <>
      <p className="soft">{t(($) => $.key.text)}</p>
      {mayWrite && <Button onClick={() => setOpen('new')}>{t(($) => $.key.add)}</Button>}
      <DataState
        query={query}
        rows={3}
        isEmpty={({ list }) => list.length === 0}
        empty={t(($) => $.key.empty)}
      >
        {({ list }) => (
          <ul className="plain-list firmware-keys">
            {list.map((key) => (
              <li key={key.key_id}>
                <span className="firmware-lines">
                  <strong>{key.name}</strong>
                  <code>{key.public_key}</code>
                  <span className="soft">
                    {key.added_by} · <TimeText at={key.added_at} />
                    {key.revoked_at && ` · ${t(($) => $.key.revoked, { at: dateTime(key.revoked_at) })}`}
                  </span>
                </span>
                {mayWrite && key.revoked_at === null && (
                  <Button danger size="small" onClick={() => setOpen(key)}>
                    {t(($) => $.key.revoke)}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </DataState>
      {open && <KeyDialog subject={open} onClose={() => setOpen(null)} />}
    </>
  );
};

interface Values {
  name?: string;
  public_key?: string;
  password?: string;
}
const KeyDialog = ({ subject, onClose }: { subject: Key | 'new'; onClose: () => void }) => {
  const { t } = useTranslation('firmware');
  const { message } = App.useApp();
  const client = useQueryClient();
  const [form] = Form.useForm<Values>();
  const send = async ({ name = '', public_key = '', password = '' }: Values) => {
    if (subject === 'new') await call(firmwareEndpoints.addKey, { name, public_key, password });
    else await call(firmwareEndpoints.revokeKey, { key_id: subject.key_id, password });
    if (subject === 'new') void message.success(t(($) => $.key.done));
    await client.invalidateQueries({ queryKey: keyOf(firmwareEndpoints.keys) });
  };
  return (
    <FormDialog
      title={subject === 'new' ? t(($) => $.key.add) : t(($) => $.key.revokeTitle, { name: subject.name })}
      act={t(($) => (subject === 'new' ? $.key.add : $.key.revoke))}
      danger={subject !== 'new'}
      requiredMark={false}
      form={form}
      send={send}
      onClose={onClose}
    >
      {subject === 'new' ? (
        <>
          <Form.Item name="name" label={t(($) => $.key.name)}>
            <Input maxLength={60} autoComplete="off" />
          </Form.Item>
          <Form.Item name="public_key" label={t(($) => $.key.value)}>
            <Input.TextArea rows={3} spellCheck={false} />
          </Form.Item>
        </>
      ) : (
        <p>{t(($) => $.key.revokeText)}</p>
      )}
      <Form.Item name="password" label={t(($) => $.rollout.password)}>
        <Input.Password autoComplete="current-password" maxLength={200} />
      </Form.Item>
    </FormDialog>
  );
};
