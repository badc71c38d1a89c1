import * as z from 'zod';
import type { Db } from '#database/connect.ts';
import { readSetting } from '#server/core/settings.ts';

const seconds = (least: number, most: number) => z.number().min(least).max(most);
const schema = z.object({
  /** How long an open or close may wait for its answer. */
  switchExpiryS: seconds(5, 120).catch(30),
  /** The same for every other command. */
  otherExpiryS: seconds(10, 3600).catch(600),
  /** How long proof may take after the answer. */
  evidenceS: seconds(5, 120).catch(15),
});
export type ControlSettings = z.output<typeof schema>;

/** The row `control` of the settings; a value that is missing or out of bounds is the default. */
export const controlSettings = async (db: Db): Promise<ControlSettings> => {
  const given = z.record(z.string(), z.unknown()).safeParse(await readSetting(db, 'control'));
  return schema.parse({
    switchExpiryS: undefined,
    otherExpiryS: undefined,
    evidenceS: undefined,
    ...(given.success ? given.data : {}),
  });
};
