import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Fault } from '#web/api/fault.ts';
import { FaultNotice } from './DataState.tsx';

afterEach(cleanup);

test('the error of a field is shown without a request id and without a retry button', () => {
  const about = {
    status: 422,
    fields: { last_day: 'The range must begin before it ends' },
    requestId: 'r-1',
  };
  render(<FaultNotice error={new Fault(422, 'Some fields are wrong', about)} onRetry={() => {}} />);
  expect(screen.getByText('The range must begin before it ends')).toBeTruthy();
  expect(screen.queryByRole('button')).toBeNull();
  expect(screen.queryByText('r-1')).toBeNull();
});

test('any other error has its request id and a retry button', () => {
  render(<FaultNotice error={new Fault(500, 'Not available', { requestId: 'r-2' })} onRetry={() => {}} />);
  expect(screen.getByText('r-2')).toBeTruthy();
  expect(screen.getByRole('button')).toBeTruthy();
});

test.each([
  ['a missing permission', 403],
  ['a thing that does not exist', 404],
])('%s has its request id, but no retry button, because a retry would be refused again', (_, status) => {
  const about = { status, requestId: 'r-3' };
  render(<FaultNotice error={new Fault(status, 'Not allowed', about)} onRetry={() => {}} />);
  expect(screen.getByText('r-3')).toBeTruthy();
  expect(screen.queryByRole('button')).toBeNull();
});
