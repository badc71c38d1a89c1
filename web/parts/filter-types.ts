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
