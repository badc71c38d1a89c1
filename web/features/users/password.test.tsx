import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { sentence } from '#contract/faults/codes.ts';
import { languages } from '#contract/languages.ts';
import type { UserRow } from '#contract/users.ts';
import { useSession } from '#web/api/session.ts';
import { common } from '#web/parts/words/en-US.ts';
import { type Refusal, type Stage, setStage, showAt } from '#web/test-stage.tsx';
import { PasswordReset } from './PasswordReset.tsx';
import { users } from './words/en-US.ts';

const path = '/user/reset_password';
const refusal = (status: number, data: object): Refusal => ({
  ...{ refused: true, status, code: status, msg: 'Enter your password again to confirm' },
  data,
});
const show = async (language: (typeof languages)[number], reply: object): Promise<Stage> => {
  const stage = await setStage({ language, words: { users, common }, replies: { [path]: reply } });
  useSession.setState(({ session }) => ({ session: session && { ...session, password_policy: 'classic' } }));
  showAt(<PasswordReset user={{ user_id: 7, username: 'duty' } as UserRow} onClose={() => undefined} />);
  return stage;
};
const fill = async (password: string) => {
  await screen.findByRole('dialog');
  // The value is set directly, not by keys: a dialog that is still opening takes the focus from its fields.
  for (const field of document.querySelectorAll<HTMLInputElement>('input[type=password]'))
    fireEvent.change(field, { target: { value: password } });
  fireEvent.click(screen.getByRole('button', { name: users.reset.act }));
};
afterEach(cleanup);

test.each(languages)(
  'a new password outside the policy is marked before anything is sent (%s)',
  async (language) => {
    const stage = await show(language, {});
    for (const wrong of ['short', 'abcdefgh']) {
      await fill(wrong);
      expect(await screen.findByText(sentence('password.addLength', language))).toBeTruthy();
    }
    expect(stage.sent(path)).toEqual([]);
  },
);

test('a fault of the new password is marked at its field, not at the field of the reader’s own password', async () => {
  await show('en-US', ({ own_password }: { own_password?: string }) =>
    own_password === undefined
      ? refusal(409, { reason: 'password_needed' })
      : refusal(422, { password: 'The policy is another one now' }),
  );
  await fill('abc1234');
  const own = await screen.findByLabelText<HTMLInputElement>(common.proof.password);
  fireEvent.change(own, { target: { value: 'mine12' } });
  fireEvent.submit(own.form!);
  const said = await screen.findByText('The policy is another one now');
  expect(said.className).toContain('explain-error');
});
