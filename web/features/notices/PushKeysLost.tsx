import { Alert, App, Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { noticeEndpoints } from '#contract/notices.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { useReload } from '#web/api/query.ts';
import { useConfirm } from '#web/parts/use-confirm.ts';

/** The private key of Web Push cannot be read: why nothing is sent, and how to fix it. */
export const PushKeysLost = () => {
  const { t } = useTranslation('notices');
  const { message } = App.useApp();
  const reload = useReload(noticeEndpoints.ways);
  const confirm = useConfirm();
  const [busy, setBusy] = useState(false);
  const renew = async () => {
    const sure = await confirm({
      title: t(($) => $.ways.pushLost.ask),
      content: t(($) => $.ways.pushLost.askText),
      okText: t(($) => $.ways.pushLost.act),
      danger: true,
    });
    if (!sure) return;
    setBusy(true);
    await attempt(async () => {
      await call(noticeEndpoints.renewPushKeys, {});
      void message.success(t(($) => $.ways.pushLost.done));
    });
    setBusy(false);
    await reload();
  };
  return (
    <Form.Item>
      <Alert
        type="error"
        showIcon
        title={t(($) => $.ways.pushLost.title)}
        description={
          // The button is below the text, because on a phone there is no room beside it.
          <>
            <p>{t(($) => $.ways.pushLost.text)}</p>
            <Button danger loading={busy} onClick={() => void renew()}>
              {t(($) => $.ways.pushLost.act)}
            </Button>
          </>
        }
      />
    </Form.Item>
  );
};
