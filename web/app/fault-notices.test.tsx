/** Tests the messages of section 8 of the specification that the console itself shows. */
import { useQuery } from '@tanstack/react-query';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { type FaultCode, faults } from '#contract/faults/codes.ts';
import { type Language, languages } from '#contract/languages.ts';
import { userEndpoints } from '#contract/users.ts';
import { attempt } from '#web/api/attempt.ts';
import { call } from '#web/api/call.ts';
import { endpointQuery } from '#web/api/query.ts';
import { noteSessionEnd } from '#web/api/session-end.ts';
import { DataState } from '#web/parts/DataState.tsx';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { FaultNotices } from './FaultNotices.tsx';
import { LinkBadge, LinkStrip } from './shell/LinkBadge.tsx';
import { shell as english } from './shell/words/en-US.ts';
import { shell as russian } from './shell/words/ru-RU.ts';
import { shell as chinese } from './shell/words/zh-CN.ts';

const words = { 'en-US': english, 'zh-CN': chinese, 'ru-RU': russian };
const { path } = userEndpoints.detail;

/** The console after the server refused a call; without a fault, after a call without an answer. */
const afterFault = async (language: Language, code: FaultCode | null) => {
  const refusal =
    code === null
      ? {}
      : {
          [path]: {
            refused: true,
            ...{ status: faults[code].http, code: faults[code].code, msg: faults[code][language], data: {} },
          },
        };
  await setStage({ language, words: { shell: words[language] }, replies: refusal });
  showAt(
    <>
      <FaultNotices />
      <p>ready</p>
    </>,
  );
  await screen.findByText('ready');
  vi.useFakeTimers();
  await act(async () => {
    await call(userEndpoints.detail, { user_id: 1 }).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(100);
  });
  return words[language].fault;
};
/** Ant Design writes a blank between two Chinese characters of a button. */
const named = (text: string) => ({ name: new RegExp(`^${[...text].join(' ?')}$`) });
afterEach(() => {
  cleanup();
  vi.clearAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

test.each(languages)('a 401 answer warns that the session has expired, in %s', async (language) => {
  const { expired } = await afterFault(language, 'session.expired');
  expect(screen.getByText(expired)).toBeTruthy();
});

test.each(
  languages.flatMap((language) =>
    (['session.revoked', 'session.replaced', 'session.ended'] as const).map(
      (code) => [code, language] as const,
    ),
  ),
)('%s asks whether to sign in again or to stay, in %s', async (code, language) => {
  const { loggedOut, signInAgain, stay, kept } = await afterFault(language, code);
  const reason = faults[code][language];
  expect(screen.getAllByText(loggedOut).length).toBeGreaterThan(0);
  expect(screen.getAllByText(reason).length).toBeGreaterThan(0);
  // The text does not repeat the title, and says what happens to what was typed.
  const text = [...(reason === loggedOut ? [] : [reason]), kept];
  const below = document.querySelectorAll('.ant-modal-confirm-content p');
  expect([...below].map(({ textContent }) => textContent)).toEqual(text);
  expect(screen.getByRole('button', named(signInAgain))).toBeTruthy();
  fireEvent.click(screen.getByRole('button', named(stay)));
});

test.each(languages)(
  'a fault with any other code shows the sentence of the server, in %s',
  async (language) => {
    await afterFault(language, 'user.missing');
    expect(screen.getByText(faults['user.missing'][language])).toBeTruthy();
  },
);

test.each(languages)('a network error is shown for five seconds, in %s', async (language) => {
  const { network } = await afterFault(language, null);
  /** 100 ms have passed since the call. */
  const after = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  const isShown = () => {
    const notice = screen.queryByText(network)?.closest('.ant-message-notice');
    return notice !== null && notice !== undefined && !/-leave/.test(notice.className);
  };
  expect(isShown()).toBe(true);
  await after(4_800);
  expect(isShown()).toBe(true);
  await after(300);
  expect(isShown()).toBe(false);
});

test('a refused act without a form shows its reason, also if the reply names only a field', async () => {
  const told = 'The password is wrong.';
  const refusal = { refused: true, status: 422, code: 422, msg: 'Check the fields.' };
  await setStage({
    language: 'en-US',
    words: { shell: english },
    replies: { [path]: { ...refusal, data: { password: told } } },
  });
  showAt(
    <>
      <FaultNotices />
      <button type="button" onClick={() => void attempt(() => call(userEndpoints.detail, { user_id: 1 }))}>
        act
      </button>
    </>,
  );
  fireEvent.click(await screen.findByRole('button', { name: 'act' }));
  expect(await screen.findByText(told)).toBeTruthy();
});

/** A part of a screen that loads a user; `isShown`: with a notice of its own when that fails. */
const UserPart = ({ isShown }: { isShown: boolean }) => {
  const query = useQuery(endpointQuery(userEndpoints.detail, { user_id: 1 }));
  return isShown ? <DataState query={query}>{() => null}</DataState> : null;
};

test.each([true, false])(
  'a failed load is reported once: by the notice in its place, else by a message (notice: %s)',
  async (isShown) => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const fault = faults['user.missing'];
    const refusal = { refused: true, status: fault.http, code: fault.code, msg: fault['en-US'], data: {} };
    await setStage({ language: 'en-US', words: { shell: english, common }, replies: { [path]: refusal } });
    showAt(
      <>
        <FaultNotices />
        <UserPart isShown={isShown} />
        <p>ready</p>
      </>,
    );
    await screen.findByText('ready');
    await act(() => vi.advanceTimersByTimeAsync(2_000));
    const shown = screen.getAllByText(fault['en-US']);
    expect(shown.map((each) => each.closest('.ant-message-notice') === null)).toEqual([isShown]);
  },
);

test.each(languages)(
  'a screen whose session ended says so and leads to the sign-in, in %s',
  async (language) => {
    await afterFault(language, 'session.revoked');
    fireEvent.click(screen.getByRole('button', named(words[language].fault.stay)));
    vi.useRealTimers();
    await setStage({ language, words: { shell: words[language] }, replies: {} });
    showAt(
      <>
        <LinkStrip />
        <LinkBadge />
      </>,
    );
    const [begin = ''] = words[language].link.endedText.split('{{');
    const strip = await screen.findByRole('alert');
    expect(strip.textContent).toContain(begin);
    expect(screen.getByRole('status').textContent).toBe(words[language].link.ended);
    expect(within(strip).getByRole('button', named(words[language].fault.signInAgain))).toBeTruthy();
    noteSessionEnd(false);
  },
);
