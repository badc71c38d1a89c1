import { gifTableBytes, pastGifBlocks } from './gif.ts';
import type { ImageKind } from './kinds.ts';

interface Size {
  width: number;
  height: number;
}
/** Above any camera's size; a picture that unpacks to more freezes browsers. */
const mostSide = 16_384;
const mostPixels = 100_000_000;

export const isShowable = ({ width, height }: Size): boolean =>
  Math.max(width, height) <= mostSide && width * height <= mostPixels;

/** The size in the header of a valid image, before anything is unpacked. */
export const sizeOf = (kind: ImageKind, content: Uint8Array): Size => sizes[kind](bufferOf(content));

/**
 * What a picture is drawn from and nothing else: without the data that cameras and programs add (position, time,
 * owner, device, texts) and without whatever else a file can carry. Colours and rotation stay.
 */
export const withoutMetadata = (kind: ImageKind, content: Uint8Array): Buffer =>
  strippers[kind](bufferOf(content));

const bufferOf = (content: Uint8Array): Buffer =>
  Buffer.from(content.buffer, content.byteOffset, content.byteLength);

const pngChunks = function* (bytes: Buffer) {
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    yield { type, whole: bytes.subarray(at, end) };
    if (type === 'IEND') return;
    at = end;
  }
};
/** What a picture needs, each with the most bytes that its data may have. PNG, third edition, §11. */
const pngKept: Readonly<Record<string, number>> = {
  ...{ IHDR: 13, PLTE: 768, IDAT: Infinity, IEND: 0, tRNS: 256, gAMA: 4, cHRM: 32, sRGB: 1, cICP: 4 },
  ...{ iCCP: Infinity, sBIT: 4, bKGD: 6, pHYs: 9, acTL: 8, fcTL: 26, fdAT: Infinity },
};
const indexed = 3;
const stripPng = (bytes: Buffer): Buffer => {
  const isKept = ({ type, whole }: { type: string; whole: Buffer }): boolean =>
    Object.hasOwn(pngKept, type) &&
    whole.length - 12 <= pngKept[type]! &&
    // Elsewhere a palette is only proposed.
    (type !== 'PLTE' || bytes[25] === indexed);
  return Buffer.concat([
    bytes.subarray(0, 8),
    ...[...pngChunks(bytes)].filter(isKept).map(({ whole }) => whole),
  ]);
};

const marker = { app0: 0xe0, app1: 0xe1, app2: 0xe2, app14: 0xee, scan: 0xda };
const isFrame = (code: number) => code >= 0xc0 && code <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(code);

/** The segments, each with its marker; a scan with the data after it. Ends at the end mark. */
const jpegSegments = function* (bytes: Buffer) {
  for (let at = 2; at + 4 <= bytes.length; ) {
    const code = bytes[at + 1]!;
    if (code === 0xff) {
      at += 1;
      continue;
    }
    if (bytes[at] !== 0xff || code === 0xd9) return;
    let end = at + 2 + bytes.readUInt16BE(at + 2);
    if (code === marker.scan) end = endOfScan(bytes, end);
    yield { code, whole: bytes.subarray(at, end) };
    at = end;
  }
};
/** Within a scan 0xff is followed by 0 or by a restart mark. */
const endOfScan = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next !== 0 && !(next! >= 0xd0 && next! <= 0xd7) && next !== 0xff) return at;
  }
  return bytes.length;
};
/** Tables, frames and scans: all that a picture is decoded from. ITU-T T.81, table B.1. */
const isPicture = (code: number): boolean =>
  (code >= 0xc0 && code <= 0xcf && code !== 0xc8) || (code >= 0xda && code <= 0xdd);
/** JFIF 1.02: resolution, without the thumbnail. */
const jfifOf = (segment: Buffer): Buffer[] => {
  if (segment.length < 18 || segment.toString('latin1', 4, 9) !== 'JFIF\0' || segment[11]! > 2) return [];
  const head = Buffer.from('ffe000104a464946000101', 'hex');
  return [head, segment.subarray(11, 16), Buffer.from([0, 0])];
};
/** How Adobe's programs say which colours the components are: CMYK as well. */
const adobeOf = (segment: Buffer): Buffer[] => {
  const transform = segment[15] ?? 0xff;
  if (segment.toString('latin1', 4, 9) !== 'Adobe' || transform > 2) return [];
  return [Buffer.from('ffee000e41646f62650064000000', 'hex'), Buffer.from([0, transform])];
};
/** The parts of a segment that are kept. */
const keptOf = ({ code, whole }: { code: number; whole: Buffer }): readonly Buffer[] => {
  if (code === marker.app0) return jfifOf(whole);
  if (code === marker.app14) return adobeOf(whole);
  const isKept =
    isPicture(code) || (code === marker.app2 && whole.toString('latin1', 4, 16) === 'ICC_PROFILE\0');
  return isKept ? [whole] : [];
};

