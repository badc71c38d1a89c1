import { limits } from '#contract/limits.ts';
import { uploadEndpoints } from '#contract/uploads.ts';
import { fault } from '#server/core/fault.ts';
import type { Serve } from '#server/core/serve.ts';
import { extensionOf, imageFiles, imageKind, isWholeImage } from './kinds.ts';
import { isShowable, sizeOf, withoutMetadata } from './metadata.ts';
import { uploadStore } from './uploads.store.ts';

const cacheSeconds = 30 * 24 * 3600;

export const uploadRoutes = (serve: Serve): void => {
  serve(uploadEndpoints.image, async ({ db, caller, body, now, note }) => {
    const { file } = body;
    if (file.content.length > limits.imageBytes) fault('upload.tooLarge');
    const kind = imageKind(file.content);
    if (kind === null) return fault('request.invalid', { fields: { file: 'upload.notImage' } });
    const { called, extensions } = imageFiles[kind];
    const extension = extensionOf(file.name);
    if (extension !== null && !extensions.includes(extension))
      fault('request.invalid', {
        fields: { file: 'upload.extension' },
        with: { kind: called, extension },
      });
    if (!isWholeImage(kind, file.content)) fault('request.invalid', { fields: { file: 'upload.broken' } });
    if (!isShowable(sizeOf(kind, file.content)))
      fault('request.invalid', { fields: { file: 'upload.dimensions' } });
    const content = withoutMetadata(kind, file.content);
    const id = await uploadStore(db).keep(content, kind, caller.userId, new Date(now));
    note({ image_id: id });
    return { image_id: id, media_type: kind, bytes: content.length };
  });
  serve(uploadEndpoints.get, async ({ db, caller, body, request, reply }) => {
    const file = await uploadStore(db).get(caller, body.id);
    const tag = `"${file.sha256.toString('base64url')}"`;
    reply
      .header('cache-control', `private, max-age=${cacheSeconds}, immutable`)
      .header('etag', tag)
      .header('vary', 'Authorization, Cookie, usertoken');
    if (request.headers['if-none-match'] === tag) return reply.status(304).send();
    return reply
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('content-disposition', 'inline')
      .type(file.media_type)
      .send(file.content);
  });
};
