import type { CSSProperties, ReactNode } from 'react';

export interface ShownFigure {
  name: string;
  value: ReactNode;
  note?: ReactNode;
}
/** The main figures of a screen, in a row. */
export const Figures = ({ figures }: { figures: readonly ShownFigure[] }) => (
  <dl
    className="energy-figures"
    style={{ '--figures': figures.length, '--half': Math.ceil(figures.length / 2) } as CSSProperties}
  >
    {figures.map(({ name, value, note }) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>
          {value}
          {note !== undefined && note !== null && <small>{note}</small>}
        </dd>
      </div>
    ))}
  </dl>
);
