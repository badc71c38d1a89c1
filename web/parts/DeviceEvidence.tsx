import { FileProtectOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCan } from '#web/api/session.ts';
import { late } from './late.tsx';

const EvidenceDialog = late(async () => (await import('./EvidenceDialog.tsx')).EvidenceDialog);

/** Asks for a period and saves everything known about the device in it. */
export const DeviceEvidence = ({ deviceId, number }: { deviceId: number; number: string }) => {
  const { t } = useTranslation('common');
  const may = useCan('operationLog.read');
  const [open, setOpen] = useState(false);
  return may ? (
    <>
      <Button icon={<FileProtectOutlined aria-hidden />} onClick={() => setOpen(true)}>
        {t(($) => $.evidence.title)}
      </Button>
      {open && <EvidenceDialog deviceId={deviceId} number={number} onClose={() => setOpen(false)} />}
    </>
  ) : null;
};
