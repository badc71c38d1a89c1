import * as z from 'zod';
import { listShape, optionalOf, optionalText } from '#web/parts/url-state.ts';

/** Fields of the address of database management. Each tab begins with its own order. */
export const backupSearch = z.object({
  ...listShape,
  tab: z.enum(['tables', 'backups', 'jobs']).catch('tables'),
  name: optionalText,
  status: optionalOf(['none', 'completed', 'excluded']),
  cause: optionalOf(['manual', 'schedule', 'beforeRestore', 'beforeUpgrade', 'commandLine']),
  kind: optionalOf(['backup', 'optimise', 'repair', 'restore', 'drill']),
  /** The backup whose restore is being prepared. */
  restore: optionalText,
});
export type BackupSearch = z.output<typeof backupSearch>;

/** Row numbers for rows whose only key is a name. */
const numbers = new Map<string, number>();
const names: string[] = [];
export const idOf = (name: string): number => {
  const known = numbers.get(name);
  if (known !== undefined) return known;
  names.push(name);
  numbers.set(name, names.length);
  return names.length;
};
export const nameOf = (id: number): string => names[id - 1] ?? '';
