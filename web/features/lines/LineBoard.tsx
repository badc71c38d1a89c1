import { Drawer } from 'antd';
import type { ReactNode } from 'react';
import { useFocusBack } from '#web/parts/use-focus-back.ts';
import './board.css';
import { LineTile } from './LineTile.tsx';
import type { Line } from './lines.query.ts';

/** The lines of a panel for a phone; a tapped tile opens the line's details from below. */
export const LineBoard = ({
  lines,
  uploadSeconds,
  title,
  shown,
  card,
  onShow,
  onClose,
}: {
  lines: readonly Line[];
  uploadSeconds: number;
  title: string;
  shown: Line | undefined;
  card: (line: Line) => ReactNode;
  onShow: (line: Line) => void;
  onClose: () => void;
}) => (
  <>
    <ul className="line-board" aria-label={title}>
      {lines.map((line) => (
        <LineTile key={line.line_id} line={line} uploadSeconds={uploadSeconds} onShow={() => onShow(line)} />
      ))}
    </ul>
    {shown && <Sheet title={title} card={card(shown)} onClose={onClose} />}
  </>
);

const Sheet = ({ title, card, onClose }: { title: string; card: ReactNode; onClose: () => void }) => {
  useFocusBack();
  return (
    <Drawer open rootClassName="line-sheet" placement="bottom" size="auto" title={title} onClose={onClose}>
      {card}
    </Drawer>
  );
};
