import type { Logger } from 'pino';

/** Started parts, in order; they are ended in the opposite order. */
export interface Stack {
  add(name: string, stop: () => unknown): void;
  unwind(): Promise<void>;
  /** The part that is being ended. */
  ending(): string | null;
}

export const createStack = (log: Logger): Stack => {
  const begun: { name: string; stop: () => unknown }[] = [];
  let ending: string | null = null;
  return {
    add: (name, stop) => begun.push({ name, stop }),
    async unwind() {
      for (const { name, stop } of begun.splice(0).reverse()) {
        ending = name;
        try {
          await stop();
        } catch (error) {
          log.error({ err: error, part: name }, 'part did not stop cleanly');
        }
      }
      ending = null;
    },
    ending: () => ending,
  };
};

export const say = (sentence: string): void => {
  process.stdout.write(`${sentence}\n`);
};
