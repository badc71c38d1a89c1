import { deliverySheet } from '#contract/delivery-words.ts';
import { noticeSheet } from '#contract/notice-columns.ts';
import { noticeEndpoints } from '#contract/notices.ts';
import { pushEndpoints } from '#contract/push.ts';
import { browserOf } from '#server/core/browser.ts';
import { fault } from '#server/core/fault.ts';
import { needsEveryProject } from '#server/core/scope.ts';
import type { Serve } from '#server/core/serve.ts';
import { eachOf, everyRow, sendTable } from '#server/core/table.ts';
import type { Vault } from '#server/core/vault.ts';
import { estimateOf } from './estimate.ts';
import { noticeStore } from './notices.store.ts';
import { popupStore } from './popup.store.ts';
import { isPushKey, keepNewestSubscriptions } from './push.ts';
import { pushKeys, renewPushKeys } from './push-keys.ts';
import { recipientsOf } from './recipients.ts';
import { changeWays, readWays, wechatSecret } from './ways.ts';
import type { Notices } from './worker.ts';

export const noticeRoutes = (
  serve: Serve,
  { notices, vault }: { notices: Pick<Notices, 'kick'>; vault: Vault },
): void => {
  serve(noticeEndpoints.list, ({ db, caller, body }) => noticeStore(db, caller.scope, vault).list(body));
  serve(noticeEndpoints.export, (call) => {
    const { db, caller, body } = call;
    const rows = everyRow((at) => noticeStore(db, caller.scope, vault).list({ ...body, ...at, sort: 'id' }));
    return sendTable(call, noticeSheet, rows, body.project_id);
  });
  serve(noticeEndpoints.recipients, ({ db, caller, body }) => recipientsOf(db, caller.scope, body));
  serve(noticeEndpoints.add, ({ db, caller, body, language, now }) =>
    noticeStore(db, caller.scope, vault).write(null, body, { userId: caller.userId, language }, now),
  );
  serve(noticeEndpoints.estimate, ({ db, caller, body, now }) => estimateOf(db, caller.scope, body, now));
  serve(noticeEndpoints.edit, ({ db, caller, body: { id, ...body }, language, now }) =>
    noticeStore(db, caller.scope, vault).write(id, body, { userId: caller.userId, language }, now),
  );
  serve(noticeEndpoints.remove, ({ db, caller, body, now }) =>
    noticeStore(db, caller.scope, vault).remove(body.ids, now),
  );
  serve(noticeEndpoints.test, async ({ db, caller, body, now, afterCommit }) => {
    const ids = await noticeStore(db, caller.scope, vault).test(body.id, now);
    afterCommit(() => notices.kick());
    return { delivery_ids: ids };
  });
  serve(noticeEndpoints.deliveries, async ({ db, caller, body }) => ({
    list: await noticeStore(db, caller.scope, vault).deliveries(body.id, body.delivery_ids),
  }));
  serve(noticeEndpoints.exportDeliveries, async (call) => {
    const { db, caller, body } = call;
    const rows = await noticeStore(db, caller.scope, vault).deliveries(body.id, body.delivery_ids);
    return sendTable(call, deliverySheet, eachOf(rows));
  });
  serve(noticeEndpoints.popup, ({ db, caller }) => popupStore(db, caller.userId).read());
  serve(noticeEndpoints.setPopup, ({ db, caller, body, now }) =>
    popupStore(db, caller.userId).write(body, now),
  );
  serve(noticeEndpoints.ways, async ({ db, now }) => {
    const ways = await readWays(db);
    const { privateKey } = await pushKeys(db, vault, now);
    const { app_id, template_id, fields, base_url, private_targets, language } = ways;
    const secret = {
      has_secret: ways.sealed_secret !== '',
      secret_unreadable: wechatSecret(vault, ways) === null,
    };
    return {
      wechat: { app_id, template_id, fields, base_url, ...secret },
      push_key_unreadable: privateKey === null,
      private_targets,
      language,
    };
  });
  serve(noticeEndpoints.setWays, async ({ db, caller, body, now }) => {
    needsEveryProject(caller.scope);
    await changeWays(db, vault, body, now);
    return {};
  });
  serve(noticeEndpoints.renewPushKeys, async ({ db, caller, now, emit }) => {
    needsEveryProject(caller.scope);
    if ((await pushKeys(db, vault, now)).privateKey !== null) fault('push.keysInUse');
    const userIds = await renewPushKeys(db, vault, now);
    emit('message.posted', { userIds });
    return { users: userIds.length };
  });

  serve(pushEndpoints.key, async ({ db, caller, now }) => {
    const { publicKey } = await pushKeys(db, vault, now);
    const subscriptions = await db
      .selectFrom('push_subscriptions')
      .where('user_id', '=', caller.userId)
      .select('token_hash')
      .execute();
    const follower = await db
      .selectFrom('wechat_followers')
      .select('user_id')
      .where('user_id', '=', caller.userId)
      .executeTakeFirst();
    return {
      key: publicKey,
      subscriptions: subscriptions.length,
      here: subscriptions.some(({ token_hash }) => token_hash?.equals(caller.tokenHash)),
      wechat: follower !== undefined,
    };
  });
  serve(pushEndpoints.subscribe, async ({ db, caller, body, now, request }) => {
    if (!isPushKey(body.keys)) fault('request.invalid', { fields: { keys: 'push.keys' } });
    const values = {
      user_id: caller.userId,
      p256dh: body.keys.p256dh,
      auth: body.keys.auth,
      agent: String(request.headers['user-agent'] ?? '').slice(0, 300),
      token_hash: caller.tokenHash,
      browser_hash: browserOf(request),
      created_at: new Date(now),
    };
    await db
      .insertInto('push_subscriptions')
      .values({ endpoint: body.endpoint, ...values })
      .onConflict((conflict) => conflict.column('endpoint').doUpdateSet(values))
      .execute();
    await keepNewestSubscriptions(db, caller.userId);
    return {};
  });
  serve(pushEndpoints.unsubscribe, async ({ db, caller, body }) => {
    await db
      .deleteFrom('push_subscriptions')
      .where('user_id', '=', caller.userId)
      .where('endpoint', '=', body.endpoint)
      .execute();
    return {};
  });
  serve(pushEndpoints.wechat, async ({ db, caller, body, now }) => {
    if (body.openid === '')
      await db.deleteFrom('wechat_followers').where('user_id', '=', caller.userId).execute();
    else {
      const values = { openid: body.openid, bound_at: new Date(now) };
      await db
        .insertInto('wechat_followers')
        .values({ user_id: caller.userId, ...values })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
        .execute();
    }
    return {};
  });
};
