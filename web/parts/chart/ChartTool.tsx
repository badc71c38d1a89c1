import { Button, Tooltip } from 'antd';
import type { ReactNode } from 'react';

/** A small button above a chart; `of` distinguishes it from those of other charts for screen readers. */
export const ChartTool = ({
  label,
  of,
  icon,
  onAct,
}: {
  label: string;
  of: string;
  icon: ReactNode;
  onAct: () => void;
}) => (
  <Tooltip title={label}>
    <Button type="text" size="small" icon={icon} aria-label={`${label}: ${of}`} onClick={onAct} />
  </Tooltip>
);
