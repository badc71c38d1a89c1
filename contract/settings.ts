import * as z from 'zod';
import { endpoint, instant, nothing } from './endpoint.ts';
import { limits } from './limits.ts';
import { passwordPolicies } from './passwords.ts';
import { phoneFormats } from './people.ts';
import { isSafeTileAddress, tileDatums } from './tiles.ts';

/** Unit of a whole number. */
type SettingUnit = 's' | 'min' | 'day';
export type SettingDefinition =
  | { readonly kind: 'flag'; readonly default: boolean }
  | {
      readonly kind: 'whole';
      readonly default: number;
      readonly min: number;
      readonly max: number;
      readonly unit: SettingUnit;
    }
  | { readonly kind: 'choice'; readonly default: string; readonly choices: readonly string[] }
  | { readonly kind: 'text'; readonly default: string; readonly max: number; readonly form: TextForm };
/** `tiles`: a tile address that passes `isSafeTileAddress`; `line`: any text. */
type TextForm = 'tiles' | 'line';

const flag = (standard: boolean) => ({ kind: 'flag', default: standard }) as const;
const whole = (standard: number, min: number, max: number, unit: SettingUnit) =>
  ({ kind: 'whole', default: standard, min, max, unit }) as const;
const choice = <const Choice extends string>(standard: NoInfer<Choice>, choices: readonly Choice[]) =>
  ({ kind: 'choice', default: standard, choices }) as const;

/** Text, empty by default. */
const text = (form: TextForm, max: number) => ({ kind: 'text', default: '', form, max }) as const;

/**
 * Every setting of the installation that an administrator may change at run time, by group. A group is one
 * row of the table `settings`. `web/features/system/words` explains them in three languages.
 */
export const installationSettings = {
  session: {
    /** Signing in ends the user's other sessions. */
    singleSession: flag(false),
    /** `classic`: 6 to 12 digits and letters; `strong`: 8 to 64 of any characters, no common password. */
    passwordPolicy: choice('classic', passwordPolicies),
    /** How phone numbers are validated. */
    phoneFormat: choice('eleven', phoneFormats),
    /** Closing asks for the password again if it was last given longer ago than this. */
    freshMinutes: whole(limits.freshSignInMs / 60_000, 0, 1440, 'min'),
    /** The console blocks the browser's zoom shortcuts. */
    blockZoom: flag(true),
  },
  control: {
    /** How long an open or close may wait for its answer. */
    switchExpiryS: whole(30, 5, 120, 's'),
    /** How long any other command may wait for its answer. */
    otherExpiryS: whole(600, 10, 3600, 's'),
    /** How long proof may take after the answer. */
    evidenceS: whole(15, 5, 120, 's'),
    /**
     * After which trips a line stays open until its inspection is recorded. `grave`:
     * contract/alarm-traits.ts.
     */
    inspectAfter: choice('grave', ['never', 'grave', 'any']),
  },
  retention: {
    /** Readings, minutes and the alarm log; hours and days are kept forever. */
    readingsDays: whole(90, 30, 3650, 'day'),
    /** Deliveries: who was notified of an alarm, how and when. */
    deliveriesDays: whole(400, 90, 3650, 'day'),
    /** Read messages; unread ones are kept four times as long. */
    messagesDays: whole(90, 30, 3650, 'day'),
  },
  /** Street tiles; the server's variables `MAP_TILE_…` come first. */
  map: {
    /** With {z}, {x} and {y}; empty: the offline map. The content security policy allows its host. */
    tileUrl: text('tiles', 500),
    tileCrs: choice('wgs84', tileDatums),
    tileAttribution: text('line', 200),
  },
} as const satisfies Record<string, Record<string, SettingDefinition>>;

type Groups = typeof installationSettings;
export type SettingGroup = keyof Groups;
type ValueOf<Definition> = Definition extends { kind: 'flag' }
  ? boolean
  : Definition extends { kind: 'whole' }
    ? number
    : Definition extends { choices: readonly (infer Choice)[] }
      ? Choice
      : Definition extends { kind: 'text' }
        ? string
        : never;
export type SettingValues<Group extends SettingGroup> = {
  [Name in keyof Groups[Group]]: ValueOf<Groups[Group][Name]>;
};
/** Name of a setting: group and name, such as `control.evidenceS`. */
export type SettingName = {
  [Group in SettingGroup]: `${Group}.${Extract<keyof Groups[Group], string>}`;
}[SettingGroup];

export const settingGroups = Object.keys(installationSettings) as SettingGroup[];
export const settingNames = settingGroups.flatMap((group) =>
  Object.keys(installationSettings[group]).map((name) => `${group}.${name}` as SettingName),
);
export const definitionOf = (name: SettingName): SettingDefinition => {
  const [group, own] = name.split('.') as [SettingGroup, string];
  return (installationSettings[group] as Readonly<Record<string, SettingDefinition>>)[own]!;
};

/** The schema of a setting's value, as stored and as sent. */
export const settingSchema = (definition: SettingDefinition): z.ZodType<boolean | number | string> => {
  if (definition.kind === 'flag') return z.boolean();
  if (definition.kind === 'whole') return z.int().min(definition.min).max(definition.max);
  if (definition.kind === 'text')
    return z
      .string()
      .trim()
      .max(definition.max)
      .refine((given) => definition.form === 'line' || given === '' || isSafeTileAddress(given));
  return z.enum(definition.choices as readonly [string, ...string[]]);
};

const value = z.union([z.boolean(), z.number(), z.string().max(1000)]);
const settingRow = z.object({
  name: z.enum(settingNames as [SettingName, ...SettingName[]]),
  kind: z.enum(['flag', 'whole', 'choice', 'text']),
  value,
  default: value,
  min: z.number().nullable(),
  /** For a text: its greatest length. */
  max: z.number().nullable(),
  unit: z.enum(['s', 'min', 'day']).nullable(),
  choices: z.array(z.string()).nullable(),
  /** The server's variable that decides the value instead: it cannot be changed here. */
  variable: z.string().nullable(),
  /** Null: it was never changed. */
  changed_at: instant.nullable(),
  changed_by: z.string().nullable(),
});
export type SettingRow = z.output<typeof settingRow>;
const name = settingRow.shape.name;

export const settingsEndpoints = {
  list: endpoint({
    method: 'POST',
    path: '/settings/list',
    permission: 'installation.manage',
    body: nothing,
    reply: z.object({ list: z.array(settingRow) }),
  }),
  /** `value` null restores the default. Takes effect at once, on every node. */
  set: endpoint({
    method: 'POST',
    path: '/settings/set',
    permission: 'installation.manage',
    log: 'settings.set',
    body: z.strictObject({ name, value: value.nullable() }),
    reply: settingRow,
  }),
  /** The last changes of a setting, the newest first. */
  history: endpoint({
    method: 'POST',
    path: '/settings/history',
    permission: 'installation.manage',
    body: z.strictObject({ name }),
    reply: z.object({
      list: z.array(z.object({ at: instant, operator: z.string(), before: value, after: value })),
    }),
  }),
};
