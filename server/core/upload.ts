import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Upload } from '#contract/uploads.ts';
import { Fault, fault } from './fault.ts';

/** The fields and files of a multipart form; another body is given as it is. Throws `upload.tooLarge`. */
export const readForm = async (request: FastifyRequest): Promise<unknown> => {
  if (!request.isMultipart()) return request.body ?? {};
  try {
    return await readParts(request);
  } catch (error) {
    if (error instanceof Fault) throw error;
    return fault('request.malformed');
  }
};

const readParts = async (request: FastifyRequest): Promise<unknown> => {
  const form: Record<string, unknown> = {};
  for await (const part of request.parts()) {
    if (part.type === 'field') {
      form[part.fieldname] = part.value;
      continue;
    }
    const content = await part.toBuffer().catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'FST_REQ_FILE_TOO_LARGE')
        return fault('upload.tooLarge');
      throw error;
    });
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
