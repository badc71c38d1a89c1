import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { controlEndpoints } from '#contract/control.ts';
import { tagEndpoints } from '#contract/tags.ts';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { DeviceTags } from './DeviceTags.tsx';
import { LineTags } from './LineTags.tsx';
import { TagSetDialog } from './TagSetDialog.tsx';
import type { StatedLine } from './tags.query.ts';
import { tags } from './words/en-US.ts';

afterEach(cleanup);
const line: StatedLine = {
  line_id: 5,
  device_id: 2,
  n: 3,
  name: 'Pump',
  state: 'closed',
  stale: false,
  observed_at: new Date().toISOString(),
  power: 853,
  current: 3.7,
  values_at: new Date().toISOString(),
  values_stale: false,
  critical: false,
  switchable: true,
  pending: null,
};
const coveredOf = (open: number) => ({
  ...{ lines: 1, open, closed: 1 - open, unknown: 0, power: open === 1 ? 0 : 853 },
  not_open:
    open === 1
      ? []
      : [
          {
            ...{ line_id: 5, device_id: 2, device_number: 'SW4A0001', n: 3, name: 'Pump', state: 'closed' },
            ...{ observed_at: new Date().toISOString(), current: 3.7, power: 853 },
          },
        ],
});
const stageOf = (covered: object = coveredOf(1), done: object = {}) =>
  setStage({
    words: { tags, common },
    replies: {
      [controlEndpoints.do.path]: done,
      [tagEndpoints.preview.path]: covered,
      [tagEndpoints.set.path]: { tag_id: 1, closing: 0, holding: 0 },
    },
    permissions: ['tag.write', 'line.switch'],
  });
const Question = ({ first }: { first: StatedLine }) => {
  const [now, setNow] = useState(first);
  return (
    <>
      <button type="button" onClick={() => setNow({ ...first, state: 'open', power: 0 })}>
        reports open
      </button>
      <TagSetDialog target={{ line_id: 5 }} name="Pump" line={now} onClose={() => undefined} />
    </>
  );
};
const write = () =>
  fireEvent.change(screen.getByLabelText('Reason'), { target: { value: 'Work on the pump' } });

test('a closed line is shown as live with its load, and the tag is set only when the device reports the line open', async () => {
  const stage = await stageOf();
  showAt(<Question first={line} />);
  await screen.findByText('Pump is closed: what is connected to it has power.');
  expect(document.body.textContent).toContain('853');
  write();
  fireEvent.click(screen.getByText('Open, then tag'));
  await waitFor(() =>
    expect(stage.sent(controlEndpoints.do.path)).toMatchObject([{ line_id: 5, action: 'open' }]),
  );
  await screen.findByText('Waiting for the device to report that the line is open…');
  expect(stage.sent(tagEndpoints.set.path)).toEqual([]);
  fireEvent.click(screen.getByText('reports open'));
  await waitFor(() =>
    expect(stage.sent(tagEndpoints.set.path)).toEqual([{ line_id: 5, reason: 'Work on the pump' }]),
  );
});

test('a usual reason needs one tap, without the keyboard of the phone', async () => {
  const stage = await stageOf();
  showAt(<Question first={{ ...line, state: 'open', power: 0 }} />);
  fireEvent.click(await screen.findByRole('button', { name: tags.set.phrase.work }));
  expect(screen.getByLabelText('Reason')).toHaveProperty('value', tags.set.phrase.work);
  fireEvent.click(screen.getByText(/^(Apply lock-out tag|Tag anyway)$/));
  await waitFor(() =>
    expect(stage.sent(tagEndpoints.set.path)).toEqual([{ line_id: 5, reason: tags.set.phrase.work }]),
  );
});

test('a critical line whose name was not typed is marked at that field, not at the reason', async () => {
  const sentence = 'Critical line: type its name to confirm';
  const data = { line: 'Pump', reason: 'critical_line', confirm_name: sentence };
  await stageOf(coveredOf(0), { refused: true, status: 409, code: 409, msg: sentence, data });
  showAt(<Question first={{ ...line, critical: true }} />);
  await screen.findByText('Open, then tag');
  write();
  fireEvent.click(screen.getByText('Open, then tag'));
  const name = screen.getByLabelText('Critical line: type its name, Pump');
  await waitFor(() => expect(name.closest('.ant-form-item')?.textContent).toContain(sentence));
  expect(document.body.textContent).not.toContain('critical_line');
});

test('a line whose opening failed is not tagged', async () => {
  const stage = await stageOf();
  showAt(<Question first={line} />);
  await screen.findByText('Open, then tag');
  write();
  fireEvent.click(screen.getByText('Open, then tag'));
  await screen.findByText('Waiting for the device to report that the line is open…');
  stage.deliver('command', {
    command_id: '00000000-0000-4000-8000-000000000000',
    device_id: 2,
    line_id: 5,
    action: 'open',
    state: 'failed',
    reason: null,
    batch_id: null,
    at: new Date().toISOString(),
  });
  await screen.findByText('The line was not opened. The tag has not been applied.');
  expect(stage.sent(tagEndpoints.set.path)).toEqual([]);
});

