import { Button } from 'antd';
import type { RowAct } from './RowActs.tsx';
import type { Selection } from './types.ts';

/** The act that removes a row. */
export const removeAct = (label: string, onClick: () => void): RowAct => ({
  key: 'remove',
  label,
  onClick,
  danger: true,
});

/** Removes the selected rows and then ends the selection. */
export const RemoveSelected = ({
  selection,
  clear,
  label,
  onRemove,
}: {
  selection: Selection;
  clear: () => void;
  label: string;
  onRemove: (ids: readonly number[]) => Promise<void>;
}) =>
  selection.kind === 'rows' && (
    <Button danger onClick={() => void onRemove(selection.ids).then(clear)}>
      {label}
    </Button>
  );
