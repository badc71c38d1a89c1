import { useTranslation } from 'react-i18next';
import type { FilterField } from '#web/parts/filter-types.ts';

/** The filters for a project's lines. */
export const useLineFields = (): readonly FilterField[] => {
  const { t } = useTranslation('lines');
  const { t: tc } = useTranslation('common');
  const yes = (name: string, label: string): FilterField => ({
    kind: 'choice',
    name,
    label,
    options: [{ value: 'true', label }],
  });
  return [
    { kind: 'text', name: 'text', label: t(($) => $.table.text), primary: true },
    {
      kind: 'choice',
      name: 'state',
      label: t(($) => $.table.position),
      options: [
        ...(['closed', 'open', 'unknown'] as const).map((value) => ({
          value,
          label: tc(($) => $.position[value]),
        })),
        { value: 'meter', label: t(($) => $.measured) },
      ],
    },
    {
      kind: 'choice',
      name: 'alarm',
      label: t(($) => $.table.activeAlarms),
      options: [
        { value: 'any', label: t(($) => $.table.anyAlarm) },
        { value: 'alarm', label: t(($) => $.table.onlyAlarm) },
      ],
    },
    yes(
      'tripped',
      t(($) => $.table.tripped),
    ),
    yes(
      'tagged',
      t(($) => $.table.tagged),
    ),
    yes(
      'stale',
      t(($) => $.table.stale),
    ),
  ];
};
