export type FilterField =
  | { kind: 'text'; name: string; label: string; primary?: boolean }
  | {
      kind: 'choice';
      name: string;
      label: string;
      options: readonly { value: string; label: string }[];
      searchable?: boolean;
    }
  | { kind: 'project'; name: string; label: string }
  | {
      kind: 'range';
      from: string;
      to: string;
      label: [string, string];
      presets?: { label: string; days: number }[];
    };
/** The names in the address that a field sets. */
export const namesOf = (field: FilterField): readonly string[] =>
  field.kind === 'range' ? [field.from, field.to] : [field.name];
export type FilterValues = Readonly<Record<string, string | number | boolean | undefined>>;
/** A choice among known values, each with its word. */
export const choiceOf = <Value extends string>(
  name: string,
  label: string,
  values: readonly Value[],
  wordOf: (value: Value) => string,
): FilterField => ({
  kind: 'choice',
  name,
  label,
  options: values.map((value) => ({ value, label: wordOf(value) })),
});
