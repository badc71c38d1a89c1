import { Button } from 'antd';
import { useEffect, useLayoutEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showsOnScreen } from '#web/api/announce.ts';
import { Fault, isNetworkFault } from '#web/api/fault.ts';
import { useFormats } from '#web/i18n/format.ts';
import './not-current.css';

interface Failed {
  error: Error;
  /** When the data arrived. */
  at: number;
  onRetry: () => void;
}
/** Of data whose refresh failed: since when they are old and why; else: that they belong to the former choice. */
export const NotCurrent = ({ failed }: { failed?: Failed }) => (failed ? <Stale {...failed} /> : <Former />);

/** Data of the former choice are shown this long without a word, so that quick answers do not flicker. */
const soonMs = 1_500;
const Former = () => {
  const { t } = useTranslation('common');
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setLate(true), soonMs);
    return () => window.clearTimeout(timer);
  }, []);
  return (
    isLate && (
      <p className="stale-notice" role="status">
        {t(($) => $.former)}
      </p>
    )
  );
};

const Stale = ({ error, at, onRetry }: Failed) => {
  const { t } = useTranslation('common');
  const formats = useFormats();
  useLayoutEffect(() => showsOnScreen(error), [error]);
  const isAnswer = error instanceof Fault && !isNetworkFault(error);
  return (
    <p className="stale-notice" role="status">
      <span>
        {t(($) => $.fault.stale, { time: formats.since(at) })} {isAnswer && error.message}
      </span>
      <Button size="small" onClick={onRetry}>
        {t(($) => $.fault.retry)}
      </Button>
    </p>
  );
};
