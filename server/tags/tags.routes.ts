import { builtInRoles } from '#contract/permissions.ts';
import { tagSheet } from '#contract/tag-columns.ts';
import { tagEndpoints } from '#contract/tags.ts';
import { fault } from '#server/core/fault.ts';
import { type ProvePassword, proveIdentity } from '#server/core/identity.ts';
import type { Serve } from '#server/core/serve.ts';
import { everyRow, sendTable } from '#server/core/table.ts';
import { linesCovered } from './covered.ts';
import { type TagPlace, tagStore } from './tags.store.ts';

interface TagDeps {
  provePassword: ProvePassword;
}
const noted = ({ on, projectId }: TagPlace) => ({
  projectId,
  ...('deviceId' in on ? { deviceId: on.deviceId } : {}),
});
const inFuture = (reviewAt: string | undefined, now: number): void => {
  if (reviewAt !== undefined && Date.parse(reviewAt) <= now)
    fault('tag.review', { fields: { review_at: 'tag.review' } });
};

export const tagRoutes = (serve: Serve, { provePassword }: TagDeps): void => {
  serve(tagEndpoints.list, ({ db, caller, body, now }) => tagStore(db).list(caller.scope, body, now));

  serve(tagEndpoints.export, (call) => {
    const { db, caller, body, now } = call;
    const rows = everyRow((at) => tagStore(db).list(caller.scope, { ...body, ...at }, now));
    return sendTable(call, tagSheet, rows, body.project_id);
  });

  serve(tagEndpoints.preview, async ({ db, caller, body, now }) =>
    linesCovered(db, await tagStore(db).hold(caller.scope, body), now),
  );

  serve(tagEndpoints.set, async ({ db, caller, body, now, emit, note }) => {
    inFuture(body.review_at, now);
    if (body.photo_id !== undefined) {
      const photo = await db
        .selectFrom('uploads')
        .select('created_by')
        .where('id', '=', body.photo_id)
        .executeTakeFirst();
      if (photo?.created_by !== caller.userId) fault('tag.photo', { fields: { photo_id: 'tag.photo' } });
    }
    const store = tagStore(db);
    const place = await store.hold(caller.scope, body);
    const tag = await store.add(place, caller.userId, body, now);
    note({ ...noted(place), tag_id: tag.tag_id });
    emit('tag.changed', { tagId: tag.tag_id, kind: 'set', ...place, ownerId: caller.userId });
    return { ...tag, closing: await store.closing(place), covered: await linesCovered(db, place, now) };
  });

  serve(tagEndpoints.review, async ({ db, caller, body, now, emit, note }) => {
    inFuture(body.review_at, now);
    const { tag, place } = await tagStore(db).holdTag(caller.scope, body.tag_id);
    note(noted(place));
    if (tag.owner_id !== caller.userId) fault('tag.notYours');
    const changed = await tagStore(db).review(body.tag_id, body.review_at, now);
    emit('tag.changed', { tagId: body.tag_id, kind: 'set', ...place, ownerId: tag.owner_id });
    return changed;
  });

  serve(tagEndpoints.remove, async (call) => {
    const { db, caller, body, now, emit, note } = call;
    // Before the tag's row is locked, because checking a password takes time.
    if (body.password !== undefined) await proveIdentity(call, provePassword, body.password);
    const { tag, place } = await tagStore(db).holdTag(caller.scope, body.tag_id);
    note({ ...noted(place), tagged_because: tag.reason, owner: tag.owner });
    if (tag.owner_id !== caller.userId) {
      if (caller.role !== builtInRoles.admin) fault('tag.notYours');
      if (body.password === undefined || body.reason === undefined) fault('tag.password');
    }
    const removed = await tagStore(db).remove(body.tag_id, caller.userId, body.reason, now);
    emit('tag.changed', { tagId: body.tag_id, kind: 'removed', ...place, ownerId: tag.owner_id });
    return removed;
  });
};
