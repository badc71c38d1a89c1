import { FileProtectOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { evidencePackEndpoints } from '#contract/evidence-pack.ts';
import { useCan } from '#web/api/session.ts';
import { useDownload } from './use-download.ts';

/** Saves everything known about an alarm as one archive that verifies itself. */
export const AlarmEvidence = ({ id, workOrder }: { id: number; workOrder: string }) => {
  const { t } = useTranslation('common');
  const may = useCan('operationLog.read');
  const { busy, save } = useDownload(evidencePackEndpoints.alarm);
  return may ? (
    <section>
      <Button
        icon={<FileProtectOutlined aria-hidden />}
        loading={busy}
        onClick={() => void save({ id }, `${t(($) => $.evidence.title)} ${workOrder}`)}
      >
        {t(($) => $.evidence.title)}
      </Button>
      <p className="soft">{t(($) => $.evidence.what)}</p>
    </section>
  ) : null;
};
