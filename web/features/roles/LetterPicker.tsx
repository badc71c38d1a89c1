import { Checkbox } from 'antd';
import { useTranslation } from 'react-i18next';
import { type Letter, letters } from '#contract/permissions.ts';

/** The letters in the groups of the menu. */
const groups = {
  supervision: ['A', 'B', 'C', 'D'],
  configuration: ['E', 'F', 'J'],
  people: ['G', 'H', 'I'],
  system: ['K', 'L', 'M', 'N'],
} as const satisfies Record<string, readonly Letter[]>;

/** The list of a role's permissions: in groups, each with a box that selects everything in it. */
export const LetterPicker = ({
  value = [],
  onChange,
  grantable,
  disabled = false,
  id,
}: {
  value?: readonly Letter[];
  onChange?: (chosen: Letter[]) => void;
  /** Letters that the reader has: a user cannot grant others. */
  grantable: readonly Letter[];
  disabled?: boolean;
  id?: string;
}) => {
  const { t } = useTranslation('roles');
  const put = (some: readonly Letter[], on: boolean) => {
    const may = some.filter((letter) => grantable.includes(letter));
    onChange?.(letters.filter((letter) => (may.includes(letter) ? on : value.includes(letter))));
  };
  const box = (some: readonly Letter[], label: string) => {
    const chosen = some.filter((letter) => value.includes(letter)).length;
    return (
      <Checkbox
        checked={chosen === some.length}
        indeterminate={chosen > 0 && chosen < some.length}
        disabled={disabled || !some.some((letter) => grantable.includes(letter))}
        onChange={(event) => put(some, event.target.checked)}
      >
        {label}{' '}
        <span className="soft tabular">{t(($) => $.chosen, { count: chosen, total: some.length })}</span>
      </Checkbox>
    );
  };
  return (
    <div className="letter-picker" {...(id === undefined ? {} : { id })}>
      {box(
        letters,
        t(($) => $.everything),
      )}
      {(Object.keys(groups) as (keyof typeof groups)[]).map((group) => (
        <fieldset key={group}>
          <legend>{t(($) => $.group[group])}</legend>
          {box(
            groups[group],
            t(($) => $.all, { group: t(($) => $.group[group]) }),
          )}
          {groups[group].map((letter) => (
            <Checkbox
              key={letter}
              className="letter"
              checked={value.includes(letter)}
              disabled={disabled || !grantable.includes(letter)}
              {...(grantable.includes(letter) ? {} : { title: t(($) => $.beyond) })}
              onChange={(event) => put([letter], event.target.checked)}
            >
              <strong>{letter}</strong> {t(($) => $.letter[letter])}
            </Checkbox>
          ))}
        </fieldset>
      ))}
    </div>
  );
};
