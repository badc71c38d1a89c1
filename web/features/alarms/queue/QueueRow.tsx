import {
  CaretRightOutlined,
  CheckOutlined,
  DeleteOutlined,
  NotificationOutlined,
  PauseOutlined,
} from '@ant-design/icons';
import { memo, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmRow } from '#contract/alarms.ts';
import { useCan } from '#web/api/session.ts';
import { rowHeader } from '#web/parts/table/cell-class.ts';
import type { DataColumn } from '#web/parts/table/types.ts';

export interface RowHands {
  show: (id: number) => void;
  pick: (id: number) => void;
  handle: (id: number) => void;
  urge: (id: number) => void;
  /** Shelves or unshelves. */
  shelve: (row: AlarmRow) => void;
  remove: (id: number) => void;
}
export const rowButtonId = (id: number): string => `queue-alarm-${id}`;
const tones: Readonly<Record<number, string>> = { 1: 'is-critical', 2: 'is-high' };

/**
 * One alarm on one line: a click or Enter shows it; its actions appear on hover and focus. They are made when the
 * pointer or the keys first come to the row, because those of a whole page cost more than its texts.
 */
export const QueueRow = memo(
  ({
    row,
    columns,
    isCurrent,
    isShown,
    isPicked,
    isFirstOut,
    canPick,
    hands,
  }: {
    row: AlarmRow;
    columns: readonly DataColumn<AlarmRow>[];
    /** The row that keys act on. */
    isCurrent: boolean;
    /** Shown in the incident view. */
    isShown: boolean;
    isPicked: boolean;
    isFirstOut: boolean;
    canPick: boolean;
    hands: RowHands;
  }) => {
    const { t } = useTranslation('alarms');
    const { t: tc } = useTranslation('common');
    const [isVisited, setIsVisited] = useState(false);
    const name = (
      <button
        type="button"
        id={rowButtonId(row.id)}
        className="queue-show"
        tabIndex={isCurrent ? 0 : -1}
        aria-current={isShown ? 'true' : undefined}
        onClick={() => hands.show(row.id)}
      >
        {isFirstOut && <span className="queue-first">{t(($) => $.queue.firstOut)}</span>}
        {columns.find(({ key }) => key === 'type')?.render(row)}
      </button>
    );
    const classes = [
      'queue-row',
      row.status === 'processed' ? 'is-done' : (tones[row.severity] ?? ''),
      isCurrent ? 'is-here' : '',
      isShown ? 'is-shown' : '',
      isPicked ? 'is-picked' : '',
    ];
    return (
      <tr className={classes.filter(Boolean).join(' ')} onMouseEnter={() => setIsVisited(true)}>
        {canPick && (
          <td className="queue-pick">
            <input
              type="checkbox"
              tabIndex={-1}
              checked={isPicked}
              aria-label={tc(($) => $.table.select, { name: row.work_order })}
              onChange={() => hands.pick(row.id)}
            />
          </td>
        )}
        {columns.map((column) => (
          <td
            key={column.key}
            role={column.key === 'type' ? rowHeader : undefined}
            className={`queue-${column.key}${column.align === 'right' ? ' is-right' : ''}`}
          >
            {column.key === 'type' ? name : column.render(row)}
          </td>
        ))}
        <td className="queue-acts-cell">
          {(isVisited || isCurrent) && <RowActs row={row} isCurrent={isCurrent} hands={hands} />}
        </td>
      </tr>
    );
  },
);

const RowActs = ({ row, isCurrent, hands }: { row: AlarmRow; isCurrent: boolean; hands: RowHands }) => {
  const { t } = useTranslation('alarms');
  const [canHandle, canUrge, canDelete] = [
    useCan('alarm.handle'),
    useCan('alarm.urge'),
    useCan('alarm.delete'),
  ];
  const isOpen = row.status === 'unprocessed';
  const act = (label: string, icon: ReactNode, run: () => void, disabled = false) => (
    <button
      type="button"
      className="queue-act"
      tabIndex={isCurrent ? 0 : -1}
      title={label}
      aria-label={label}
      disabled={disabled}
      onClick={run}
    >
      {icon}
    </button>
  );
  return (
    <span className="queue-acts">
      {canHandle &&
        isOpen &&
        act(
          t(($) => $.handle.act),
          <CheckOutlined />,
          () => hands.handle(row.id),
        )}
      {canHandle &&
        isOpen &&
        row.active &&
        act(
          row.shelved ? t(($) => $.shelve.back) : t(($) => $.shelve.act),
          row.shelved ? <CaretRightOutlined /> : <PauseOutlined />,
          () => hands.shelve(row),
        )}
      {canUrge &&
        isOpen &&
        act(
          t(($) => $.urge.act),
          <NotificationOutlined />,
          () => hands.urge(row.id),
        )}
      {canDelete &&
        !isOpen &&
        act(
          row.active ? t(($) => $.remove.whyNot) : t(($) => $.remove.act),
          <DeleteOutlined />,
          () => hands.remove(row.id),
          row.active,
        )}
    </span>
  );
};
