import type { ReactNode } from 'react';
import { useTitle } from './use-title.ts';

/** The only h1 of a page, the content beside it, and the document's title. */
export const PageHeader = ({
  title,
  note,
  children,
}: {
  title: string;
  note?: ReactNode;
  children?: ReactNode;
}) => {
  useTitle(title);
  return (
    <div className="page-header">
      <h1 className="page-title">{title}</h1>
      {note}
      <span className="page-header-gap" />
      {children}
    </div>
  );
};
