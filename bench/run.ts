import { existsSync, readdirSync } from 'node:fs';
import type { Figure } from './figure.ts';

/** Runs every benchmark of this folder that exports `run`, or those named on the command line, and prints one table. */
const own = new Set(['run.ts', 'figure.ts', 'scale.ts', 'postmaster.ts']);
/** They take long, so they run only when named. */
const onlyNamed = new Set(['soak.ts', 'backup.ts', 'upgrade.ts']);
const folder = new URL('./', import.meta.url);
/** Benchmarks of one subject, which run under one name. */
const groups: Record<string, readonly string[]> = {
  statistics: ['energy', 'alarmcounts', 'lists', 'rollups', 'sheet', 'chart', 'frames'],
};
const wanted = process.argv.slice(2).flatMap((name) => groups[name] ?? name);
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.ts') && !own.has(name) && !name.includes('-'))
  .filter((name) => (wanted.length === 0 ? !onlyNamed.has(name) : wanted.includes(name.replace('.ts', ''))));

const figures: Figure[] = [];
for (const file of files) {
  if (!existsSync(new URL(file, folder))) continue;
  const bench: { run?: () => Promise<Figure[]> } = await import(new URL(file, folder).href);
  if (!bench.run) continue;
  console.log(`${file} …`);
  figures.push(...(await bench.run()));
}
const rows = [
  ['what', 'figure', 'goal', 'anchor'],
  ...figures.map(({ name, figure, unit, goal, anchor }) => [
    name,
    `${figure >= 100 ? Math.round(figure) : Math.round(figure * 10) / 10} ${unit}`,
    goal,
    anchor,
  ]),
];
const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
for (const row of rows)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