/** The value of the orientation tag (1 to 8) of an EXIF segment; 1 if there is none. TIFF 6.0, EXIF 2.3. */
const orientationOf = (segment: Buffer): number => {
  if (segment.toString('latin1', 4, 10) !== 'Exif\0\0' || segment.length < 26) return 1;
  const tiff = segment.subarray(10);
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const read16 = (at: number) =>
    at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const first = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  for (let n = 0; n < Math.min(read16(first), 200); n += 1) {
    const entry = first + 2 + n * 12;
    if (read16(entry) === 0x0112) return Math.min(8, Math.max(1, read16(entry + 8)));
  }
  return 1;
};
/** An EXIF segment that contains only the orientation. */
const orientationSegment = (orientation: number): Buffer => {
  const tiff = Buffer.alloc(26);
  tiff.write('MM\0*', 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(0x0112, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const head = Buffer.from([0xff, marker.app1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
};
const stripJpeg = (bytes: Buffer): Buffer => {
  const segments = [...jpegSegments(bytes)];
  const orientation = segments
    .filter(({ code }) => code === marker.app1)
    .map(({ whole }) => orientationOf(whole))
    .find((value) => value > 1);
  return Buffer.concat([
    bytes.subarray(0, 2),
    ...(orientation === undefined ? [] : [orientationSegment(orientation)]),
    ...segments.flatMap(keptOf),
    Buffer.from([0xff, 0xd9]),
  ]);
};
const jpegSize = (bytes: Buffer): Size => {
  for (const { code, whole } of jpegSegments(bytes))
    if (isFrame(code)) return { height: whole.readUInt16BE(5), width: whole.readUInt16BE(7) };
  return { width: 0, height: 0 };
};

/** Pictures and extensions, each with its label (of a picture: its introducer). */
const gifBlocks = function* (bytes: Buffer) {
  for (let at = 13 + gifTableBytes(bytes[10]!); at < bytes.length && bytes[at] !== 0x3b; ) {
    const isImage = bytes[at] === 0x2c;
    const end = pastGifBlocks(bytes, isImage ? at + 11 + gifTableBytes(bytes[at + 9]!) : at + 2);
    yield { label: bytes[isImage ? at : at + 1]!, whole: bytes.subarray(at, end) };
    at = end;
  }
};
const gifImage = 0x2c;
const none = Buffer.alloc(0);
/** The delay of a picture and the loop count of an animation, each up to its own length. GIF89a, §23. */
const gifKept = ({ label, whole }: { label: number; whole: Buffer }): Buffer => {
  if (label === gifImage) return whole;
  const isLoop = label === 0xff && whole.toString('latin1', 3, 14) === 'NETSCAPE2.0' && whole[14] === 3;
  const bytes = label === 0xf9 && whole[2] === 4 ? 7 : isLoop ? 18 : 0;
  return bytes === 0 ? none : Buffer.concat([whole.subarray(0, bytes), Buffer.from([0])]);
};
const stripGif = (bytes: Buffer): Buffer =>
  Buffer.concat([
    bytes.subarray(0, 13 + gifTableBytes(bytes[10]!)),
    ...[...gifBlocks(bytes)].map(gifKept),
    Buffer.from([0x3b]),
  ]);
/** The screen's, or that of a larger picture on it. */
const gifSize = (bytes: Buffer): Size => {
  const pictures = [...gifBlocks(bytes)].filter(({ label }) => label === gifImage);
  const sizeAt = (block: Buffer, at: number) => [block.readUInt16LE(at), block.readUInt16LE(at + 2)] as const;
  const all = [sizeAt(bytes, 6), ...pictures.map(({ whole }) => sizeAt(whole, 5))];
  return {
    width: Math.max(...all.map(([width]) => width)),
    height: Math.max(...all.map(([, height]) => height)),
  };
};

const webpChunks = (bytes: Buffer) => {
  const chunks: { type: string; whole: Buffer }[] = [];
  const last = Math.min(bytes.length, bytes.readUInt32LE(4) + 8);
  for (let at = 12; at + 8 <= last; ) {
    const length = bytes.readUInt32LE(at + 4);
    const end = Math.min(last, at + 8 + length + (length % 2));
    chunks.push({ type: bytes.toString('latin1', at, at + 4), whole: bytes.subarray(at, end) });
    at = end;
  }
  return chunks;
};
const webpKept = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
const exifAndXmp = 0x0c;
const stripWebp = (bytes: Buffer): Buffer => {
  const kept = webpChunks(bytes)
    .filter(({ type }) => webpKept.has(type))
    .map(({ type, whole }) => {
      const chunk = Buffer.from(whole);
      if (type === 'VP8X' && chunk.length > 8) chunk[8] = chunk[8]! & ~exifAndXmp;
      return chunk;
    });
  const head = Buffer.from(bytes.subarray(0, 12));
  const body = Buffer.concat(kept);
  head.writeUInt32LE(body.length + 4, 4);
  return Buffer.concat([head, body]);
};
const webpSize = (bytes: Buffer): Size => {
  const [{ type, whole } = { type: '', whole: bytes }] = webpChunks(bytes);
  if (type === 'VP8X' && whole.length >= 18)
    return { width: whole.readUIntLE(12, 3) + 1, height: whole.readUIntLE(15, 3) + 1 };
  if (type === 'VP8L' && whole.length >= 13) {
    const bits = whole.readUInt32LE(9);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (type === 'VP8 ' && whole.length >= 18)
    return { width: whole.readUInt16LE(14) & 0x3fff, height: whole.readUInt16LE(16) & 0x3fff };
  return { width: 0, height: 0 };
};

const sizes: Record<ImageKind, (bytes: Buffer) => Size> = {
  'image/png': (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  'image/jpeg': jpegSize,
  'image/gif': gifSize,
  'image/webp': webpSize,
};
const strippers: Record<ImageKind, (bytes: Buffer) => Buffer> = {
  'image/png': stripPng,
  'image/jpeg': stripJpeg,
  'image/gif': stripGif,
  'image/webp': stripWebp,
};
