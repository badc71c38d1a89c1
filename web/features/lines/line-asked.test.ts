import { expect, test } from 'vitest';
import { unmetOf } from './line-asked.ts';

const asked = '2026-11-21T12:00:00.000Z';
const later = '2026-11-21T12:00:05.000Z';
const line: Parameters<typeof unmetOf>[0] = {
  state: 'closed',
  switched_at: null,
  commanded: 'open',
  commanded_at: asked,
  commanded_by: 'duty',
  acknowledged: null,
  acknowledged_at: null,
  pending: null,
};

test('a line that did not follow its last command shows that, and whether the device reported success', () => {
  expect(unmetOf(line)).toEqual({ asked: 'open', by: 'duty', at: asked, answered: false });
  expect(unmetOf({ ...line, acknowledged: 'open', acknowledged_at: later })?.answered).toBe(true);
});

test('an answer to an earlier command is not an answer to the last one', () => {
  const before = '2026-11-21T11:00:00.000Z';
  expect(unmetOf({ ...line, acknowledged: 'open', acknowledged_at: before })?.answered).toBe(false);
});

test('no mismatch is shown while the command runs, once the line followed it, or when the line moved afterwards', () => {
  const pending = {
    command_id: '22222222-2222-4222-8222-222222222222',
    action: 'open',
    state: 'sent',
    expires_at: later,
  };
  expect(unmetOf({ ...line, pending })).toBeNull();
  expect(unmetOf({ ...line, state: 'open' })).toBeNull();
  expect(unmetOf({ ...line, switched_at: later })).toBeNull();
  expect(unmetOf({ ...line, commanded: null, commanded_at: null })).toBeNull();
});

test('an unknown position contradicts no command', () => {
  expect(unmetOf({ ...line, state: 'unknown' })).toBeNull();
});
