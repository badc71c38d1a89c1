import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { common } from '#web/parts/words/en-US.ts';
import { setStage, showAt } from '#web/test-stage.tsx';
import { OneKeyButtons } from './OneKeyButtons.tsx';
import { oneKey } from './words/en-US.ts';

afterEach(cleanup);

test.each([true, false])(
  'the one-key buttons are enabled exactly when a device is online: %s',
  async (online) => {
    await setStage({ words: { oneKey, common }, permissions: ['line.switch'], replies: {} });
    showAt(<OneKeyButtons deviceIds={[7]} online={online} />);
    for (const action of ['open', 'close'] as const) {
      const button = await screen.findByRole('button', { name: oneKey[action].button });
      expect(button.hasAttribute('disabled')).toBe(!online);
      const reason = document.getElementById(button.getAttribute('aria-describedby') ?? '');
      expect(reason?.textContent).toBe(online ? undefined : oneKey.offline);
    }
  },
);
