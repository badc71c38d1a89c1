import { DownloadOutlined } from '@ant-design/icons';
import { App, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type * as z from 'zod';
import type { Endpoint, InputOf } from '#contract/endpoint.ts';
import { download } from '../api/download.ts';
import { Fault } from '../api/fault.ts';

/** Saves what the filter shows as a spreadsheet; shows how much has come, and continues when the page is left. */
export const ExportButton = <
  Body extends z.ZodType,
  Reply extends z.ZodType,
  E extends Endpoint<Body, Reply>,
>({
  endpoint,
  body,
  fileName,
}: {
  endpoint: E & Endpoint<Body, Reply>;
  body: InputOf<E>;
  fileName: string;
}) => {
  const { t, i18n } = useTranslation('common');
  const { message } = App.useApp();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    const key = `export-${endpoint.path}`;
    const megabytes = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 });
    const tell = (bytes: number) =>
      void message.loading({
        key,
        duration: 0,
        content: t(($) => $.table.exporting, { megabytes: megabytes.format(bytes / 1e6) }),
      });
    setBusy(true);
    tell(0);
    try {
      await download(endpoint, body, fileName, tell);
      void message.success({ key, content: t(($) => $.table.exported) });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      void message.error({ key, content: `${t(($) => $.table.exportFailed)}: ${error.message}` });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button icon={<DownloadOutlined aria-hidden />} loading={busy} onClick={() => void save()}>
      {t(($) => $.table.export)}
    </Button>
  );
};
