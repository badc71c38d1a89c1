import { expect, it } from 'vitest';
import type * as z from 'zod';
import { endpoints } from './endpoints.ts';

const file = { name: 'x', content: new Uint8Array([1]), sha256: '0'.repeat(64) };
const rows = [{ number: 'PASTED01' }];
const version = { mac_type: 3, mac_name: 'x', appVersion: '1.0', platformVersion: '1', signature: 'x' };
const setting = { settings: [{ key: 'il_w', value: 20 }], revision: 1, expected: 1 };
const named = { user: 'someone', pwd: 'Secret-12345' };

it.each<[string, object, string[]]>([
  ['/device/import', { text: 'PASTED01', rows }, ['rows', 'text']],
  ['/device/import', { text: '', rows }, ['rows', 'text']],
  ['/device/import', { file, rows }, ['file', 'rows']],
  ['/device/import', { file, text: 'PASTED01' }, ['file', 'text']],
  ['/device_warning/toPush', { id: 1, ids: [2] }, ['id', 'ids']],
  ['/device_warning/del_war', { id: 1, filter: {} }, ['filter', 'id']],
  ['/device_warning/del_war', { id: 1, ids: [2], filter: {} }, ['filter', 'id', 'ids']],
  ['/device/device_set', { ...setting, device_id: 1, device_ids: [2] }, ['device_id', 'device_ids']],
  [
    '/device/device_set',
    { ...setting, device_id: 1, device_ids: [2], filter: {} },
    ['device_id', 'device_ids', 'filter'],
  ],
  ['/version/add_version', { ...version, file, appUrl: 'https://x.example.org/a' }, ['appUrl', 'file']],
  ['/system_message/getRed', { all: true, ids: [1] }, ['all', 'ids']],
  ['/system_message/getRed', { all: true, type: 'alarm' }, ['all', 'type']],
  ['GET /sign_user/signin', { ...named, username: 'other' }, ['user', 'username']],
  ['GET /sign_user/signin', { ...named, password: 'other' }, ['password', 'pwd']],
])('%s refuses, at each of them, fields of which it would ignore all but one: %j', (path, body, fields) => {
  const [method, address] = path.startsWith('GET ') ? ['GET', path.slice(4)] : ['POST', path];
  const endpoint = endpoints.find((one) => one.path === address && one.method === method)!;
  const { error } = endpoint.body.safeParse(body) as { error?: z.ZodError };
  const found = error?.issues.filter(({ message }) => message === 'field.onlyOne') ?? [];
  expect(found.map((issue) => issue.path.join('.')).sort()).toEqual(fields);
});

it('two names of one field may be given with the same value', () => {
  const signIn = endpoints.find(({ path, method }) => path === '/sign_user/signin' && method === 'GET')!;
  expect(signIn.body.safeParse({ ...named, username: named.user, password: named.pwd }).success).toBe(true);
});
