import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { useFocusBack } from './use-focus-back.ts';

afterEach(cleanup);

const Dialog = ({ onClose }: { onClose: () => void }) => {
  useFocusBack();
  return (
    <button type="button" onClick={onClose}>
      shut
    </button>
  );
};
const Page = () => {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        ask
      </button>
      <button type="button">other</button>
      {open && <Dialog onClose={() => setOpen(false)} />}
    </>
  );
};

test('the focus returns to the element that had it before the dialog', async () => {
  render(<Page />);
  const user = userEvent.setup();
  const opener = screen.getByRole('button', { name: 'ask' });
  await user.click(opener);
  await user.click(screen.getByRole('button', { name: 'shut' }));
  await waitFor(() => expect(document.activeElement).toBe(opener));
});
