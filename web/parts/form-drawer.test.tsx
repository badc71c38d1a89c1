import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Form, Input } from 'antd';
import { StrictMode, useState } from 'react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setStage, showAt } from '#web/test-stage.tsx';
import { FormDrawer } from './FormDrawer.tsx';
import { common } from './words/en-US.ts';

/** A form that stays mounted while its drawer is closed, as most lists have it. */
const Page = () => {
  const [row, setRow] = useState<string | null>(null);
  const [form] = Form.useForm<{ name: string }>();
  return (
    <>
      {['Hall', 'Kitchen', ''].map((name) => (
        <button key={name} type="button" onClick={() => setRow(name)}>
          {name || 'Add'}
        </button>
      ))}
      <FormDrawer
        open={row !== null}
        title="Room"
        form={form}
        initial={row ? { name: row } : {}}
        onSave={async () => undefined}
        onClose={() => setRow(null)}
      >
        <Form.Item name="name" label="Name">
          <Input />
        </Form.Item>
      </FormDrawer>
    </>
  );
};
const user = userEvent.setup();
const opened = async (name: string) => {
  await user.click(await screen.findByRole('button', { name }));
  return screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' });
};
const closed = () => waitFor(() => expect(screen.queryByRole('textbox')).toBeNull());

beforeEach(async () => {
  await setStage({ words: { common }, replies: {} });
});
afterEach(cleanup);

test('shows what it was opened for, and nothing of the row before', async () => {
  showAt(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
  for (const name of ['Hall', 'Kitchen']) {
    expect((await opened(name)).value).toBe(name);
    await user.click(screen.getByRole('button', { name: common.dialog.cancel }));
    await closed();
  }
  expect((await opened('Add')).value).toBe('');
});

test('shows nothing of what was typed and saved before', async () => {
  showAt(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
  await user.type(await opened('Hall'), ' and stairs');
  await user.click(screen.getByRole('button', { name: common.dialog.save }));
  await closed();
  expect((await opened('Kitchen')).value).toBe('Kitchen');
});
