import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest test files, slowest first: a slow file that starts last would delay the end of the run. */
const longest = [
  'test/e2e/axe.test.ts',
  'test/energy-year.test.ts',
  'database/embedded.test.ts',
  'test/rollout.test.ts',
  'test/rollout-kill.test.ts',
  'test/e2e/link.test.ts',
  'test/histories/histories.test.ts',
  'server/control/paths.matrix.test.ts',
  'test/e2e/storm.test.ts',
  'test/permissions.test.ts',
  'test/e2e/alarm.test.ts',
  'test/fuzz/fuzz.test.ts',
  'demo/estate/estate.test.ts',
  'test/e2e/push.test.ts',
  'server/devices/import-read.test.ts',
  'test/hostile.test.ts',
  'test/e2e/overview.test.ts',
  'web/app/number-fields.test.tsx',
  'server/backups/backups.test.ts',
  'test/restore.test.ts',
  'server/link/link.faults.test.ts',
  'test/first-start.test.ts',
  'test/e2e/chart.test.ts',
  'server/control/states.test.ts',
  'server/control/paths.config.test.ts',
  'server/control/publish.test.ts',
  'test/counts.test.ts',
  'test/e2e/statistics.test.ts',
  'test/e2e/devices.test.ts',
  'test/settings-kill.test.ts',
  'server/timers/timers.rules.test.ts',
  'test/e2e/system.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = longest.indexOf(relative(this.ctx.config.root, moduleId));
      return found < 0 ? longest.length : found;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
