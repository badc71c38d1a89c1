/** Bytes of a colour table, from the flags of the screen or of a picture. GIF89a, §18 and §20. */
export const gifTableBytes = (flags: number): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);

/** The position after the data sub-blocks that begin at `from`, and after their terminator. GIF89a, §15. */
export const pastGifBlocks = (bytes: Buffer, from: number): number => {
  let at = from;
  while (bytes[at]) at += bytes[at]! + 1;
  return at + 1;
};
