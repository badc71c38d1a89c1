const running = new Set<Promise<boolean>>();

/** Notes an upload until it ends; `upload` resolves to whether it was stored. */
export const noteUpload = (upload: Promise<boolean>): void => {
  const noted = upload.finally(() => running.delete(noted));
  running.add(noted);
};
/** Waits for the running uploads; false if one of them was refused. */
export const uploadsStored = async (): Promise<boolean> =>
  (await Promise.all([...running])).every((stored) => stored);
export const isUploading = (): boolean => running.size > 0;
