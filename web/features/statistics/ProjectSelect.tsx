import { Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { useProjectChoice } from '#web/parts/use-project-choice.ts';

/** One project of those in scope, found by a part of its name. */
export const ProjectSelect = ({
  value,
  onChange,
}: {
  value: number | undefined;
  onChange: (id: number) => void;
}) => {
  const { t } = useTranslation('statistics');
  const { select } = useProjectChoice(value);
  return (
    <Select
      {...select}
      className="energy-project"
      aria-label={t(($) => $.pickProject)}
      placeholder={t(($) => $.pickProject)}
      onChange={(id: number | null) => id !== null && onChange(id)}
    />
  );
};
