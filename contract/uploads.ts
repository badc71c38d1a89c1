import * as z from 'zod';
import { endpoint } from './endpoint.ts';

/** A file of a multipart form, in memory; logs and hashes replace it by its name, size and digest. */
export interface Upload {
  readonly name: string;
  readonly content: Uint8Array;
  readonly sha256: string;
  toJSON(): unknown;
}
export const isUpload = (given: unknown): given is Upload =>
  typeof given === 'object' && given !== null && 'content' in given && given.content instanceof Uint8Array;

export const uploadEndpoints = {
  /** An image of at most 2 MB in the field `file`; the type is detected from its bytes. */
  image: endpoint({
    method: 'POST',
    path: '/upload/image',
    permission: 'signedIn',
    log: 'upload.image',
    upload: true,
    body: z.strictObject({ file: z.custom<Upload>(isUpload, 'upload.missing') }),
    reply: z.object({ image_id: z.uuid(), media_type: z.string(), bytes: z.int() }),
  }),
  /**
   * The image itself, for its uploader and for users whose scope contains a row that shows it. It never
   * changes.
   */
  get: endpoint({
    method: 'GET',
    path: '/upload/get',
    permission: 'signedIn',
    stream: true,
    body: z.strictObject({ id: z.uuid() }),
    reply: z.unknown(),
  }),
};
