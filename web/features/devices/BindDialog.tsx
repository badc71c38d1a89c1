import { Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { deviceEndpoints } from '#contract/devices.ts';
import { call } from '#web/api/call.ts';
import { countOf } from '#web/parts/table/types.ts';
import { zodRule } from '#web/parts/zod-rule.ts';
import { ActDialog, type ActProps } from './ActDialog.tsx';
import { namedBody } from './devices.query.ts';
import { ProjectFields } from './ProjectFields.tsx';

interface Values {
  project_id: number;
  part_id?: number;
}
const rule = zodRule(deviceEndpoints.bind.body, (values) => ({ device_ids: [1], ...values }));

/** Binds devices to a project. */
export const BindDialog = ({ named, filter, ...rest }: ActProps) => {
  const { t } = useTranslation('devices');
  const [form] = Form.useForm<Values>();
  return (
    <ActDialog
      {...rest}
      form={form}
      title={t(($) => $.bind.title, { count: countOf(named) })}
      act={t(($) => $.bind.act)}
      send={(values) => call(deviceEndpoints.bind, { ...values, ...namedBody(named, filter) })}
    >
      <ProjectFields rule={rule('project_id')} />
    </ActDialog>
  );
};
