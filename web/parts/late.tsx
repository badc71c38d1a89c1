import { type ComponentType, createElement, lazy, Suspense, useRef } from 'react';

/** A part that comes over the network when it is first shown: dialogs, drawers, sheets. */
export const late = <Props extends object>(load: () => Promise<ComponentType<Props>>) => {
  const Part = lazy(async () => ({ default: await load() }));
  return (props: Props) => <Suspense fallback={null}>{createElement(Part, props)}</Suspense>;
};

/** True from the first time on: what was opened once stays, for what it still has to say after it closes. */
export const useOnceOpen = (open: boolean): boolean => {
  const opened = useRef(open);
  opened.current ||= open;
  return opened.current;
};
