import { DownloadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type * as z from 'zod';
import type { Endpoint, InputOf } from '#contract/endpoint.ts';
import { useDownload } from './use-download.ts';

/** Saves what the filter shows as a spreadsheet. */
export const ExportButton = <
  Body extends z.ZodType,
  Reply extends z.ZodType,
  E extends Endpoint<Body, Reply>,
>({
  endpoint,
  body,
  fileName,
  label,
  disabled = false,
}: {
  endpoint: E & Endpoint<Body, Reply>;
  body: InputOf<E>;
  /** Name of the file without its extension. */
  fileName: string;
  /** The label, if the button is separate from its table. */
  label?: string;
  /** While what it would save is not known. */
  disabled?: boolean;
}) => {
  const { t } = useTranslation('common');
  const { busy, save } = useDownload<Body, Reply, E>(endpoint);
  return (
    <Button
      className={label === undefined ? 'no-print brief-button' : 'no-print'}
      icon={<DownloadOutlined aria-hidden />}
      loading={busy}
      disabled={disabled}
      onClick={() => void save(body, `${fileName}.xlsx`)}
    >
      {label ?? t(($) => $.table.export)}
    </Button>
  );
};
