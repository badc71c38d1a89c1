import { type ComponentType, createElement, lazy, type ReactNode, Suspense, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { limits } from '#contract/limits.ts';
import { announce } from '../api/announce.ts';
import { Fault, localFault } from '../api/fault.ts';
import { reachesServer } from '../api/reach.ts';

const reloadedKey = 'reloaded_for_a_part';
/** A second reload within this time would not help either. */
const reloadAgainMs = 600_000;

/**
 * Loads a part of the console. A part that does not come is a fault of the network where the server cannot be reached.
 * Where it can, the server has another version of the console: the page is reloaded, once within a while.
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
 * A part that comes over the network when it is first shown: dialogs, drawers, sheets, tabs. One that does not come
 * leaves the screen as it is: the fault is announced and shown in the part's place, and the next try loads again.
 * `room` keeps the place of one that would push others aside when it comes.
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
  return (props: Props) => <Suspense fallback={room}>{createElement(holder.part as never, props)}</Suspense>;
};

/** True from the first time on: what was opened once stays, for what it still has to say after it closes. */
export const useOnceOpen = (open: boolean): boolean => {
  const opened = useRef(open);
  opened.current ||= open;
  return opened.current;
};
