import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { Fault } from '#web/api/fault.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { useProof } from './use-proof.tsx';
import { common } from './words/en-US.ts';

const given: (string | undefined)[] = [];
const Act = () => {
  const prove = useProof();
  const run = async (password?: string) => {
    given.push(password);
    if (password === undefined)
      throw new Fault(409, 'Enter your password', { status: 409, reason: 'password_needed' });
  };
  return (
    <button type="button" onClick={() => void prove(run)}>
      Go on
    </button>
  );
};
afterEach(cleanup);

test('Enter in the field of the password confirms, as the button does', async () => {
  await setStage({ words: { common }, replies: {} });
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  showAt(<Act />);
  await user.click(await screen.findByRole('button', { name: 'Go on' }));
  await user.type(await screen.findByLabelText(common.proof.password), 'abc12345{Enter}');
  await waitFor(() => expect(given).toEqual([undefined, 'abc12345']));
});
