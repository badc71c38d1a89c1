import type { Client, World } from './world.ts';

/** Uploads a file to the device import as a form does. */
export const sendDevices = async (
  world: Pick<World, 'app'>,
  by: Client,
  content: Uint8Array,
  { preview = false, language = 'en' }: { preview?: boolean; language?: string } = {},
) => {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(content)]), 'devices.xlsx');
  form.append('preview', String(preview));
  const request = new Request('http://x', { method: 'POST', body: form });
  const response = await world.app.inject({
    method: 'POST',
    url: '/device/import',
    payload: Buffer.from(await request.arrayBuffer()),
    headers: {
      'content-type': request.headers.get('content-type')!,
      authorization: by.token,
      'accept-language': language,
    },
  });
  return { status: response.statusCode, data: response.json().data };
};
