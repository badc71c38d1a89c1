import type { ReplyOf } from '#contract/endpoint.ts';
import type { noticeEndpoints } from '#contract/notices.ts';
import type { Db } from '#database/connect.ts';

type Popup = ReplyOf<typeof noticeEndpoints.popup>;
const unless: Popup = { enabled: true, levels: [], typeNumbers: [], sound: 'soft', seconds: 10 };

export const popupStore = (db: Db, userId: number) => ({
  async read(): Promise<Popup> {
    const row = await db
      .selectFrom('popup_settings')
      .selectAll()
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (!row) return unless;
    return {
      enabled: row.enabled,
      levels: row.levels,
      typeNumbers: row.codes,
      sound: row.sound === 'off' || row.sound === 'loud' ? row.sound : 'soft',
      seconds: row.seconds,
    };
  },
  async write(popup: Popup, now: number): Promise<Popup> {
    const { typeNumbers, ...rest } = popup;
    const values = { ...rest, codes: typeNumbers, updated_at: new Date(now) };
    await db
      .insertInto('popup_settings')
      .values({ user_id: userId, ...values })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
      .execute();
    return popup;
  },
});
