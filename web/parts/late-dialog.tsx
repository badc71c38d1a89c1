import { Modal } from 'antd';
import { type ComponentType, type ReactNode, useEffect, useReducer, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { DataState } from './DataState.tsx';
import { inTime, useOnceOpen } from './late.tsx';
import { focusBack, useFocusBack } from './use-focus-back.ts';

/** A shorter wait is not shown. */
const noticedMs = 300;
/** Signs that the reader is about to act. */
const signs = ['pointermove', 'pointerdown', 'keydown'] as const;

type Late<Props> = ((props: Props) => ReactNode) & { fetch: () => Promise<unknown> };

/** Dialog shown while the file of a form is loading; closing it cancels. */
const Waiting = ({
  error,
  onAgain,
  onClose,
}: {
  error: Error | null;
  onAgain: () => void;
  onClose: () => void;
}) => {
  const { t } = useTranslation('common');
  const [noticed, setNoticed] = useState(false);
  useFocusBack();
  useEffect(() => {
    const timer = window.setTimeout(() => setNoticed(true), noticedMs);
    return () => window.clearTimeout(timer);
  }, []);
  if (!noticed && !error) return null;
  const query = {
    data: undefined,
    dataUpdatedAt: 0,
    error,
    isPending: true,
    isFetching: !error,
    refetch: onAgain,
  };
  return (
    <Modal open title={t(($) => $.dialog.opening)} footer={null} onCancel={onClose}>
      <DataState query={query}>{() => null}</DataState>
    </Modal>
  );
};

interface Source<Props> {
  fetch: () => Promise<ComponentType<Props>>;
  /** The form; null until it has been fetched. */
  loaded: () => ComponentType<Props> | null;
  isOpen: (props: Props) => boolean;
}
const Opened = <Props extends { onClose: () => void }>({
  source,
  props,
}: {
  source: Source<Props>;
  props: Props;
}) => {
  const open = source.isOpen(props);
  const opener = useRef<Element | null>(null);
  const [Part, setPart] = useState(source.loaded);
  const [error, setError] = useState<Error | null>(null);
  const [isWaiting, setWaiting] = useState(true);
  const [attempt, again] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    opener.current = open ? document.activeElement : null;
  }, [open]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads again
  useEffect(() => {
    if (!open || Part) return;
    let isLeft = false;
    setError(null);
    inTime(source.fetch).then(
      (part) => {
        if (isLeft) return;
        // The focus is put back to where it was before the wait, so that the form returns it there later.
        flushSync(() => setWaiting(false));
        focusBack(opener.current);
        setPart(() => part);
      },
      (fault: Error) => {
        if (!isLeft) setError(fault);
      },
    );
    return () => {
      isLeft = true;
    };
  }, [open, Part, attempt]);
  if (Part) return <Part {...props} />;
  return open && isWaiting ? <Waiting error={error} onAgain={again} onClose={props.onClose} /> : null;
};
const LateDialog = <Props extends { onClose: () => void }>({
  source,
  props,
}: {
  source: Source<Props>;
  props: Props;
}) => (useOnceOpen(source.isOpen(props)) ? <Opened source={source} props={props} /> : null);

/**
 * A form, in a dialog or a drawer, that loads when it is first opened. If that fails, a dialog says so and
 * offers another attempt. `isOpen`: for a form that stays mounted while it is closed.
 */
export const lateDialog = <Props extends { onClose: () => void }>(
  load: () => Promise<ComponentType<Props>>,
  isOpen: (props: Props) => boolean = () => true,
): Late<Props> => {
  let part: ComponentType<Props> | null = null;
  const fetch = async () => {
    part ??= await load();
    return part;
  };
  const source = { fetch, loaded: () => part, isOpen };
  return Object.assign((props: Props) => <LateDialog source={source} props={props} />, { fetch });
};

/** Fetches the forms of a screen at the first sign that the reader is about to act, so that they open at once. */
export const useDialogsAhead = (...forms: readonly (Pick<Late<never>, 'fetch'> | false)[]): void => {
  const wanted = useRef(forms);
  wanted.current = forms;
  useEffect(() => {
    const start = () => {
      stop();
      // A failure is reported when the form is opened.
      for (const form of wanted.current) if (form) form.fetch().catch(() => undefined);
    };
    const stop = () => {
      for (const sign of signs) window.removeEventListener(sign, start);
    };
    for (const sign of signs) window.addEventListener(sign, start, { passive: true });
    return stop;
  }, []);
};
