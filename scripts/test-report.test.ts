import { describe, expect, it } from 'vitest';
import { filesToRepeat, type Report, summaryOf } from './test-report.ts';

const file = (name: string, tests: Record<string, string | null>, status?: string) => {
  const assertionResults = Object.entries(tests).map(([fullName, message]) => ({
    fullName,
    status: message === null ? 'passed' : 'failed',
    failureMessages: message === null ? [] : [message],
  }));
  const failed = assertionResults.some((each) => each.status === 'failed');
  return { name: `/root/${name}`, status: status ?? (failed ? 'failed' : 'passed'), assertionResults };
};
const report = (...testResults: Report['testResults']): Report => ({ testResults });
const late = 'Error: not within 60000 ms';

describe('the files that run once more', () => {
  it('the files that run once more are those that failed', () => {
    const first = report(file('a.test.ts', { one: null, two: late }), file('b.test.ts', { three: null }));
    expect(filesToRepeat(first)).toEqual(['/root/a.test.ts']);
    expect(filesToRepeat(report(file('c.test.ts', {}, 'failed')))).toEqual(['/root/c.test.ts']);
  });
  it('no file runs once more when more than five failed', () => {
    const failed = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => file(`${name}.test.ts`, { one: late }));
    expect(filesToRepeat(report(...failed))).toEqual([]);
    expect(filesToRepeat(report(...failed.slice(1)))).toHaveLength(5);
  });
  it('no file runs once more when a property has a counterexample', () => {
    const refuted = file('a.test.ts', { one: 'Error: Property failed after 7 tests' });
    expect(filesToRepeat(report(refuted, file('b.test.ts', { two: late })))).toEqual([]);
  });
});

describe('the summary', () => {
  const first = report(file('a.test.ts', { one: null, two: late }), file('b.test.ts', { three: null }));
  it('lists the tests that failed', () => {
    expect(summaryOf(first, undefined, '/root')).toEqual({
      lines: ['Failed tests:', '  a.test.ts: two', 'tests: 2 passed, 1 failed'],
      failed: 1,
    });
  });
  it('names a test that fails at first and passes when run alone, and counts it as passed', () => {
    expect(summaryOf(first, report(file('a.test.ts', { one: null, two: null })), '/root')).toEqual({
      lines: [
        'Failed at first, passed by themselves (look for a race):',
        '  a.test.ts: two',
        'tests: 3 passed, 0 failed',
      ],
      failed: 0,
    });
  });
  it('counts a test that fails again as failed', () => {
    expect(summaryOf(first, first, '/root').failed).toBe(1);
  });
  it('counts a file that fails before its first test, and a run without a report, as one failed test', () => {
    expect(summaryOf(report(file('c.test.ts', {}, 'failed')), undefined, '/root').lines).toEqual([
      'Failed tests:',
      '  c.test.ts: failed before its first test',
      'tests: 0 passed, 1 failed',
    ]);
    expect(summaryOf(undefined, undefined, '/root')).toEqual({
      lines: ['tests: 0 passed, 1 failed'],
      failed: 1,
    });
  });
});
