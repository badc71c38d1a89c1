import { App } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type * as z from 'zod';
import type { Endpoint, InputOf } from '#contract/endpoint.ts';
import { refusalOf } from '#web/api/attempt.ts';
import { download } from '#web/api/download.ts';
import type { Fault } from '#web/api/fault.ts';
import { numberFormat } from '#web/i18n/number.ts';

/** Saves the file that an endpoint streams; shows the received size, and continues when the page is left. */
export const useDownload = <Body extends z.ZodType, Reply extends z.ZodType, E extends Endpoint<Body, Reply>>(
  endpoint: E & Endpoint<Body, Reply>,
) => {
  const { t, i18n } = useTranslation('common');
  const { message } = App.useApp();
  const [busy, setBusy] = useState(false);
  /** Resolves with the fault, or null. A fault with fields is left to the caller's form. */
  const save = async (body: InputOf<E>, fileName: string): Promise<Fault | null> => {
    const key = `export-${endpoint.path}`;
    const megabytes = numberFormat(i18n.language, { maximumFractionDigits: 1 });
    const report = (bytes: number) =>
      void message.loading({
        key,
        duration: 0,
        content: t(($) => $.table.exporting, { megabytes: megabytes(bytes / 1e6) }),
      });
    setBusy(true);
    report(0);
    const refusal = await refusalOf(() => download(endpoint, body, fileName, report)).finally(() =>
      setBusy(false),
    );
    if (refusal)
      void message.error({ key, content: `${t(($) => $.table.exportFailed)}: ${refusal.message}` });
    else void message.success({ key, content: t(($) => $.table.exported) });
    return refusal;
  };
  return { busy, save };
};
