import { useRouter } from '@tanstack/react-router';
import type { ComponentProps, MouseEvent } from 'react';

/** A link to a path of the console (see paths.ts); a plain click navigates within the page. */
export const PathLink = ({ to, onClick, ...rest }: Omit<ComponentProps<'a'>, 'href'> & { to: string }) => {
  const router = useRouter();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    event.preventDefault();
    router.history.push(to);
  };
  return <a {...rest} href={to} onClick={follow} />;
};

/** Goes to a path of the console. */
export const useGo = (): ((to: string) => void) => {
  const router = useRouter();
  return (to) => router.history.push(to);
};
