import type { Bus } from './bus.ts';

export interface AfterCommit {
  emit: Bus['emit'];
  afterCommit(run: () => void): void;
  /** Call it after the commit: emits the events and runs the rest, in order. */
  release(): void;
  /** Call it when the transaction, or the part that caused all of it, was rolled back. */
  forget(): void;
}

/** Keeps the events and effects of a transaction until its rows exist for everybody. */
export const createAfterCommit = (bus: Pick<Bus, 'emit'>): AfterCommit => {
  const kept: (() => void)[] = [];
  return {
    emit: (name, event) => kept.push(() => bus.emit(name, event)),
    afterCommit: (run) => kept.push(run),
    release() {
      for (const run of kept) run();
    },
    forget() {
      kept.length = 0;
    },
  };
};
