const form = /^v?(?<numbers>\d+(?:\.\d+)*)(?<rest>.*)$/i;

/**
 * Whether a version is newer than another: number by number (1.10 after 1.9), and a release after its
 * previews (2.0 after 2.0-rc1). Versions that begin with no number cannot be compared.
 */
export const isNewer = (version: string, than: string): boolean => {
  const [one, other] = [form.exec(version)?.groups, form.exec(than)?.groups];
  if (!one || !other) return false;
  const [mine, theirs] = [one, other].map(({ numbers }) => numbers!.split('.').map(Number)) as [
    number[],
    number[],
  ];
  for (let at = 0; at < Math.max(mine.length, theirs.length); at += 1) {
    const difference = (mine[at] ?? 0) - (theirs[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return !one['rest']!.startsWith('-') && other['rest']!.startsWith('-');
};
