import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Figure } from './figure.ts';

const built = fileURLToPath(new URL('../dist/web/', import.meta.url));

/**
 * Scripts that the page loads at once, with all their static imports; scripts of a route come later and are
 * not included.
 */
const firstScripts = (page: string): Set<string> => {
  const found = new Set<string>();
  const visit = (file: string) => {
    if (found.has(file) || !existsSync(`${built}${file}`)) return;
    found.add(file);
    const text = readFileSync(`${built}${file}`, 'utf8');
    for (const [, name] of text.matchAll(
      /(?:^|[;}\s])(?:import|export)\s*(?:[\w$*{},\s]+\s*from\s*)?["']\.\/([^"']+\.js)["']/g,
    ))
      visit(`assets/${name}`);
  };
  for (const [, file] of page.matchAll(/(?:src|href)="\/?(assets\/[^"]+\.js)"/g)) visit(file!);
  return found;
};

/** JavaScript that the login screen loads. Build the console first: `npm start` does. */
export const run = async (): Promise<Figure[]> => {
  const page = `${built}index.html`;
  if (!existsSync(page)) {
    console.log('the console is not built: left out');
    return [];
  }
  const files = [...firstScripts(readFileSync(page, 'utf8'))];
  const bytes = files.reduce(
    (sum, file) => sum + gzipSync(readFileSync(`${built}${file}`), { level: 9 }).length,
    0,
  );
  return [
    {
      name: `JavaScript before the login screen, gzipped, ${files.length} files`,
      figure: bytes / 1024,
      unit: 'KB',
      goal: '≤ 150 KB',
      anchor: '',
    },
  ];
};
