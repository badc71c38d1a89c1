/** A number of the frame that could not be loaded is not shown as zero (decision 0553). */
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { alarmEndpoints } from '#contract/alarms.ts';
import { dashboardEndpoints } from '#contract/dashboard.ts';
import { messageEndpoints } from '#contract/messages.ts';
import { useLink } from '#web/api/link-state.ts';
import { AlarmCounters } from '#web/features/alarms/AlarmCounters.tsx';
import { alarms } from '#web/features/alarms/words/en-US.ts';
import { UnreadBadge } from '#web/features/messages/UnreadBadge.tsx';
import { type Stage, setStage, showAt } from '#web/test-stage.tsx';
import { AlarmBell } from './shell/AlarmBell.tsx';
import { BottomBar } from './shell/BottomBar.tsx';
import { words } from './words/en-US.ts';

const refused = { refused: true, status: 500, code: 500, msg: 'Internal error', data: {} } as const;
const alarm = { id: 9, kind: 'raised', device_id: 5, line_id: 6, project_id: 3, typeNumber: 301 } as const;
const raised = { ...alarm, level: 2, severity: 1, quiet: false } as const;
let answer: object;
/** The arguments of each mark on the icon of the installed console. */
let marks: unknown[][];
let stage: Stage;
beforeEach(async () => {
  marks = [];
  Object.assign(navigator, {
    setAppBadge: async (...given: unknown[]) => {
      marks.push(given);
    },
  });
  stage = await setStage({
    words: { ...words, alarms },
    permissions: ['alarm.read', 'message.read'],
    replies: {
      [dashboardEndpoints.census.path]: () => answer,
      [messageEndpoints.types.path]: () => answer,
      [alarmEndpoints.census.path]: () => answer,
    },
  });
});
afterEach(() => {
  cleanup();
  Reflect.deleteProperty(navigator, 'setAppBadge');
  useLink.setState({ state: 'connecting' });
});

const bell = <AlarmBell />;
const bar = <BottomBar onSearch={() => undefined} onMenu={() => undefined} />;
const unread = <UnreadBadge />;
const { unknown } = words.shell.bell;

test.each([
  ['the bell', bell, unknown],
  ['the bar of a phone', bar, unknown],
  ['the entry of the messages', unread, words.messages.unreadUnknown],
])(
  '%s has a dash, and words for it, instead of a number that could not be loaded',
  async (_, part, named) => {
    answer = refused;
    showAt(part);
    await screen.findByText('—');
    expect(screen.queryByLabelText(named) ?? screen.queryByText(named)).not.toBeNull();
    expect(document.body.textContent).not.toMatch(/\d/);
  },
);

test('the icon of the installed console gets a mark without a number when the number could not be loaded', async () => {
  answer = refused;
  showAt(bell);
  await waitFor(() => expect(marks).toEqual([[]]));
});

test('a number whose refresh fails is unknown, and stays when there is no contact, because the strip says its age', async () => {
  answer = { unprocessed: 7 };
  showAt(bell);
  await screen.findByText('7');
  answer = refused;
  stage.deliver('alarm', raised);
  await screen.findByText('—');
  expect(screen.queryByText('7')).toBeNull();
  act(() => useLink.setState({ state: 'cut' }));
  await screen.findByText('7');
});

test.each([
  ['the bell', bell, { unprocessed: 7 }, /Alarms: 7 unprocessed, as of \d\d:\d\d/],
  ['the bar of a phone', bar, { unprocessed: 7 }, /Alarms: 7 unprocessed, as of \d\d:\d\d/],
  ['the entry of the messages', unread, { unread: 7, types: [] }, /7 unread.*, as of \d\d:\d\d/],
  [
    'the counters of the alarms',
    <AlarmCounters key="counters" search={{} as never} onChange={() => undefined} />,
    { unprocessed: 7, active: 7, alarms: 7, early_warnings: 0, processed: 0, handling_rate: null },
    /Counts, as of \d\d:\d\d/,
  ],
])('%s says to a screen reader, too, that it is old without contact', async (_, part, known, named) => {
  answer = known;
  const all = () =>
    [...document.querySelectorAll('[aria-label], [title], .out-of-sight')].map(
      (each) => `${each.getAttribute('aria-label')} ${each.getAttribute('title')} ${each.textContent}`,
    );
  showAt(part);
  await screen.findAllByText('7');
  expect(all().filter((text) => text.includes('as of'))).toEqual([]);
  act(() => useLink.setState({ state: 'cut', since: Date.now() }));
  expect(all().join('|')).toMatch(named);
});
