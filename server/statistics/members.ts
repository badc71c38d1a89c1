import type { TargetKind } from '#contract/statistics.ts';
import { noSums, plus, type Sums, type SumsByLine } from './sums.ts';
import type { MeteredLine, Target } from './target.ts';

type Split = 'part' | 'device' | 'line';
interface Member {
  kind: TargetKind;
  id: number | null;
  name: string;
  device_id: number | null;
  lines: MeteredLine[];
  sums: Sums;
}

/** The default level into which a target is divided. */
export const naturalSplit = ({ kind, lines }: Target): Split | null => {
  switch (kind) {
    case 'project':
      return lines.some((line) => line.part_id !== null && !line.left) ? 'part' : 'device';
    case 'part':
      return 'device';
    case 'device':
      return 'line';
    case 'line':
      return null;
  }
};

const keyOf = (
  line: MeteredLine,
  split: Split,
): { id: number | null; name: string; device_id: number | null } => {
  if (line.left) return { id: null, name: '', device_id: null };
  switch (split) {
    case 'part':
      return { id: line.part_id, name: line.part_name ?? '', device_id: null };
    case 'device':
      return { id: line.device_id, name: line.device_name, device_id: line.device_id };
    case 'line':
      return { id: line.line_id, name: `${line.device_name} · ${line.name}`, device_id: line.device_id };
  }
};

/**
 * The lines of a target grouped by member, largest first. Lines without a part, and those of devices that
 * have left the project, are one member each without an id.
 */
export const membersOf = (lines: readonly MeteredLine[], sums: SumsByLine, split: Split): Member[] => {
  const members = new Map<string, Member>();
  for (const line of lines) {
    const { id, name, device_id } = keyOf(line, split);
    const key = line.left ? 'left' : String(id);
    const member = members.get(key) ?? {
      kind: line.left ? ('device' as const) : split,
      id,
      name,
      device_id,
      lines: [],
      sums: noSums,
    };
    member.lines.push(line);
    member.sums = plus(member.sums, sums.get(line) ?? noSums);
    members.set(key, member);
  }
  return [...members.values()].sort((a, b) => b.sums.kwh - a.sums.kwh || a.name.localeCompare(b.name));
};
