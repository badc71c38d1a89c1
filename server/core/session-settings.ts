import * as z from 'zod';
import { limits } from '#contract/limits.ts';
import { passwordPolicies } from '#contract/passwords.ts';
import type { Db } from '#database/connect.ts';
import { readSetting } from './settings.ts';

const schema = z.object({
  /** Signing in ends the user's other sessions. */
  singleSession: z.boolean().catch(false),
  /** The console blocks the browser's zoom shortcuts. */
  blockZoom: z.boolean().catch(true),
  /** `classic`: 6 to 12 digits and letters; `strong`: 8 to 64 of any characters, no common password. */
  passwordPolicy: z.enum(passwordPolicies).catch('classic'),
  /** Closing asks for the password again when it was last given longer ago than this. */
  freshMinutes: z
    .number()
    .min(0)
    .max(1440)
    .catch(limits.freshSignInMs / 60_000),
});

/** The row `session` of the settings; a value that is missing or of another kind is the default. */
export const sessionSettings = async (db: Db): Promise<z.output<typeof schema>> => {
  const given = z.record(z.string(), z.unknown()).safeParse(await readSetting(db, 'session'));
  return schema.parse({
    singleSession: undefined,
    blockZoom: undefined,
    freshMinutes: undefined,
    passwordPolicy: undefined,
    ...(given.success ? given.data : {}),
  });
};
