import * as z from 'zod';
import type { Db } from '#database/connect.ts';

const schema = z.object({
  /** Signing in ends the user's other sessions. */
  singleSession: z.boolean().catch(false),
  /** The console blocks the browser's zoom shortcuts. */
  blockZoom: z.boolean().catch(true),
});

/** The row `session` of the settings; a value that is missing or of another kind is the default. */
export const sessionSettings = async (db: Db): Promise<z.output<typeof schema>> => {
  const row = await db.selectFrom('settings').select('value').where('key', '=', 'session').executeTakeFirst();
  const given = z.record(z.string(), z.unknown()).safeParse(row?.value);
  return schema.parse({
    singleSession: undefined,
    blockZoom: undefined,
    ...(given.success ? given.data : {}),
  });
};
