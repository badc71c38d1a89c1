import type { Logger } from 'pino';

/** What is begun, in order; ended in the opposite order. */
export interface Stack {
  add(name: string, stop: () => unknown): void;
  unwind(): Promise<void>;
}

export const createStack = (log: Logger): Stack => {
  const begun: { name: string; stop: () => unknown }[] = [];
  return {
    add: (name, stop) => begun.push({ name, stop }),
    async unwind() {
      for (const { name, stop } of begun.splice(0).reverse()) {
        try {
          await stop();
        } catch (error) {
          log.error({ err: error, part: name }, 'part did not stop cleanly');
        }
      }
    },
  };
};

export const say = (sentence: string): void => {
  process.stdout.write(`${sentence}\n`);
};
