import { MoreOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import Dropdown from 'antd/es/dropdown/dropdown.js';
import { useTranslation } from 'react-i18next';
import { useRoom } from '#web/theme/use-room.ts';

export interface RowAct {
  key: string;
  label: string;
  onClick: () => void;
  danger?: boolean;
}
/** A card has room for so many buttons beside the first. */
const mostInCard = 2;

/** What can be done with a row: the usual act is a button, the others are in a menu and hide no column. */
export const RowActs = ({
  name,
  first = null,
  rest,
}: {
  name: string;
  first?: RowAct | null;
  rest: readonly RowAct[];
}) => {
  const { t } = useTranslation('common');
  const isTable = useRoom('table');
  const inMenu = isTable || rest.length > mostInCard ? rest : [];
  const buttons = [...(first ? [first] : []), ...(inMenu.length === 0 ? rest : [])];
  return (
    <>
      {buttons.map(({ key, label, onClick }) => (
        <Button key={key} size="small" onClick={onClick}>
          {label}
        </Button>
      ))}
      {inMenu.length > 0 && (
        <Dropdown
          trigger={['click']}
          menu={{
            items: inMenu.map(({ key, label, onClick, danger = false }) => ({ key, label, onClick, danger })),
          }}
        >
          <Button
            size="small"
            icon={<MoreOutlined aria-hidden />}
            aria-label={t(($) => $.table.moreActions, { name })}
          />
        </Dropdown>
      )}
    </>
  );
};
