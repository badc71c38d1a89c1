import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Alert, App, Checkbox, Form, Input, Radio, Select, Switch } from 'antd';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { alarmNames } from '#contract/alarm-names.ts';
import { type DeliveryRow, noticeChannels } from '#contract/deliveries.ts';
import type { Language } from '#contract/languages.ts';
import { type NoticeRow, noticeEndpoints } from '#contract/notices.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, useReload } from '#web/api/query.ts';
import { useSignedIn } from '#web/api/session.ts';
import { DateField } from '#web/parts/DateField.tsx';
import { FormDrawer } from '#web/parts/FormDrawer.tsx';
import { ProjectsPicker } from '#web/parts/ProjectPicker.tsx';
import { zodRule } from '#web/parts/zod-rule.ts';
import { NoticeEstimate } from './NoticeEstimate.tsx';

interface Values {
  name: string;
  channel: DeliveryRow['channel'];
  enabled: boolean;
  to_contacts: boolean;
  user_ids: number[];
  webhook_url?: string | null;
  webhook_secret?: string;
  project_ids: number[];
  typeNumbers: number[];
  levels: number[];
  silence_minutes: number;
  window_from?: string | null;
  window_to?: string | null;
}
const silences = [0, 10, 20, 30, 40, 50, 60] as const;
/** An empty secret field keeps the stored secret. */
const bodyOf = <Given extends Partial<Values>>({ webhook_secret, ...values }: Given) => ({
  ...values,
  ...(webhook_secret ? { webhook_secret } : {}),
});
/** In the call an empty address means none, which is right only for the other channels. */
const rule = zodRule(noticeEndpoints.add.body, (values: Partial<Values>) => ({
  ...bodyOf(values),
  ...(values.channel === 'webhook' ? { webhook_url: values.webhook_url || ' ' } : {}),
}));

/** A new rule has no recipients until the user chooses some. */
const valuesOf = (row: NoticeRow | null, projectId: number | undefined): Values =>
  row === null
    ? {
        name: '',
        channel: 'app',
        enabled: true,
        to_contacts: false,
        user_ids: [],
        project_ids: projectId === undefined ? [] : [projectId],
        typeNumbers: [],
        levels: [],
        silence_minutes: 0,
      }
    : {
        ...row,
        enabled: row.status === 'enabled',
        user_ids: row.users.map(({ id }) => id),
        project_ids: row.projects.map(({ id }) => id),
      };

/** Adds or edits a rule: who is notified of which alarms, through which channel, and when. */
export const NoticeForm = ({
  row,
  projectId,
  onClose,
}: {
  /** 'new' adds, null: nothing is open. */
  row: NoticeRow | 'new' | null;
  projectId?: number | undefined;
  onClose: () => void;
}) => {
  const { t } = useTranslation('notices');
  const { t: tc } = useTranslation('common');
  const { message } = App.useApp();
  const reload = useReload(noticeEndpoints.list);
  const [form] = Form.useForm<Values>();
  const open = row !== null;
  const edited = row === 'new' ? null : row;
  const initial = valuesOf(edited, projectId);
  const channel = Form.useWatch('channel', form) ?? initial.channel;
  const now = Form.useWatch<Partial<Values> | undefined>([], form);

  const save = async (values: Values) => {
    const body = bodyOf({
      ...values,
      webhook_url: values.webhook_url || null,
      window_from: values.window_from || null,
      window_to: values.window_to || null,
    });
    if (edited) await call(noticeEndpoints.edit, { id: edited.id, ...body });
    else await call(noticeEndpoints.add, body);
    void message.success(t(($) => $.saved));
    await reload();
  };
  return (
    <FormDrawer
      open={open}
      title={t(($) => (edited ? $.edit : $.add))}
      form={form}
      initial={initial}
      onSave={save}
      onClose={onClose}
    >
      <Form.Item name="name" label={t(($) => $.column.name)} rules={[rule('name')]}>
        <Input maxLength={60} autoComplete="off" autoFocus />
      </Form.Item>
      <Form.Item name="enabled" label={t(($) => $.column.status)} valuePropName="checked">
        <Switch
          checkedChildren={t(($) => $.status.enabled)}
          unCheckedChildren={t(($) => $.status.disabled)}
        />
      </Form.Item>
      <Form.Item name="channel" label={t(($) => $.column.channel)} extra={t(($) => $.channelText[channel])}>
        <Radio.Group
          optionType="button"
          buttonStyle="solid"
          options={noticeChannels.map((value) => ({ value, label: tc(($) => $.delivery.channel[value]) }))}
        />
      </Form.Item>
      {channel === 'webhook' ? (
        <WebhookFields edited={edited} />
      ) : (
        <RecipientFields edited={edited} open={open} />
      )}
      <Form.Item
        name="project_ids"
        label={t(($) => $.column.projects)}
        extra={t(($) => $.projectsText)}
        rules={[rule('project_ids')]}
      >
        <ProjectsPicker placeholder={t(($) => $.allProjects)} known={edited?.projects ?? []} />
      </Form.Item>
      <AlarmFields />
      <TimeFields />
      {open && (
        <NoticeEstimate
          rule={{
            channel,
            to_contacts: now?.to_contacts ?? initial.to_contacts,
            user_ids: now?.user_ids ?? initial.user_ids,
            project_ids: now?.project_ids ?? initial.project_ids,
            typeNumbers: now?.typeNumbers ?? initial.typeNumbers,
            levels: now?.levels ?? initial.levels,
          }}
        />
      )}
    </FormDrawer>
  );
};

