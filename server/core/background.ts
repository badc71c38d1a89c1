interface Background {
  run(what: string, work: () => Promise<unknown>): void;
  isBusy(): boolean;
  /** Resolves when no work is left, including work that began meanwhile. */
  settled(): Promise<void>;
}

/** Work that continues beside its caller, so that its errors and its end are somebody's concern. */
export const createBackground = (onError: (error: unknown, what: string) => void): Background => {
  const underWay = new Set<Promise<void>>();
  return {
    run(what, work) {
      const promise: Promise<void> = work()
        .then(
          () => {},
          (error: unknown) => onError(error, what),
        )
        .finally(() => underWay.delete(promise));
      underWay.add(promise);
    },
    isBusy: () => underWay.size > 0,
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
};
