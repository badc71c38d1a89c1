import { type ComponentType, createElement, lazy, Suspense, useRef } from 'react';
import { limits } from '#contract/limits.ts';
import { Fault, localCodes } from '../api/fault.ts';

/** Loads a part of the console; a part that does not come within the limit is a fault of the network. */
export const inTime = <Part,>(load: () => Promise<Part>): Promise<Part> => {
  let timer = 0;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = window.setTimeout(() => reject(new Fault(localCodes.timeout, 'network')), limits.chunkTimeoutMs);
  });
  return Promise.race([load(), tooLate]).finally(() => window.clearTimeout(timer));
};

/** A part that comes over the network when it is first shown: dialogs, drawers, sheets. */
export const late = <Props extends object>(load: () => Promise<ComponentType<Props>>) => {
  const Part = lazy(async () => ({ default: await inTime(load) }));
  return (props: Props) => <Suspense fallback={null}>{createElement(Part, props)}</Suspense>;
};

/** True from the first time on: what was opened once stays, for what it still has to say after it closes. */
export const useOnceOpen = (open: boolean): boolean => {
  const opened = useRef(open);
  opened.current ||= open;
  return opened.current;
};
