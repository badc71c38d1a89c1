import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { setStage } from '#web/test-stage.tsx';
import { QuantityRange } from './Quantity.tsx';

afterEach(cleanup);

test.each([
  [[13_810, 13_790], '13,8кВт'],
  [[9_900, 13_790], '9\u00a0900Вт – 13,8кВт'],
  [[7, 3, 5], '3Вт – 7Вт'],
])('the range of %j W is %s', async (values, text) => {
  await setStage({ language: 'ru-RU', words: {}, replies: {} });
  const { container } = render(<QuantityRange values={values} unit="W" />);
  expect(container.textContent).toBe(text);
});
