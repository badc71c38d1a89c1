import { useNavigate } from '@tanstack/react-router';
import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Form, Input } from 'antd';
import { Fragment, StrictMode, useState } from 'react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setStage, showAt } from '#web/test-stage.tsx';
import { FormDrawer } from './FormDrawer.tsx';
import { common } from './words/en-US.ts';

/** A form that stays mounted while its drawer is closed, as most lists have it. */
const Page = () => {
  const navigate = useNavigate();
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
        initial={{ name: row ?? '' }}
        onSave={async ({ name }) =>
          () =>
            void navigate({ to: '.', search: { saved: name } } as never)
          }
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

test.each([
  ['as it is developed', StrictMode],
  ['as it is built', Fragment],
])(
  'shows the values of the row it was opened for, not those of the previous row (%s)',
  async (_name, Mode) => {
    showAt(
      <Mode>
        <Page />
      </Mode>,
    );
    for (const name of ['Hall', 'Kitchen']) {
      expect((await opened(name)).value).toBe(name);
      await user.click(screen.getByRole('button', { name: common.dialog.cancel }));
      await closed();
    }
    expect((await opened('Add')).value).toBe('');
  },
);

test('a newly opened form shows nothing that was typed and saved earlier', async () => {
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

test('opens the saved row without asking about unsaved work', async () => {
  const address = showAt(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
  await user.type(await opened('Add'), 'Attic');
  await user.click(screen.getByRole('button', { name: common.dialog.save }));
  await waitFor(() => expect(address()).toContain('saved=Attic'));
  expect(screen.queryByText(common.dialog.unsaved)).toBeNull();
});
