import { DownloadOutlined, PrinterOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Button, Modal, QRCode, Typography } from 'antd';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { projectEndpoints } from '#contract/projects.ts';
import { saveBlob } from '#web/api/download.ts';
import { endpointQuery } from '#web/api/query.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { PanelCodeLink } from '#web/parts/PanelCodeLink.tsx';
import { useFocusBack } from '#web/parts/use-focus-back.ts';

const side = 240;

/** The QR code that leads a phone to the project view, for printing and fixing to the panel. */
export const ProjectCode = ({ id, onClose }: { id: number; onClose: () => void }) => {
  const { t } = useTranslation('projects');
  useFocusBack();
  const picture = useRef<HTMLDivElement>(null);
  const query = useQuery(endpointQuery(projectEndpoints.qrcode, { project_id: id }));
  const save = (name: string) => {
    const svg = picture.current?.querySelector('svg');
    if (svg) saveBlob(new Blob([svg.outerHTML], { type: 'image/svg+xml' }), `${name}.svg`);
  };
  return (
    <Modal open title={t(($) => $.code.title)} footer={null} onCancel={onClose}>
      <DataState query={query} height={side + 90}>
        {({ name, url }) => (
          <div className="project-code print-only-this">
            <strong>{name}</strong>
            <div ref={picture}>
              <QRCode type="svg" value={url} size={side} color="#000" bgColor="#fff" errorLevel="M" />
            </div>
            <Typography.Text copyable className="project-url">
              {url}
            </Typography.Text>
            <div className="project-code-acts no-print">
              <Button icon={<DownloadOutlined aria-hidden />} onClick={() => save(name)}>
                {t(($) => $.code.save)}
              </Button>
              <Button icon={<PrinterOutlined aria-hidden />} onClick={() => window.print()}>
                {t(($) => $.code.print)}
              </Button>
            </div>
            <p className="no-print">
              <PanelCodeLink of={{ project_id: id }} />
            </p>
            <p className="soft no-print">{t(($) => $.code.why)}</p>
          </div>
        )}
      </DataState>
    </Modal>
  );
};
