import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Form, Input } from 'antd';
import { afterEach, expect, test, vi } from 'vitest';
import { Fault } from '#web/api/fault.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { FormDialog } from './FormDialog.tsx';
import { ImageUpload } from './ImageUpload.tsx';
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

const image = '7b2c1d9e-3f4a-4b5c-8d6e-0123456789ab';
const WithPhoto = ({ sent }: { sent: unknown[] }) => {
  const [form] = Form.useForm<{ photo: string }>();
  return (
    <FormDialog
      title="Add"
      act="Save"
      form={form}
      send={async (values) => sent.push(values)}
      onClose={() => undefined}
    >
      <Form.Item name="photo">
        <ImageUpload label="Photo" />
      </Form.Item>
    </FormDialog>
  );
};
test.each([true, false])('an image that is still being sent is saved with the form: %s', async (isStored) => {
  await setStage({ words: { common }, replies: {} });
  const answer = Promise.withResolvers<Response>();
  vi.stubGlobal('fetch', () => answer.promise);
  const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
  const sent: unknown[] = [];
  showAt(<WithPhoto sent={sent} />);
  const dialog = within(await screen.findByRole('dialog'));
  await user.upload(dialog.getByLabelText('Photo'), new File(['x'], 'a.png', { type: 'image/png' }));
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(sent).toEqual([]);
  const reply = isStored
    ? { code: 200, msg: '', data: { image_id: image } }
    : { code: 422, msg: 'Not an image', data: { fields: { file: 'Not an image' } } };
  answer.resolve(new Response(JSON.stringify(reply), { status: reply.code }));
  if (isStored) await waitFor(() => expect(sent).toEqual([{ photo: image }]));
  else expect(await dialog.findByText(/Not an image/)).toBeTruthy();
  expect(sent).toHaveLength(isStored ? 1 : 0);
});
