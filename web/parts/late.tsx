import { type ComponentType, createElement, lazy, type ReactNode, Suspense, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { limits } from '#contract/limits.ts';
import { announce } from '#web/api/announce.ts';
import { Fault, localFault } from '#web/api/fault.ts';
import { reachesServer } from '#web/api/reach.ts';

const reloadedKey = 'reloaded_for_a_part';
/** A second reload within this time would not help either. */
const reloadAgainMs = 600_000;

/**
 * Loads a part of the console. A failed part is a network fault if the server cannot be reached. If it can,
 * the server has another version of the console: the page is reloaded, once within a period.
 */
export const inTime = async <Part,>(load: () => Promise<Part>): Promise<Part> => {
  let timer = 0;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = window.setTimeout(() => reject(localFault('timeout')), limits.chunkTimeoutMs);
  });
  try {
    const part = await Promise.race([load(), tooLate]);
    return part;
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (!(await reachesServer())) throw localFault('network');
    if (Date.now() - Number(window.sessionStorage.getItem(reloadedKey)) > reloadAgainMs) {
      window.sessionStorage.setItem(reloadedKey, String(Date.now()));
      window.location.reload();
      await new Promise(() => undefined);
    }
    throw localFault('missing');
  } finally {
    window.clearTimeout(timer);
  }
};

const MissingPart = () => {
  const { t } = useTranslation('common');
  return <p className="part-missing">{t(($) => $.fault.network)}</p>;
};

/**
 * A part that loads when it is first shown: dialogs, drawers, sheets, tabs. If it fails the screen stays: the
 * fault is announced and shown instead of the part, and the next attempt loads again. `room` reserves space
 * for a part that would move others when it appears.
 */
export const late = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  room: ReactNode = null,
) => {
  const make = () =>
    lazy(async (): Promise<{ default: ComponentType<Props> }> => {
      try {
        return { default: await inTime(load) };
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        announce(error);
        holder.part = make();
        return { default: MissingPart };
      }
    });
  const holder = { part: make() };
  // The page says that it is not complete: `room` alone looks like a part without content.
  const waiting = (
    <>
      <span hidden aria-busy="true" />
      {room}
    </>
  );
  return (props: Props) => (
    <Suspense fallback={waiting}>{createElement(holder.part as never, props)}</Suspense>
  );
};

/**
 * True from the first opening on: an opened part stays mounted, because it may still have results to report
 * after it closes.
 */
export const useOnceOpen = (open: boolean): boolean => {
  const opened = useRef(open);
  opened.current ||= open;
  return opened.current;
};
