import { crc32 } from 'node:zlib';
import { gifTableBytes, pastGifBlocks } from './gif.ts';

/** The type of an image, from its first bytes; null if browsers would not show it safely. */
export const imageKind = (content: Uint8Array): ImageKind | null => {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const text = (from: number, to: number) => bytes.toString('latin1', from, to);
  if (text(0, 8) === '\x89PNG\r\n\x1a\n' && text(12, 16) === 'IHDR') return 'image/png';
  if (text(0, 3) === '\xff\xd8\xff') return 'image/jpeg';
  if (text(0, 6) === 'GIF87a' || text(0, 6) === 'GIF89a') return 'image/gif';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'image/webp';
  return null;
};
export type ImageKind = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** The name of each type, and the extensions that its files may have. */
export const imageFiles: Record<
  ImageKind,
  { readonly called: string; readonly extensions: readonly string[] }
> = {
  'image/png': { called: 'PNG', extensions: ['png'] },
  'image/jpeg': { called: 'JPEG', extensions: ['jpg', 'jpeg', 'jpe', 'jfif'] },
  'image/gif': { called: 'GIF', extensions: ['gif'] },
  'image/webp': { called: 'WebP', extensions: ['webp'] },
};
/** The extension of a file name in lower case; null if it has none (`23` of a date is not an extension). */
export const extensionOf = (name: string): string | null =>
  /[^.]\.([a-z][a-z0-9]{0,9})$/i.exec(name)?.[1]?.toLowerCase() ?? null;

/**
 * Whether an image is complete from beginning to end: an incomplete copy would be stored and never be
 * visible.
 */
export const isWholeImage = (kind: ImageKind, content: Uint8Array): boolean => {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return wholes[kind](bytes);
};

/**
 * Chunks with valid checksums, from a header with a size to the end mark. PNG, third edition, §5.3, §11.2.
 */
const isWholePng = (bytes: Buffer): boolean => {
  let hasPixels = false;
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length || crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end))
      return false;
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IHDR' && (bytes.readUInt32BE(at + 8) === 0 || bytes.readUInt32BE(at + 12) === 0))
      return false;
    if (type === 'IEND') return hasPixels;
    hasPixels ||= type === 'IDAT';
    at = end + 4;
  }
  return false;
};

/** Segments up to the picture's data, including a frame, and the end mark. ITU-T T.81, B.1.1. */
const isWholeJpeg = (bytes: Buffer): boolean => {
  let hasFrame = false;
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return false;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2) return false;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      if (at + 9 > bytes.length || bytes.readUInt16BE(at + 7) === 0) return false;
      hasFrame = true;
    }
    at += 2 + length;
    if (marker === 0xda) return hasFrame && bytes.indexOf('\xff\xd9', at, 'latin1') > 0;
  }
  return false;
};

/** Blocks from the screen's size to the trailer or, as some programs omit it, the end. GIF89a, §17 to §27. */
const isWholeGif = (bytes: Buffer): boolean => {
  if (bytes.length < 13) return false;
  let hasPicture = false;
  let at = 13 + gifTableBytes(bytes[10]!);
  while (at < bytes.length && bytes[at] !== 0x3b) {
    const kind = bytes[at];
    if (kind === 0x21) at = pastGifBlocks(bytes, at + 2);
    else if (kind === 0x2c && at + 10 < bytes.length) {
      hasPicture = true;
      at = pastGifBlocks(bytes, at + 11 + gifTableBytes(bytes[at + 9]!));
    } else return false;
  }
  return hasPicture && at <= bytes.length;
};

/** A file with the length in its header, and a picture chunk first. WebP container specification. */
const isWholeWebp = (bytes: Buffer): boolean =>
  bytes.length > 20 &&
  bytes.readUInt32LE(4) + 8 <= bytes.length &&
  bytes.readUInt32LE(16) + 20 <= bytes.length &&
  ['VP8 ', 'VP8L', 'VP8X'].includes(bytes.toString('latin1', 12, 16));

const wholes: Record<ImageKind, (bytes: Buffer) => boolean> = {
  'image/png': isWholePng,
  'image/jpeg': isWholeJpeg,
  'image/gif': isWholeGif,
  'image/webp': isWholeWebp,
};
