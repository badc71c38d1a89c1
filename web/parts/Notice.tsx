import type { ReactNode } from 'react';
import { useTitle } from './use-title.ts';

/** Shown instead of a page: what happened, what it means, what to do. */
export const Notice = ({ title, text, children }: { title: string; text?: string; children?: ReactNode }) => {
  useTitle(title);
  return (
    <section className="page-notice">
      <h1 className="page-title">{title}</h1>
      {text !== undefined && <p>{text}</p>}
      {children}
    </section>
  );
};
