import { useQuery } from '@tanstack/react-query';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { projectEndpoints } from '#contract/projects.ts';
import { userEndpoints } from '#contract/users.ts';
import { Fault } from '#web/api/fault.ts';
import { useLink } from '#web/api/link-state.ts';
import { endpointQuery, keptQuery } from '#web/api/query.ts';
import { useKnown } from '#web/api/use-known.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { DataState, FaultNotice } from './DataState.tsx';
import './NotCurrent.tsx';
import { common } from './words/en-US.ts';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  useLink.setState({ state: 'connecting' });
});

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

const Rows = () => {
  const query = useQuery(endpointQuery(userEndpoints.roles, {}));
  return (
    <>
      <button type="button" onClick={() => void query.refetch()}>
        refresh
      </button>
      <DataState query={query} isEmpty={(roles) => roles.length === 0} empty="no roles">
        {(roles) => roles.map(({ name }) => <p key={name}>{name}</p>)}
      </DataState>
    </>
  );
};
const refused = { refused: true, status: 500, code: 500, msg: 'Not available', data: {} };
test.each([
  ['what is shown', [{ name: 'Keeper' }], 'Keeper'],
  ['that there is nothing', [], 'no roles'],
])('says since when %s is old if a refresh fails, until one succeeds', async (_, roles, shown) => {
  let answer: object = roles;
  await setStage({ words: { common }, replies: { [userEndpoints.roles.path]: () => answer } });
  showAt(<Rows />);
  await screen.findByText(shown);
  expect(screen.queryByText(/could not be refreshed/)).toBeNull();
  answer = refused;
  await userEvent.click(screen.getByRole('button', { name: 'refresh' }));
  const notice = await screen.findByText(/^As of \d\d:\d\d: could not be refreshed/);
  expect(notice.textContent).toContain('Not available');
  screen.getByText(shown);
  act(() => useLink.setState({ state: 'cut' }));
  expect(screen.queryByText(/could not be refreshed/)).toBeNull();
  act(() => useLink.setState({ state: 'live' }));
  answer = roles;
  await userEvent.click(screen.getByRole('button', { name: common.fault.retry }));
  await waitFor(() => expect(screen.queryByText(/could not be refreshed/)).toBeNull());
});

const Chosen = () => {
  const [project_id, choose] = useState(1);
  const query = useQuery(keptQuery(projectEndpoints.options, { project_id }));
  return (
    <>
      <button type="button" onClick={() => choose(2)}>
        other
      </button>
      <DataState query={query}>{({ list }) => list.map(({ name }) => <p key={name}>{name}</p>)}</DataState>
    </>
  );
};
test('says that data belong to the former choice if those of the new one do not come soon', async () => {
  let come = (_: object) => {};
  const later = new Promise<object>((resolve) => {
    come = resolve;
  });
  const former = { list: [{ project_id: 1, name: 'Keeper' }] };
  await setStage({
    words: { common },
    replies: {
      [projectEndpoints.options.path]: ({ project_id }: { project_id: number }) =>
        project_id === 1 ? former : later,
    },
  });
  showAt(<Chosen />);
  await screen.findByText('Keeper');
  await userEvent.click(screen.getByRole('button', { name: 'other' }));
  expect(screen.queryByText(common.former)).toBeNull();
  await screen.findByText(common.former);
  screen.getByText('Keeper');
  come({ list: [{ project_id: 2, name: 'Meter' }] });
  await screen.findByText('Meter');
  expect(screen.queryByText(common.former)).toBeNull();
});

const Count = () => {
  const query = useQuery(endpointQuery(userEndpoints.roles, {}));
  return <p>{`count: ${useKnown(query)?.length ?? '—'}`}</p>;
};
test('a refresh without an answer counts as failed after twelve seconds, until the answer comes', async () => {
  vi.useFakeTimers();
  const waiting: ((answer: object) => void)[] = [];
  const replies = {
    [userEndpoints.roles.path]: () => new Promise<object>((resolve) => waiting.push(resolve)),
  };
  const stage = await setStage({ words: { common }, replies });
  /** The stream lives meanwhile. */
  const pass = async (ms: number) => {
    await act(() => vi.advanceTimersByTimeAsync(ms));
    await act(() => vi.dynamicImportSettled());
    stage.deliver('heartbeat', { at: new Date().toISOString() });
  };
  showAt(
    <>
      <Count />
      <Rows />
    </>,
  );
  const answer = async (reply: object) => {
    await pass(10);
    for (const each of waiting.splice(0)) each(reply);
    await pass(10);
  };
  const refresh = () => act(() => screen.getByRole('button', { name: 'refresh' }).click());
  const notice = () => screen.queryByText(/could not be refreshed/)?.textContent;
  await answer([{ name: 'Keeper' }]);
  screen.getByText('count: 1');
  // Slow answers, one after another, are answers.
  for (const name of ['Meter', 'Reader']) {
    refresh();
    await pass(9_000);
    await answer([{ name }]);
    screen.getByText(name);
    expect(notice()).toBeUndefined();
  }
  refresh();
  await pass(11_500);
  expect(notice()).toBeUndefined();
  screen.getByText('count: 1');
  await pass(1_000);
  expect(notice()).toMatch(/^As of .*: could not be refreshed\. The server has not answered yet\.$/);
  screen.getByText('Reader');
  screen.getByText('count: —');
  // Asking again is no answer.
  act(() => screen.getByRole('button', { name: common.fault.retry }).click());
  await pass(3_000);
  expect(notice()).toContain('has not answered yet');
  await answer(refused);
  expect(notice()).toContain('Not available');
  refresh();
  await answer([{ name: 'Writer' }]);
  expect(notice()).toBeUndefined();
  screen.getByText('count: 1');
});
