import { useQuery } from '@tanstack/react-query';
import { Form, Select } from 'antd';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import { accessActNames } from '#contract/access.ts';
import { lineEndpoints } from '#contract/lines.ts';
import { userEndpoints } from '#contract/users.ts';
import { endpointQuery, keptQuery } from '#web/api/query.ts';
import { useCan } from '#web/api/session.ts';
import { DevicePicker } from '#web/parts/DevicePicker.tsx';
import { Notice } from '#web/parts/Notice.tsx';
import { PageHeader } from '#web/parts/PageHeader.tsx';
import { optionalNumber, useUrlState } from '#web/parts/url-state.ts';
import { useClear } from '#web/parts/use-clear.tsx';
import { AccessVerdict } from './AccessVerdict.tsx';
import { AccessWho } from './AccessWho.tsx';
import './access.css';

const search = z.object({
  user_id: optionalNumber,
  device_id: optionalNumber,
  line_id: optionalNumber,
  act: z.enum(accessActNames).catch('close'),
});
const shownUsers = 30;

/** Whether a user may do an act on a device, with the reasons; and for a device: who may. */
export const AccessPage = () => {
  const { t } = useTranslation('access');
  const maySee = useCan('user.read');
  return maySee ? <Explainer /> : <Notice title={t(($) => $.title)} text={t(($) => $.denied)} />;
};

const Explainer = () => {
  const { t } = useTranslation('access');
  const clear = useClear();
  const [{ user_id, device_id, line_id, act }, setState] = useUrlState(search);
  const [typed, setTyped] = useState('');
  const wanted = useDeferredValue(typed.trim());
  const users = useQuery(
    keptQuery(userEndpoints.list, {
      limit: shownUsers,
      sort: 'username',
      ...(wanted === '' ? {} : { search: wanted }),
    }),
  );
  const chosen = useQuery({
    ...endpointQuery(userEndpoints.detail, { user_id: user_id ?? 0 }),
    enabled: user_id !== undefined,
  });
  const lines = useQuery({
    ...endpointQuery(lineEndpoints.list, { device_id: device_id ?? 0 }),
    enabled: device_id !== undefined,
  });
  const people = new Map(
    [...(chosen.data ? [chosen.data.user] : []), ...(users.data?.list ?? [])].map((each) => [
      each.user_id,
      `${each.nickname || each.username} · ${each.username} · ${each.role_name}`,
    ]),
  );
  return (
    <>
      <PageHeader title={t(($) => $.title)} note={<span className="soft">{t(($) => $.text)}</span>} />
      <Form layout="vertical" component="div" className="access-form">
        <Form.Item label={t(($) => $.field.device)} htmlFor="access-device">
          <DevicePicker
            id="access-device"
            label={t(($) => $.field.device)}
            value={device_id}
            onChange={(id) => setState({ device_id: id, line_id: undefined })}
          />
        </Form.Item>
        <Form.Item label={t(($) => $.field.act)} htmlFor="access-act">
          <Select
            id="access-act"
            value={act}
            options={accessActNames.map((value) => ({ value, label: t(($) => $.act[value]) }))}
            onChange={(value) => setState({ act: value })}
          />
        </Form.Item>
        {(act === 'close' || act === 'open') && (
          <Form.Item label={t(($) => $.field.line)} htmlFor="access-line">
            <Select
              id="access-line"
              disabled={device_id === undefined}
              loading={lines.isFetching}
              allowClear={clear}
              placeholder={t(($) => $.wholeDevice)}
              value={line_id ?? null}
              options={(lines.data?.list ?? []).map((line) => ({
                value: line.line_id,
                label: `${line.n} · ${line.name}`,
              }))}
              onChange={(value: number | null | undefined) => setState({ line_id: value })}
            />
          </Form.Item>
        )}
        <Form.Item label={t(($) => $.field.user)} htmlFor="access-user">
          <Select
            id="access-user"
            placeholder={t(($) => $.field.user)}
            allowClear={clear}
            showSearch={{ filterOption: false, onSearch: setTyped }}
            loading={users.isFetching}
            value={user_id ?? null}
            options={[...people].map(([value, label]) => ({ value, label }))}
            onChange={(value: number | null | undefined) => setState({ user_id: value })}
          />
        </Form.Item>
      </Form>
      {device_id === undefined ? (
        <p className="empty-notice">{t(($) => $.chooseDevice)}</p>
      ) : (
        <div className="access-answers">
          {user_id === undefined ? (
            <p className="soft">{t(($) => $.chooseUser)}</p>
          ) : (
            <AccessVerdict ask={{ user_id, device_id, line_id, act }} />
          )}
          <AccessWho
            ask={{ device_id, line_id, act }}
            onExplain={(id) => setState({ user_id: id }, { push: true })}
          />
        </div>
      )}
    </>
  );
};
