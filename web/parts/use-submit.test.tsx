import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Form, Input } from 'antd';
import { afterEach, expect, test } from 'vitest';
import { Fault } from '#web/api/fault.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { FormDialog } from './FormDialog.tsx';
import { common } from './words/en-US.ts';

interface Values {
  name: string;
  sum: string;
}
const taken = new Fault(409, 'The name is taken', {
  status: 409,
  alsoFields: { name: 'The name is taken', number: 'Not a field of this form' },
});
const wrongSum = new Fault(422, 'Check the fields', { status: 422, fields: { sum: 'Another sum' } });

const Dialog = ({ answers }: { answers: Fault[] }) => {
  const [form] = Form.useForm<Values>();
  const send = async () => {
    const fault = answers.shift();
    if (fault) throw fault;
  };
  return (
    <FormDialog title="Add" act="Save" form={form} send={send} onClose={() => undefined}>
      <Form.Item name="name" label="Name">
        <Input />
      </Form.Item>
      <Form.Item name="sum" label="Sum">
        <Input />
      </Form.Item>
    </FormDialog>
  );
};
afterEach(cleanup);

test('a refusal marks the fields that it names, whatever its status, and the next attempt begins without marks', async () => {
  await setStage({ words: { common }, replies: {} });
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  showAt(<Dialog answers={[taken, wrongSum]} />);
  const dialog = within(await screen.findByRole('dialog'));
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await dialog.findByText('The name is taken')).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await dialog.findByText('Another sum')).toBeTruthy();
  await waitFor(() => expect(dialog.queryByText('The name is taken')).toBeNull());
});
