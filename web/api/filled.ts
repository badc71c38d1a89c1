type Field = string | number | object | undefined;

/** The optional fields of a call that have a value: without undefined, empty texts and 0, which is no id. */
export const filled = <Fields extends Readonly<Record<string, Field>>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
