import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Form } from 'antd';
import { afterEach, expect, test } from 'vitest';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { PhoneFields } from './PhoneFields.tsx';
import { profile } from './words/en-US.ts';

afterEach(cleanup);

const Fields = () => {
  const [form] = Form.useForm();
  return (
    <Form form={form} initialValues={{ mobile: '13900000001' }}>
      <PhoneFields form={form} saved="13900000001" confirmed={false} />
      <button type="button" onClick={() => form.setFields([{ name: 'sms_code', errors: ['Wrong code'] }])}>
        refuse
      </button>
    </Form>
  );
};

test('a wrong SMS code is reported once, at its field', async () => {
  await setStage({ words: { profile, common }, replies: {} });
  showAt(<Fields />);
  await userEvent.click(await screen.findByRole('button', { name: 'refuse' }));
  expect(await screen.findAllByText('Wrong code')).toHaveLength(1);
});