type Edited = NoticeRow | null;

const WebhookFields = ({ edited }: { edited: Edited }) => {
  const { t } = useTranslation('notices');
  return (
    <>
      {edited?.webhook_unreadable && (
        <Form.Item>
          <Alert type="error" showIcon title={t(($) => $.webhookUnreadable)} />
        </Form.Item>
      )}
      <Form.Item name="webhook_url" label={t(($) => $.url)} required rules={[rule('webhook_url')]}>
        <Input type="url" placeholder="https://" autoComplete="off" spellCheck={false} />
      </Form.Item>
      <Form.Item
        name="webhook_secret"
        label={t(($) => $.secret)}
        extra={t(($) => (edited?.has_secret ? $.secretKept : $.secretText))}
        rules={[rule('webhook_secret')]}
      >
        <Input.Password autoComplete="new-password" maxLength={200} />
      </Form.Item>
    </>
  );
};

/** Contacts of the projects, and accounts: the reader first. */
const RecipientFields = ({ edited, open }: { edited: Edited; open: boolean }) => {
  const { t } = useTranslation('notices');
  const { user_id, nickname, username } = useSignedIn();
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim());
  const found = useQuery({
    ...endpointQuery(noticeEndpoints.recipients, wanted ? { search: wanted } : {}),
    placeholderData: keepPreviousData,
    enabled: open,
  });
  const people = new Map([
    ...(found.data?.list ?? []).map(({ id, name, role_name }) => [id, `${name} · ${role_name}`] as const),
    [user_id, nickname || username],
    ...(edited?.users ?? []).map(({ id, name }) => [id, name] as const),
  ]);
  return (
    <>
      <Form.Item name="to_contacts" valuePropName="checked" extra={t(($) => $.contactsText)}>
        <Checkbox>{t(($) => $.toContacts)}</Checkbox>
      </Form.Item>
      <Form.Item name="user_ids" label={t(($) => $.users)} rules={[rule('user_ids')]}>
        <Select
          mode="multiple"
          showSearch={{ onSearch: setSearch, filterOption: false }}
          loading={found.isFetching}
          options={[...people].map(([value, label]) => ({ value, label }))}
          notFoundContent={t(($) => $.nobody)}
        />
      </Form.Item>
    </>
  );
};

/** Which alarms the rule covers. */
const AlarmFields = () => {
  const { t, i18n } = useTranslation('notices');
  const { t: tc } = useTranslation('common');
  return (
    <>
      <Form.Item name="levels" label={t(($) => $.column.levels)} extra={t(($) => $.levelsText)}>
        <Checkbox.Group
          options={[
            { value: 2, label: tc(($) => $.level.alarm) },
            { value: 1, label: tc(($) => $.level.early) },
          ]}
        />
      </Form.Item>
      <Form.Item name="typeNumbers" label={t(($) => $.column.types)} rules={[rule('typeNumbers')]}>
        <Select
          mode="multiple"
          showSearch={{ optionFilterProp: 'label' }}
          placeholder={t(($) => $.allTypes)}
          options={Object.entries(alarmNames[i18n.language as Language] ?? {}).map(([code, label]) => ({
            value: Number(code),
            label,
          }))}
        />
      </Form.Item>
    </>
  );
};

/** When the rule may notify. */
const TimeFields = () => {
  const { t } = useTranslation('notices');
  return (
    <>
      <Form.Item name="silence_minutes" label={t(($) => $.column.silence)} extra={t(($) => $.silenceText)}>
        <Select
          options={silences.map((value) => ({
            value,
            label: value === 0 ? t(($) => $.noSilence) : t(($) => $.minutes, { count: value }),
          }))}
        />
      </Form.Item>
      <div className="notice-window">
        <Form.Item name="window_from" label={t(($) => $.from)} rules={[rule('window_from')]}>
          <DateField kind="time" />
        </Form.Item>
        <Form.Item name="window_to" label={t(($) => $.to)} rules={[rule('window_to')]}>
          <DateField kind="time" />
        </Form.Item>
      </div>
      <p className="soft">{t(($) => $.windowText)}</p>
    </>
  );
};
