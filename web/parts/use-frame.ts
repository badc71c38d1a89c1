import { useLayoutEffect } from 'react';

/**
 * While this screen is shown, the frame of the console follows it by a class of the document. With a selector
 * such as `main:has(.queue)` browsers would calculate all styles of a page again after each change in it.
 */
export const useFrame = (screen: 'queue' | 'datascreen'): void =>
  useLayoutEffect(() => {
    const { classList } = document.documentElement;
    classList.add(`frames-${screen}`);
    return () => classList.remove(`frames-${screen}`);
  }, [screen]);
