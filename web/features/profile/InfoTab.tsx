import { useQuery, useQueryClient } from '@tanstack/react-query';
import { App, Button, Descriptions, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { sessionEndpoints } from '#contract/session.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery, keyOf } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { useSubmit } from '#web/parts/use-submit.ts';
import { zodRule } from '#web/parts/zod-rule.ts';
import { TimeText } from '#web/values/TimeText.tsx';
import { PhoneFields } from './PhoneFields.tsx';

type Profile = ReplyOf<(typeof sessionEndpoints)['userInfo']>;

const builtIn = [1, 2, 3, 32] as const;
const isBuiltIn = (role: number): role is (typeof builtIn)[number] =>
  (builtIn as readonly number[]).includes(role);

export const InfoTab = () => {
  const query = useQuery(endpointQuery(sessionEndpoints.userInfo, {}));
  return (
    <DataState query={query} rows={5}>
      {(profile) => <InfoForm profile={profile} />}
    </DataState>
  );
};

const InfoForm = ({ profile }: { profile: Profile }) => {
  const { t } = useTranslation('profile');
  const { message } = App.useApp();
  const client = useQueryClient();
  const [form] = Form.useForm<Pick<Profile, 'nickname' | 'mobile' | 'email'> & { sms_code?: string }>();
  const rule = zodRule(sessionEndpoints.userInfo.body);

  const roleName = ({ role, role_name }: Profile) => (isBuiltIn(role) ? t(($) => $.role[role]) : role_name);

  const { busy, submit: save } = useSubmit(form, async (values) => {
    const changed = Object.fromEntries(
      Object.entries(values).filter(
        ([name, value]) => form.isFieldTouched(name as 'nickname') && !(name === 'sms_code' && !value),
      ),
    );
    // The server checks the code with the number in the field beside it, so both are sent.
    if ('sms_code' in changed) changed['mobile'] = values.mobile;
    client.setQueryData(
      endpointQuery(sessionEndpoints.userInfo, {}).queryKey,
      await call(sessionEndpoints.userInfo, { is_edit: true, ...changed }),
    );
    await client.invalidateQueries({ queryKey: keyOf(sessionEndpoints.userInfo) });
    form.resetFields(['sms_code']);
    void message.success(t(($) => $.info.saved));
  });
  return (
    <>
      <Descriptions
        column={1}
        size="small"
        items={[
          { key: 'username', label: t(($) => $.info.username), children: profile.username },
          { key: 'role', label: t(($) => $.info.role), children: roleName(profile) },
          { key: 'since', label: t(($) => $.info.since), children: <TimeText at={profile.created_at} /> },
          ...(profile.project_id === null
            ? []
            : [
                {
                  key: 'project',
                  label: t(($) => $.info.project),
                  children: `${profile.projectName} · ${profile.project_codeid}`,
                },
                {
                  key: 'contact',
                  label: t(($) => $.info.projectContact),
                  children: `${profile.project_username} ${profile.project_phone}`,
                },
                {
                  key: 'joined',
                  label: t(($) => $.info.projectJoined),
                  children: <TimeText at={profile.project_add_time} kind="date" />,
                },
              ]),
        ]}
      />
      <Form form={form} layout="vertical" initialValues={profile} onFinish={(values) => void save(values)}>
        <Form.Item name="nickname" label={t(($) => $.info.nickname)} rules={[rule('nickname')]}>
          <Input autoComplete="name" />
        </Form.Item>
        <PhoneFields form={form} saved={profile.mobile} confirmed={profile.mobile_confirmed} />
        <Form.Item name="email" label={t(($) => $.info.email)} rules={[rule('email')]}>
          <Input inputMode="email" autoComplete="email" />
        </Form.Item>
        <Button type="primary" htmlType="submit" loading={busy}>
          {t(($) => $.save)}
        </Button>
      </Form>
    </>
  );
};
