import * as path from 'node:path';

/** What vitest's JSON reporter writes, as far as it is read here. */
export interface Report {
  testResults: {
    /** Path of the file. */
    name: string;
    status: string;
    assertionResults: { status: string; fullName: string; failureMessages?: string[] | null }[];
  }[];
}
type File = Report['testResults'][number];

const mostRepeated = 5;
/** fast-check's words for a counterexample. */
const counterexample = 'Property failed';

const failedIn = (file: File) => file.assertionResults.filter(({ status }) => status === 'failed');
const hasFailed = (file: File): boolean => file.status === 'failed' || failedIn(file).length > 0;
const isRefuted = (file: File): boolean =>
  failedIn(file).some(({ failureMessages }) =>
    (failureMessages ?? []).some((message) => message.includes(counterexample)),
  );

/**
 * Paths of the files to run once more by themselves: those that failed, if they are few. None if a property has a
 * counterexample, which another run with other random values would hide.
 */
export const filesToRepeat = ({ testResults }: Report): string[] => {
  const failed = testResults.filter(hasFailed);
  return failed.length > mostRepeated || failed.some(isRefuted) ? [] : failed.map(({ name }) => name);
};

const namesIn = (file: File, root: string): string[] => {
  const name = path.relative(root, file.name);
  const failed = failedIn(file).map(({ fullName }) => `${name}: ${fullName}`);
  return failed.length === 0 && hasFailed(file) ? [`${name}: failed before its first test`] : failed;
};

const listed = (title: string, names: readonly string[]): string[] =>
  names.length > 0 ? [title, ...names.map((name) => `  ${name}`)] : [];

/**
 * Failed tests with their files, then the numbers. `repeated`: report of the files that ran once more; its
 * results count, and tests that failed at first are still named. Without any report, one test counts as
 * failed.
 */
export const summaryOf = (
  first: Report | undefined,
  repeated: Report | undefined,
  root: string,
): { lines: string[]; failed: number } => {
  if (!first) return { lines: ['tests: 0 passed, 1 failed'], failed: 1 };
  const again = new Map(repeated?.testResults.map((file) => [file.name, file]));
  const files = first.testResults.map((file) => again.get(file.name) ?? file);
  const passed = files
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed').length;
  const failed = files.flatMap((file) => namesIn(file, root));
  const byChance = first.testResults
    .filter(({ name }) => again.has(name))
    .flatMap((file) => namesIn(file, root))
    .filter((name) => !failed.includes(name));
  return {
    lines: [
      ...listed('Failed at first, passed by themselves (look for a race):', byChance),
      ...listed('Failed tests:', failed),
      `tests: ${passed} passed, ${failed.length} failed`,
    ],
    failed: failed.length,
  };
};
