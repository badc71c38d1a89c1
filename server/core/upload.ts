import { createHash } from 'node:crypto';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { Upload } from '#contract/uploads.ts';
import { Fault, fault } from './fault.ts';

/**
 * The fields and files of a multipart form; any other body is returned unchanged. Throws `upload.tooLarge`,
 * or `request.tooLarge` for other content than images.
 */
export const readForm = async (request: FastifyRequest, fileBytes?: number): Promise<unknown> => {
  if (!request.isMultipart()) return request.body ?? {};
  try {
    return await readParts(request, fileBytes);
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (!isTooLarge(error)) return fault('request.malformed');
    return fault(fileBytes === undefined ? tooLargeFault(error.part.filename) : 'request.tooLarge');
  }
};

/** Thrown by the file while it is read, or by the form if its last byte has already been read. */
const isTooLarge = (error: unknown): error is { part: MultipartFile } =>
  error instanceof Error && 'code' in error && error.code === 'FST_REQ_FILE_TOO_LARGE' && 'part' in error;
const tooLargeFault = (name: string) => (/\.xlsx?$/i.test(name) ? 'request.tooLarge' : 'upload.tooLarge');

const readParts = async (request: FastifyRequest, fileBytes: number | undefined): Promise<unknown> => {
  const form: Record<string, unknown> = {};
  const limits = fileBytes === undefined ? undefined : { limits: { fileSize: fileBytes } };
  for await (const part of request.parts(limits)) {
    if (part.type === 'field') {
      if (part.valueTruncated) fault('request.tooLarge');
      form[part.fieldname] = part.value;
      continue;
    }
    const content = await part.toBuffer();
    const sha256 = createHash('sha256').update(content).digest('hex');
    const file: Upload = {
      name: part.filename,
      content,
      sha256,
      toJSON: () => ({ name: part.filename, bytes: content.length, sha256 }),
    };
    form[part.fieldname] = file;
  }
  return form;
};
