import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Modal } from 'antd';
import { type ComponentType, useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setStage, showAt } from '#web/test-stage.tsx';
import { lateDialog, useDialogsAhead } from './late-dialog.tsx';
import { useFocusBack } from './use-focus-back.ts';
import { common } from './words/en-US.ts';

interface Props {
  name: string | null;
  onClose: () => void;
}
const RenameDialog = ({ name, onClose }: Props) => {
  useFocusBack();
  return (
    <Modal open title={`Rename ${name}`} onCancel={onClose}>
      <input aria-label="New name" />
    </Modal>
  );
};

const Rename = (props: Props) => props.name !== null && <RenameDialog {...props} />;

/** Whether the server is reached, and each attempt to load: answered by the test. */
let isConnected = true;
let attempts: { come: () => void; fail: () => void }[] = [];
const load = () =>
  new Promise<ComponentType<Props>>((resolve, reject) => {
    attempts.push({
      come: () => resolve(Rename),
      fail: () => reject(new TypeError('Failed to fetch dynamically imported module')),
    });
  });
const last = async (count: number) => {
  await waitFor(() => expect(attempts).toHaveLength(count));
  return attempts[count - 1]!;
};
type Late = ReturnType<typeof lateDialog<Props>>;
const Page = ({ late: Late, ahead }: { late: Late; ahead: boolean }) => {
  const [name, setName] = useState<string | null>(null);
  useDialogsAhead(ahead && Late);
  return (
    <>
      <button type="button" onClick={() => setName('Hall')}>
        Rename
      </button>
      <Late name={name} onClose={() => setName(null)} />
    </>
  );
};
/** As after a reload: nothing of the dialog is there yet. */
const showPage = ({ ahead = false } = {}) =>
  showAt(<Page late={lateDialog(load, ({ name }) => name !== null)} ahead={ahead} />);
const opener = () => screen.findByRole('button', { name: 'Rename' });
const waiting = () => screen.findByRole('dialog', { name: 'Opening' });
const form = () => screen.findByRole('dialog', { name: 'Rename Hall' });

beforeEach(async () => {
  isConnected = true;
  attempts = [];
  await setStage({ words: { common }, replies: {} });
  vi.stubGlobal('fetch', async () => {
    if (!isConnected) throw new TypeError('Failed to fetch');
    return new Response(null);
  });
});
afterEach(cleanup);

test('while a form loads, a named dialog is shown; the form later returns the focus to where it was', async () => {
  const user = userEvent.setup();
  showPage();
  await user.click(await opener());
  const wait = await waiting();
  expect(wait.querySelector('[aria-busy="true"]')).not.toBeNull();
  (await last(1)).come();
  await form();
  expect(screen.queryByRole('dialog', { name: 'Opening' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await waitFor(async () => expect(document.activeElement).toBe(await opener()));
});

test('a form that fails to load says so, and opens at the next attempt', async () => {
  isConnected = false;
  const user = userEvent.setup();
  showPage();
  await user.click(await opener());
  (await last(1)).fail();
  const failed = await screen.findByRole('alert');
  expect(failed.textContent).toContain(common.fault.network);
  isConnected = true;
  await user.click(screen.getByRole('button', { name: common.fault.retry }));
  (await last(2)).come();
  await form();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('Escape gives up a form that failed, the focus returns, and the form can be opened again', async () => {
  isConnected = false;
  const user = userEvent.setup();
  showPage();
  await user.click(await opener());
  (await last(1)).fail();
  await screen.findByRole('alert');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(async () => expect(document.activeElement).toBe(await opener()));
  isConnected = true;
  await user.click(await opener());
  (await last(2)).come();
  await form();
});

test('a form that is cancelled while it loads does not open later', async () => {
  const user = userEvent.setup();
  showPage();
  await user.click(await opener());
  await waiting();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  (await last(1)).come();
  await user.click(await opener());
  await form();
});

test('a form that was fetched when the pointer first moved opens at once', async () => {
  const user = userEvent.setup();
  showPage({ ahead: true });
  const button = await opener();
  expect(attempts).toHaveLength(0);
  await user.hover(button);
  (await last(1)).come();
  await user.click(button);
  await form();
  expect(attempts).toHaveLength(1);
});
