import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import { SessionsTab } from '#web/features/profile/SessionsTab.tsx';
import { profile } from '#web/features/profile/words/en-US.ts';
import { UserSessions } from '#web/features/users/UserSessions.tsx';
import { users } from '#web/features/users/words/en-US.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';

afterEach(cleanup);

const at = '2026-11-01T08:00:00Z';
const sessions = [
  { id: 'mine', current: true, created_at: at, seen_at: at, address: '192.0.2.1', agent: 'Firefox' },
  { id: 'other', current: false, created_at: at, seen_at: at, address: '192.0.2.2', agent: 'Safari' },
];
const lists: readonly [who: string, list: ReactNode, acts: number, path: string, body: object][] = [
  ['the reader', <SessionsTab key="own" />, 1, '/sign_user/end_session', { id: 'other' }],
  [
    'a user',
    <UserSessions key="user" userId={7} name="Li Wei" onClose={() => undefined} />,
    2,
    '/user/end_session',
    { user_id: 7, id: 'other' },
  ],
];

test.each(lists)(
  'the sessions of %s show address, browser and the own one, and one can be ended',
  async (_who, list, acts, path, body) => {
    const stage = await setStage({
      words: { profile, users, common },
      replies: { '/sign_user/sessions': sessions, '/user/sessions': sessions, [path]: {} },
      permissions: ['user.write'],
    });
    showAt(list);
    const rows = await screen.findAllByRole('listitem');
    expect(rows.map((row) => /^192\.0\.2\.\d/.exec(row.textContent ?? '')?.[0])).toEqual([
      '192.0.2.1',
      '192.0.2.2',
    ]);
    expect(rows[0]?.textContent).toContain(
      path.startsWith('/user/') ? users.session.current : profile.sessions.current,
    );
    expect(rows[1]?.textContent).toContain('Safari');
    expect(rows.flatMap((row) => within(row).queryAllByRole('button'))).toHaveLength(acts);
    fireEvent.click(within(rows[1]!).getByRole('button'));
    await waitFor(() => expect(stage.sent(path)).toEqual([body]));
  },
);
