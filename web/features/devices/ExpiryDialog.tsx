import { Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import { call } from '#web/api/call.ts';
import { DateField } from '#web/parts/DateField.tsx';
import { countOf } from '#web/parts/table/types.ts';
import { ActDialog, type ActProps } from './ActDialog.tsx';
import { namedBody } from './devices.query.ts';

/** Expiry of the service of several devices; empty: none. */
export const ExpiryDialog = ({ named, filter, ...rest }: ActProps) => {
  const { t } = useTranslation('devices');
  const [form] = Form.useForm<{ expires_on?: string }>();
  return (
    <ActDialog
      {...rest}
      form={form}
      title={t(($) => $.expiry.title, { count: countOf(named) })}
      act={t(($) => $.expiry.act)}
      send={({ expires_on }) =>
        call(deviceEndpoints.expiry, { ...namedBody(named, filter), expires_on: expires_on || null })
      }
    >
      <Form.Item name="expires_on" label={t(($) => $.column.expires)} extra={t(($) => $.expiry.empty)}>
        <DateField kind="date" />
      </Form.Item>
    </ActDialog>
  );
};
