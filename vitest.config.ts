import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';
import { patienceMs } from './test/patience.ts';

/** Half of a process's start time is compiling its sources: the compiled code is cached. */
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url));

/** Started once for a whole run, even if several projects name it. */
const postgres = ['./test/postgres.ts'];

/** One more than the machine has cores, since many tests wait; each may open up to 20 connections to PostgreSQL. */
const maxWorkers = Math.min(availableParallelism() + 1, 8);

/**
 * One process runs many files and loads shared modules once. No module of these projects keeps state that could
 * affect another test file. Modules of the console do (languages, stores, answers), so `web/test-setup.ts`
 * loads them again for each file, and only libraries are shared.
 */
const shared = { isolate: false };

/** Tests of the console without a screen that need a window all the same. */
const withWindow = [
  'web/api/call.test.ts',
  'web/api/frame.test.ts',
  'web/api/live.test.ts',
  'web/api/session-end.test.ts',
  'web/features/dashboard/use-pages.test.ts',
  'web/features/dashboard/use-wall.test.ts',
  'web/i18n/i18n.test.ts',
  'web/parts/chart/category-scene.test.ts',
  'web/parts/chart/option.test.ts',
  'web/parts/late.test.ts',
  'web/parts/map/provider-ground.test.ts',
  'web/parts/map/provider-script.test.ts',
  'web/parts/table/use-held-order.test.ts',
  'web/parts/table/use-window.test.ts',
];

/** Time-outs that only a failing test reaches: a busy machine is no fault. */
const patient = {
  expect: { poll: { timeout: patienceMs } },
  testTimeout: 5 * patienceMs,
  hookTimeout: 5 * patienceMs,
};

export default defineConfig({
  test: {
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { name: 'contract', include: ['contract/**/*.test.ts'], ...shared } },
      {
        test: {
          name: 'database',
          include: ['database/**/*.test.ts'],
          globalSetup: postgres,
          ...shared,
          ...patient,
        },
      },
      {
        test: {
          name: 'server',
          include: [
            'server/**/*.test.ts',
            'demo/**/*.test.ts',
            'test/*.test.ts',
            'test/histories/*.test.ts',
            'test/recordings/*.test.ts',
            'test/fuzz/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          globalSetup: postgres,
          ...shared,
          ...patient,
        },
      },
      {
        test: {
          name: 'simulator',
          include: ['simulator/**/*.test.ts'],
          globalSetup: postgres,
          ...shared,
          ...patient,
        },
      },
      {
        plugins: [react()],
        test: {
          name: 'web',
          include: ['web/**/*.test.tsx', ...withWindow],
          environment: 'jsdom',
          setupFiles: ['./web/test-setup.ts'].filter((file) => existsSync(file)),
          ...shared,
          ...patient,
        },
      },
      { test: { name: 'web-plain', include: ['web/**/*.test.ts'], exclude: withWindow, ...shared } },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: [...postgres, './test/demo-product.ts'],
          ...patient,
          ...shared,
          testTimeout: 10 * patienceMs,
        },
      },
    ],
  },
});
