import { useTranslation } from 'react-i18next';
import { type Letter, letters } from '#contract/permissions.ts';
import { useFormats } from '#web/i18n/format.ts';

/** The permissions of a role by name; the letters and what each permits are in the hint. */
export const RoleLetters = ({ held }: { held: readonly Letter[] }) => {
  const { t } = useTranslation('roles');
  const { list } = useFormats();
  if (held.length === 0) return '—';
  return (
    <span title={held.map((letter) => `${letter} · ${t(($) => $.letter[letter])}`).join('\n')}>
      {held.length === letters.length
        ? t(($) => $.allLetters)
        : list(held.map((letter) => t(($) => $.letterName[letter])))}
    </span>
  );
};
