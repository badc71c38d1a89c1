import type { Page } from '@playwright/test';

export interface Watched {
  /** Lengths of all frames since the watch began, ms. */
  frames: number[];
  /** How many alarms the pop-up showed, and from when (epoch ms). */
  shown: { at: number; count: number }[];
}

/** Records, inside the page, the length of every frame and every change of the pop-up's text. */
export const watch = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const seen: Watched = { frames: [], shown: [] };
    Object.assign(window, { seen });
    let last = performance.now();
    const frame = (now: number) => {
      seen.frames.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    const look = () => {
      const popup = document.querySelector('.popup');
      const words = popup?.querySelector('.popup-title')?.textContent ?? '';
      const count = popup === null ? 0 : Number(/^\d[\d,]*/.exec(words)?.[0].replaceAll(',', '') ?? 1);
      if (seen.shown.at(-1)?.count !== count)
        seen.shown.push({ at: performance.timeOrigin + performance.now(), count });
    };
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });

/** Returns the records so far and starts again. */
export const take = (page: Page): Promise<Watched> =>
  page.evaluate(() => {
    const { seen } = window as unknown as { seen: Watched };
    const taken = { frames: [...seen.frames], shown: [...seen.shown] };
    seen.frames.length = 0;
    seen.shown.length = 0;
    return taken;
  });

/** From the click on the first alarm of the list to its time line beside it, ms; closes the alarm again. */
export const openAlarm = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const until = async (fits: () => boolean) => {
      const limit = performance.now() + 20_000;
      while (!fits()) {
        if (performance.now() > limit) throw new Error('the alarm did not come');
        await new Promise(requestAnimationFrame);
      }
    };
    const begun = performance.now();
    document.querySelector<HTMLElement>('.queue-show')?.click();
    await until(() => document.querySelector('.incident .alarm-timeline') !== null);
    const took = performance.now() - begun;
    document.querySelector<HTMLElement>('.incident-bar button:last-child')?.click();
    await until(() => document.querySelector('.incident') === null);
    return took;
  });
