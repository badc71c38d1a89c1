import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useCan } from '#web/api/session.ts';
import type { Selection } from '#web/parts/table/types.ts';

/** Whether the reader can act on several alarms at once. */
export const useCanBulk = (): boolean => {
  const rights = [useCan('alarm.handle'), useCan('alarm.urge'), useCan('alarm.delete')];
  return rights.some(Boolean);
};

/** Actions on the selected alarms. */
export const AlarmBulk = ({
  selection,
  isShelf,
  onHandle,
  onShelve,
  onUnshelve,
  onUrge,
  onDelete,
}: {
  selection: Selection;
  /** The list shows the shelved alarms. */
  isShelf: boolean;
  onHandle: () => void;
  onShelve: (ids: readonly number[]) => void;
  onUnshelve: (ids: readonly number[]) => void;
  onUrge: () => void;
  onDelete: () => void;
}) => {
  const { t } = useTranslation('alarms');
  const [canHandle, canUrge, canDelete] = [
    useCan('alarm.handle'),
    useCan('alarm.urge'),
    useCan('alarm.delete'),
  ];
  return (
    <>
      {canHandle && (
        <Button type="primary" onClick={onHandle}>
          {t(($) => $.handle.act)}
        </Button>
      )}
      {canHandle &&
        selection.kind === 'rows' &&
        (isShelf ? (
          <Button onClick={() => onUnshelve(selection.ids)}>{t(($) => $.shelve.back)}</Button>
        ) : (
          <Button onClick={() => onShelve(selection.ids)}>{t(($) => $.shelve.act)}</Button>
        ))}
      {canUrge && <Button onClick={onUrge}>{t(($) => $.urge.act)}</Button>}
      {canDelete && (
        <Button danger onClick={onDelete}>
          {t(($) => $.remove.act)}
        </Button>
      )}
    </>
  );
};
