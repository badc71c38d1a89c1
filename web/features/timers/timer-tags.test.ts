import { expect, test } from 'vitest';
import { type TimerTag, tagsOn } from './timer-tags.ts';

const tag = (tag_id: number, given: Partial<TimerTag>): TimerTag => ({
  tag_id,
  on: 'line',
  line_id: null,
  device_id: null,
  project_id: null,
  reason: 'cable repair',
  owner: 'duty',
  ...given,
});
const place = { line_id: 8, device_id: 3, project_id: 1 };
const idsOn = (...tags: TimerTag[]) => tagsOn(tags, place).map(({ tag_id }) => tag_id);

test('a timer shows the tags of its line, its device and its project', () => {
  expect(
    idsOn(
      tag(1, { on: 'line', line_id: 8, project_id: 1 }),
      tag(2, { on: 'device', device_id: 3, project_id: 1 }),
      tag(3, { on: 'project', project_id: 1 }),
    ),
  ).toEqual([1, 2, 3]);
});

test('a timer shows no tag of another line, device or project', () => {
  expect(
    idsOn(
      tag(1, { on: 'line', line_id: 9, project_id: 1 }),
      tag(2, { on: 'device', device_id: 4, project_id: 1 }),
      tag(3, { on: 'project', project_id: 2 }),
    ),
  ).toEqual([]);
});
