import { Modal } from 'antd';
import { useTranslation } from 'react-i18next';

export interface RowOutcome {
  id: number;
  result: 'done' | 'skipped' | 'denied';
  reason?: string | undefined;
}

/** The result of each row of a batch: the number of each outcome, and every failed row with its reason. */
export const BatchResult = ({
  outcomes,
  nameOf,
  reasonOf,
  isDelete = false,
  onClose,
}: {
  outcomes: readonly RowOutcome[] | null;
  nameOf: (id: number) => string;
  reasonOf: (reason: string) => string;
  /** The title says that a delete failed if no row was deleted. */
  isDelete?: boolean;
  onClose: () => void;
}) => {
  const { t } = useTranslation('common');
  const count = (result: RowOutcome['result']) =>
    (outcomes ?? []).filter((each) => each.result === result).length;
  const title =
    isDelete && count('done') === 0 ? t(($) => $.results.deleteFailed) : t(($) => $.results.title);
  const failed = (outcomes ?? []).filter(({ result }) => result !== 'done');
  return (
    <Modal open={outcomes !== null} onCancel={onClose} footer={null} title={title}>
      <p className="tabular">
        {t(($) => $.results.done, { count: count('done') })} ·{' '}
        {t(($) => $.results.skipped, { count: count('skipped') })} ·{' '}
        {t(($) => $.results.denied, { count: count('denied') })}
      </p>
      <ul className="plain-list result-list">
        {failed.map(({ id, result, reason }) => (
          <li key={id}>
            <span>{nameOf(id)}</span>
            <span className="soft">{reason ? reasonOf(reason) : t(($) => $.results.result[result])}</span>
          </li>
        ))}
      </ul>
    </Modal>
  );
};
