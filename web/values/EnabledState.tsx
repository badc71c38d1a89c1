import { CheckOutlined, PauseOutlined } from '@ant-design/icons';
import type { ReactNode } from 'react';

/** Whether a row is in use, by a sign and the words of its feature; `more` follows those of one in use. */
export const EnabledState = ({
  status,
  words,
  more,
}: {
  status: 'enabled' | 'disabled';
  words: string;
  more?: ReactNode;
}) =>
  status === 'enabled' ? (
    <span className="nowrap">
      <CheckOutlined aria-hidden /> {words}
      {more}
    </span>
  ) : (
    <span className="nowrap soft">
      <PauseOutlined aria-hidden /> {words}
    </span>
  );
