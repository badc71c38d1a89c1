import type { ReactNode } from 'react';

/** A named figure of an overview. */
export const Figure = ({
  label,
  children,
  note,
}: {
  label: string;
  children: ReactNode;
  note?: ReactNode;
}) => (
  <div className="figure">
    <dt>{label}</dt>
    <dd>
      {children}
      {note !== undefined && <span className="figure-note">{note}</span>}
    </dd>
  </div>
);