test.each([
  { state: 'unknown' as const, stale: false },
  { state: 'open' as const, stale: true },
])('a line that is $state (stale: $stale) is treated as live', async (position) => {
  await stageOf();
  showAt(<Question first={{ ...line, ...position }} />);
  await screen.findByText(/Treat it as live/);
  expect(screen.getByText('Tag anyway')).toBeTruthy();
});

test('a line that is open by a fresh report is tagged with one button', async () => {
  const stage = await stageOf();
  showAt(<Question first={{ ...line, state: 'open', power: 0 }} />);
  await screen.findByText('Reported state');
  expect(screen.queryByText('Tag anyway')).toBe(null);
  write();
  fireEvent.click([...document.querySelectorAll('.ant-modal-footer button')].at(-1)!);
  await waitFor(() => expect(stage.sent(tagEndpoints.set.path)).toHaveLength(1));
});

test('a line that is reported open but not proved open is treated as live', async () => {
  await stageOf(coveredOf(0));
  showAt(<Question first={{ ...line, state: 'open', power: 853 }} />);
  await screen.findByText('Pump is reported open, but current may still flow. Treat it as live.');
  expect(screen.getByText('Tag anyway')).toBeTruthy();
});

test.each([{ device_id: 2 }, { project_id: 1 }])(
  'a tag for %o lists the lines that are not proved open',
  async (target) => {
    const stage = await stageOf(coveredOf(0));
    showAt(<TagSetDialog target={target} name="Board" onClose={() => undefined} />);
    await screen.findByText('Lines: 1 closed, 0 open, 0 unknown.');
    expect(document.body.textContent).toContain('SW4A0001 · Pump');
    expect(screen.getByText('Tag anyway')).toBeTruthy();
    expect(stage.sent(tagEndpoints.preview.path)[0]).toEqual(target);
  },
);

test('lines of which it could not be loaded whether they are open count as live', async () => {
  await stageOf({ refused: true, status: 500, code: 500, msg: 'Internal error', data: {} });
  showAt(<TagSetDialog target={{ device_id: 2 }} name="Board" onClose={() => undefined} />);
  await screen.findByText(common.fault.title);
  screen.getByText('Tag anyway');
});

test('a device has no tags only if those of its project could be loaded', async () => {
  await setStage({
    words: { tags, common },
    replies: {
      [tagEndpoints.list.path]: ({ project_id }: { project_id?: number }) =>
        project_id === undefined
          ? { list: [], total: 0, page: 1, limit: 100 }
          : { refused: true, status: 500, code: 500, msg: 'Internal error', data: {} },
    },
  });
  const device = {
    device_id: 2,
    number: 'SW4A0001',
    name: 'Board',
    project_id: 1,
    project_name: 'Bay Tower',
  };
  showAt(<DeviceTags device={device} />);
  await screen.findByText(common.fault.title);
  expect(screen.queryByText(tags.none)).toBeNull();
});

test('tags that could not be loaded have one notice, which asks for those of the device and of its project again', async () => {
  let answer: object = { refused: true, status: 500, code: 500, msg: 'Not available', data: {} };
  const stage = await setStage({
    words: { tags, common },
    replies: { [tagEndpoints.list.path]: () => answer },
  });
  const device = { device_id: 2, number: 'SW4A0001', name: 'Board', project_id: 1, project_name: 'Tower' };
  showAt(<DeviceTags device={device} />);
  await screen.findByText('Not available');
  await waitFor(() => expect(stage.sent(tagEndpoints.list.path)).toHaveLength(2));
  await waitFor(() => expect(screen.getAllByRole('alert')).toHaveLength(1));
  answer = { list: [], total: 0, page: 1, limit: 100 };
  fireEvent.click(screen.getByRole('button', { name: common.fault.retry }));
  await screen.findByText(tags.none);
  expect(stage.sent(tagEndpoints.list.path)).toHaveLength(4);
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a tagged line that is closed is shown in red; a meter offers no tag', async () => {
  await stageOf();
  const tag = { tag_id: 1, on: 'line' as const, reason: 'work', owner: 'Li', set_at: '' };
  showAt(<LineTags line={{ ...line, tags: [tag] }} uploadSeconds={60} projectId={1} />);
  expect((await screen.findByText(/Tagged, but live: Pump is closed/)).closest('.tag-live')).toBeTruthy();
  cleanup();
  showAt(
    <LineTags
      line={{ ...line, switchable: false, state: 'unknown', tags: [] }}
      uploadSeconds={60}
      projectId={1}
    />,
  );
  expect(screen.queryByRole('button')).toBe(null);
});

test('a tagged line counts as live when its report of being open has become stale on the screen', async () => {
  await stageOf();
  const observed_at = new Date(Date.now() - 121_000).toISOString();
  const tag = { tag_id: 1, on: 'line' as const, reason: 'work', owner: 'Li', set_at: '' };
  const open = { ...line, state: 'open' as const, power: 0, observed_at, tags: [tag] };
  showAt(<LineTags line={open} uploadSeconds={60} projectId={1} />);
  await screen.findByText(/Tagged, but its position is not known/);
  fireEvent.click(screen.getByRole('button', { name: 'Apply lock-out tag' }));
  await screen.findByText(/The position of Pump is not known. Treat it as live/);
  expect(screen.getByText('Tag anyway')).toBeTruthy();
});
