/** Copies of a rule differ one day, so only the rule's owner may contain its text. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { alarmCodes } from '#contract/alarm-codes.ts';

const server = path.resolve(import.meta.dirname, '../server');
const files = readdirSync(server, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !/\.(test|world)\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(server, file), 'utf8') }));

it.each([
  {
    rule: 'which alarms count: counted_alarms(), shown_alarms(), and unexplained() for rows being written',
    pattern: /suppressed_by is null/,
    owners: ['core/unexplained.ts'],
  },
  {
    rule: 'unexplained() is asked where alarms are written or filtered by it, never to count them for a reader',
    pattern: /core\/unexplained\.ts/,
    owners: ['alarms/engine/write.ts', 'alarms/filter.ts', 'alarms/handle.ts', 'notices/plan.ts'],
  },
  {
    rule: 'which alarms are shelved: shelvings',
    pattern: /shelved_alarms/,
    owners: ['alarms/shelving.ts', 'core/retention.ts'],
  },
  {
    rule: 'which limits are in effect: effective_thresholds',
    pattern: /default_thresholds/,
    owners: ['alarm-types/default-thresholds.ts'],
  },
  {
    rule: 'the zone where no project says one: defaultZone',
    pattern: /Asia\/Shanghai/,
    owners: ['core/zone.ts'],
  },
  // The conflict target of an insert cannot have a qualified name, so this file may write the condition
  // itself.
  {
    rule: 'which rows users see as existing: notDeleted()',
    pattern: /deleted_at(?:' *, *'is', *null| is null)/,
    owners: ['core/not-deleted.ts', 'devices/changes.ts'],
  },
  {
    rule: 'which reports are fresh: isFresh() and freshSql()',
    pattern: /interval_seconds \* interval/,
    owners: ['core/fresh-report.ts'],
  },
  {
    rule: 'which accounts are active: isActiveAccount',
    pattern: /users\.enabled and/,
    owners: ['core/account.ts'],
  },
  {
    rule: 'which alarms neither a flood nor grouping withholds: isGrave()',
    pattern: /severity <= \d/,
    owners: [],
  },
  {
    rule: 'how a user is called: displayName',
    pattern: /nickname\b[^;\n]*(\|\||''\))/,
    owners: ['core/display-name.ts'],
  },
  {
    rule: 'a text anywhere in a column: containing()',
    pattern: /\[\\\\%_\]/,
    owners: ['core/containing.ts'],
  },
  {
    rule: 'which commands are under way: openStates',
    pattern: /'created', *'sent', *'acknowledged'/,
    owners: ['control/states.ts'],
  },
  {
    rule: 'the rated power of a line in watts: ratedPowerSql()',
    pattern: /poles >= 3 then 3/,
    owners: ['core/rated-power.ts'],
  },
  {
    rule: 'the nominal voltage where no project says one: usualNominalVoltage',
    pattern: /nominal_?voltage[^\n]{0,12}\b220\b/i,
    owners: [],
  },
])('$rule', ({ pattern, owners }) => {
  const found = files.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
  expect(found.sort()).toEqual([...owners].sort());
});

/** Numbers with other meanings: HTTP status codes, states of sessions and roles, types of PostgreSQL. */
const otherNumbers = /status|endSession|ended_as|firstOwnCode|oid|Dbm/;
it('source files name alarm types by alarmCodes, never by a bare number', () => {
  const bare = new RegExp(`(?<![\\w.#'§-])(${Object.values(alarmCodes).join('|')})(?![\\w.%])`);
  const found = files.flatMap(({ file, text }) =>
    text
      .split('\n')
      .map((line) => line.replace(/\/\/.*$/, ''))
      .filter((line) => !/^\s*(\/\*|\*)/.test(line) && bare.test(line) && !otherNumbers.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

/** A change of a part of an answer is no refresh: `patchAnswer` of web/api/query.ts leaves a failed one failed. */
it('the console replaces an answer as a whole only by one of the server, or by what the reader has just set', () => {
  const web = path.resolve(import.meta.dirname, '../web');
  const found = readdirSync(web, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
    .filter((file) => /setQuer(?:y|ies)Data/.test(readFileSync(path.join(web, file), 'utf8')));
  expect(found.sort()).toEqual([
    'app/last-state/last-state.ts',
    'features/notices/PopupSettings.tsx',
    'features/popups/use-sound.ts',
    'features/profile/InfoTab.tsx',
  ]);
});
