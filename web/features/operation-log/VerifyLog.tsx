import { Alert, Button, Modal } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReplyOf } from '#contract/endpoint.ts';
import { operationLogEndpoints } from '#contract/operation-log.ts';
import { call } from '#web/api/call.ts';
import { Fault } from '#web/api/fault.ts';
import { useFormats } from '#web/i18n/format.ts';

type Check = Pick<
  ReplyOf<typeof operationLogEndpoints.verify>,
  'last_id' | 'last_hash' | 'broken' | 'done'
> & {
  checked: number;
};

/** Verifies the hash chain of the log call by call, with progress and result. */
export const VerifyLog = () => {
  const { t } = useTranslation('operationLog');
  const formats = useFormats();
  const [check, setCheck] = useState<Check | null>(null);
  const run = useRef<AbortController | null>(null);
  useEffect(() => () => run.current?.abort(), []);

  const verify = async () => {
    const work = new AbortController();
    run.current = work;
    let checked = 0;
    let after: number | undefined;
    setCheck({ checked: 0, last_id: 0, last_hash: '', done: false, broken: null });
    try {
      for (;;) {
        const page = await call(operationLogEndpoints.verify, after === undefined ? {} : { after }, {
          signal: work.signal,
        });
        checked += page.checked;
        setCheck({ ...page, checked });
        if (page.done) return;
        after = page.last_id;
      }
    } catch (error) {
      setCheck(null);
      if (!(error instanceof Fault) && !work.signal.aborted) throw error;
    }
  };
  const stop = () => {
    run.current?.abort();
    setCheck(null);
  };
  return (
    <>
      <Button onClick={() => void verify()}>{t(($) => $.verify.act)}</Button>
      <Modal
        open={check !== null}
        title={t(($) => $.verify.act)}
        onCancel={stop}
        footer={check?.done === false ? <Button onClick={stop}>{t(($) => $.verify.stop)}</Button> : null}
      >
        {check && <Result check={check} number={formats.number} />}
      </Modal>
    </>
  );
};

const Result = ({ check, number }: { check: Check; number: (of: number) => string }) => {
  const { t } = useTranslation('operationLog');
  const checked = number(check.checked);
  if (!check.done) return <p role="status">{t(($) => $.verify.running, { checked })}</p>;
  if (check.broken)
    return (
      <Alert type="error" showIcon title={t(($) => $.verify.broken)} description={check.broken.message} />
    );
  return (
    <>
      <Alert type="success" showIcon title={t(($) => $.verify.sound, { checked, last: check.last_id })} />
      <p>{t(($) => $.verify.note)}</p>
      <code className="operation-hash">{`${check.last_id}:${check.last_hash}`}</code>
    </>
  );
};
