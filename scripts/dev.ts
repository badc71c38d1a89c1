import { type ChildProcess, spawn } from 'node:child_process';
import * as path from 'node:path';
import { root } from './console.ts';

const start = (args: string[]): ChildProcess =>
  spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], detached: true });

// In separate process groups, because Ctrl-C would reach the server twice: from the terminal and from its
// watcher.
const children = [
  start(['--watch', '--watch-preserve-output', 'scripts/start.ts', '--without-console']),
  start([path.join(root, 'node_modules/vite/bin/vite.js'), 'web']),
];

let ending = false;
const end = (signal: NodeJS.Signals): void => {
  if (ending) return;
  ending = true;
  for (const child of children) child.kill(signal);
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(signal));
for (const child of children)
  child.on('exit', (code) => {
    process.exitCode ||= ending ? 0 : (code ?? 1);
    end('SIGTERM');
  });
