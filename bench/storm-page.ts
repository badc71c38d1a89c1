import type { Page } from '@playwright/test';

export interface Watched {
  /** Lengths of all frames since the watch began, ms. */
  frames: number[];
  /** How many alarms the pop-up showed, and since when (epoch ms). */
  told: { at: number; count: number }[];
}

/** Notes, inside the page, every frame's length and every change of what the pop-up says. */
export const watch = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const seen: Watched = { frames: [], told: [] };
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
      if (seen.told.at(-1)?.count !== count)
        seen.told.push({ at: performance.timeOrigin + performance.now(), count });
    };
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });

/** What was noted so far; starts again. */
export const take = (page: Page): Promise<Watched> =>
  page.evaluate(() => {
    const { seen } = window as unknown as { seen: Watched };
    const taken = { frames: [...seen.frames], told: [...seen.told] };
    seen.frames.length = 0;
    seen.told.length = 0;
    return taken;
  });

/** From the click on an alarm of the list to its drawer with what happened, ms; closes it again. */
export const openAlarm = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const until = async (fits: () => boolean) => {
      const limit = performance.now() + 20_000;
      while (!fits()) {
        if (performance.now() > limit) throw new Error('the drawer did not come');
        await new Promise(requestAnimationFrame);
      }
    };
    const begun = performance.now();
    document.querySelector<HTMLElement>('.alarm-open')?.click();
    await until(() => document.querySelector('.alarm-drawer .alarm-history') !== null);
    const took = performance.now() - begun;
    document.querySelector<HTMLElement>('.alarm-drawer .ant-drawer-close')?.click();
    await until(() => document.querySelector('.alarm-drawer .alarm-history') === null);
    return took;
  });
