import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';
import { patienceMs } from './test/patience.ts';

/** Started once for a whole run, however many of the projects that name it take part. */
const postgres = ['./test/postgres.ts'];

/** One more than the machine has cores, since many tests wait; each may open up to 20 connections to PostgreSQL. */
const maxWorkers = Math.min(availableParallelism() + 1, 8);

/** What only a test that fails comes to know: a busy machine is no fault. */
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
      { test: { name: 'contract', include: ['contract/**/*.test.ts'] } },
      {
        test: {
          name: 'database',
          include: ['database/**/*.test.ts'],
          globalSetup: postgres,
          ...patient,
        },
      },
      {
        test: {
          name: 'server',
          include: [
            'server/**/*.test.ts',
            'test/*.test.ts',
            'test/histories/*.test.ts',
            'test/recordings/*.test.ts',
            'test/fuzz/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          globalSetup: postgres,
          ...patient,
        },
      },
      {
        test: {
          name: 'simulator',
          include: ['simulator/**/*.test.ts'],
          globalSetup: postgres,
          ...patient,
        },
      },
      {
        plugins: [react()],
        test: {
          name: 'web',
          include: ['web/**/*.test.{ts,tsx}'],
          environment: 'jsdom',
          setupFiles: ['./web/test-setup.ts'].filter((file) => existsSync(file)),
          ...patient,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: postgres,
          ...patient,
          testTimeout: 10 * patienceMs,
        },
      },
    ],
  },
});
