/** What an image is, from its first bytes; null when it is none that browsers show without running anything. */
export const imageKind = (content: Uint8Array): string | null => {
  const starts = (bytes: readonly number[], at = 0) => bytes.every((byte, i) => content[at + i] === byte);
  const text = (value: string, at = 0) => starts([...Buffer.from(value, 'latin1')], at);
  if (starts([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) && text('IHDR', 12)) return 'image/png';
  if (starts([0xff, 0xd8, 0xff])) return 'image/jpeg';
  if (text('GIF87a') || text('GIF89a')) return 'image/gif';
  if (text('RIFF') && text('WEBP', 8)) return 'image/webp';
  return null;
};
