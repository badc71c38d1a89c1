import { Form, Modal } from 'antd';
import dayjs from 'dayjs';
import { useTranslation } from 'react-i18next';
import { evidencePackEndpoints, longestEvidenceDays } from '#contract/evidence-pack.ts';
import { DateField } from './DateField.tsx';
import { useDownload } from './use-download.ts';
import { useFocusBack } from './use-focus-back.ts';
import { useFormFaults } from './use-submit.ts';

interface Range {
  from: string;
  to: string;
}
const kept = 'YYYY-MM-DDTHH:mm';

export const EvidenceDialog = ({
  deviceId,
  number,
  onClose,
}: {
  deviceId: number;
  number: string;
  onClose: () => void;
}) => {
  const { t } = useTranslation('common');
  useFocusBack();
  const [form] = Form.useForm<Range>();
  const mark = useFormFaults(form);
  const { busy, save } = useDownload(evidencePackEndpoints.device);
  const make = async ({ from, to }: Range) => {
    const failed = await save(
      { device_id: deviceId, from: dayjs(from).toISOString(), to: dayjs(to).toISOString() },
      `${t(($) => $.evidence.title)} ${number}`,
    );
    if (failed) mark(failed);
    else onClose();
  };
  const now = dayjs();
  const needed = [{ required: true, message: t(($) => $.evidence.needed) }];
  return (
    <Modal
      open
      title={t(($) => $.evidence.title)}
      okText={t(($) => $.evidence.make)}
      confirmLoading={busy}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <p>{t(($) => $.evidence.what)}</p>
      <Form
        form={form}
        layout="vertical"
        initialValues={{ from: now.subtract(1, 'hour').format(kept), to: now.format(kept) }}
        onFinish={(values) => void make(values)}
      >
        <Form.Item name="from" label={t(($) => $.evidence.from)} rules={needed}>
          <DateField kind="moment" />
        </Form.Item>
        <Form.Item
          name="to"
          label={t(($) => $.evidence.to)}
          rules={needed}
          extra={t(($) => $.evidence.longest, { days: longestEvidenceDays })}
        >
          <DateField kind="moment" />
        </Form.Item>
      </Form>
    </Modal>
  );
};
