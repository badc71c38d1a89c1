import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest test files, slowest first: a slow file that starts last would delay the end of the run. */
const longest = [
  'test/e2e/axe.test.ts',
  'test/histories/histories.test.ts',
  'test/e2e/tour.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/settings-kill.test.ts',
  'test/e2e/map.test.ts',
  'server/control/paths.matrix.test.ts',
  'test/e2e/phone.test.ts',
  'test/hostile.test.ts',
  'test/e2e/people.test.ts',
  'test/e2e/link.test.ts',
  'database/embedded.test.ts',
  'server/timers/timers.rules.test.ts',
  'test/rollout-kill.test.ts',
  'test/energy-year.test.ts',
  'test/permissions.test.ts',
  'server/control/paths.config.test.ts',
  'test/e2e/statistics.test.ts',
  'server/control/states.test.ts',
  'server/devices/import-read.test.ts',
  'test/e2e/shift.test.ts',
  'test/e2e/statistics-figures.test.ts',
  'test/e2e/first-run.test.ts',
  'demo/estate/estate.test.ts',
  'test/rollout.test.ts',
  'test/e2e/alarm.test.ts',
  'server/backups/backups.test.ts',
  'test/e2e/map-script.test.ts',
  'test/e2e/queue.test.ts',
  'test/e2e/devices.test.ts',
  'test/counts.test.ts',
  'test/restore.test.ts',
  'test/first-start.test.ts',
  'server/start/unprivileged.test.ts',
  'server/link/link.faults.test.ts',
  'web/app/number-fields.test.tsx',
  'test/e2e/map-offline.test.ts',
  'test/e2e/bad-input.test.ts',
  'test/e2e/storm.test.ts',
  'test/e2e/system.test.ts',
  'server/control/publish.test.ts',
  'test/e2e/push.test.ts',
  'test/e2e/overview.test.ts',
  'server/control/late-facts.test.ts',
  'test/e2e/what-if.test.ts',
  'test/e2e/back.test.ts',
  'server/timers/preview.test.ts',
  'server/operation-log/operation-log.test.ts',
  'test/specification-rules.test.ts',
  'test/major-upgrade.test.ts',
  'server/rollups/rollups.test.ts',
  'test/ownership.test.ts',
  'test/strangers.test.ts',
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
