import { readdirSync, readFileSync } from 'node:fs';

const microsecondsPerTick = 10_000;

interface Stat {
  parent: number;
  own: number;
  children: number;
}
const statOf = (pid: number): Stat | null => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return {
      parent: fields[1] ?? 0,
      own: (fields[11] ?? 0) + (fields[12] ?? 0),
      children: (fields[13] ?? 0) + (fields[14] ?? 0),
    };
  } catch {
    return null; // the process ended meanwhile
  }
};

/** CPU time in µs of these processes and all their children, including ended ones. Linux only. */
export const processorTime = (roots: readonly number[]): number => {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const stats = new Map(
    pids.flatMap((pid) => {
      const stat = statOf(pid);
      return stat ? [[pid, stat] as const] : [];
    }),
  );
  let ticks = 0;
  for (const [pid, { parent, own, children }] of stats)
    if (roots.includes(pid) || roots.includes(parent)) ticks += own + (roots.includes(pid) ? children : 0);
  return ticks * microsecondsPerTick;
};
