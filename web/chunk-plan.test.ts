import { expect, test } from 'vitest';
import { type Piece, planChunks, type Visit } from './chunk-plan.ts';

const piece = (file: string, bytes: number, needs: string[] = [], more: Partial<Piece> = {}): Piece => ({
  ...{ file, bytes, needs, isEntry: false },
  ...more,
});
const page = (file: string, ...needs: string[]) => piece(file, 1_000, needs, { isEntry: true });
const visit = (...entries: string[]): Visit => ({ entries, weight: 1, price: 500 });
const plan = (pieces: Piece[], visits: Visit[]) =>
  planChunks(pieces, visits)
    .map((files) => files.toSorted())
    .toSorted();

test('modules that the same pages need come as one file', () => {
  const pieces = [page('one', 'a', 'b'), page('two', 'a', 'b'), piece('a', 9_000), piece('b', 9_000)];
  expect(plan(pieces, [visit('one'), visit('two')])).toEqual([['a', 'b']]);
});

test('a file that only some pages need is merged as long as it is smaller than the cost of a request', () => {
  const pieces = (bytes: number) => [
    page('one', 'a', 'b'),
    page('two', 'b'),
    piece('a', bytes),
    piece('b', 9),
  ];
  const visits = [visit('one'), visit('two')];
  expect(plan(pieces(499), visits)).toEqual([['a', 'b']]);
  expect(plan(pieces(501), visits)).toEqual([['a'], ['b']]);
});

test('merging counts what the other file needs too', () => {
  const pieces = [
    ...[page('one', 'a', 'b'), page('two', 'b'), page('three', 'large')],
    ...[piece('a', 10, ['large']), piece('b', 10), piece('large', 90_000)],
  ];
  expect(plan(pieces, [visit('one'), visit('two'), visit('three')])).toContainEqual(['b']);
});

test('a file that is loaded by name stays separate', () => {
  const pieces = [page('one', 'two', 'a'), page('two', 'a'), piece('a', 10)];
  expect(plan(pieces, [visit('one'), visit('two')])).toEqual([['a']]);
});

test('files never import each other in a circle', () => {
  // If the first and the last were merged, they would need the middle one, which needs them.
  const pieces = [
    ...[page('one', 'first'), page('two', 'between'), piece('first', 10, ['between'])],
    ...[piece('between', 90_000, ['last'], { isEntry: true }), piece('last', 10)],
  ];
  expect(plan(pieces, [visit('one')])).toEqual([['first'], ['last']]);
});

test('merging adds unneeded bytes to a visit within its budget, and hardly any beyond it', () => {
  const pieces = (bytes: number) => [
    page('one', 'a', 'b'),
    page('two', 'b'),
    piece('a', bytes),
    piece('b', 9_000),
  ];
  const visits: Visit[] = [visit('one'), { ...visit('two'), price: 90_000, budget: 15_000 }];
  const dear = visits.map((each) => ({ ...each, price: 90_000 }));
  // Visit `two` loads 10,000 bytes that it needs.
  expect(plan(pieces(4_000), dear)).toEqual([['a', 'b']]);
  expect(plan(pieces(8_000), dear)).toEqual([['a'], ['b']]);
});

test('small files are merged even for a visit that needs more than its budget', () => {
  const pieces = [page('one', 'a', 'b'), page('two', 'b'), piece('a', 2_000), piece('b', 9_000)];
  const visits = [visit('one'), visit('two')].map((each) => ({ ...each, price: 90_000, budget: 5_000 }));
  expect(plan(pieces, visits)).toEqual([['a', 'b']]);
});
