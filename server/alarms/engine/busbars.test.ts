import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { GroupReading, LineRef } from '#server/core/group.ts';
import { readingOf } from '#test/alarm-feeder.ts';
import { makeDevice, makePart, makeProject } from '#test/factories.ts';
import { type AlarmWorld, createAlarmWorld, normal } from '../alarms.world.ts';

let server: AlarmWorld;
let lines: LineRef[];
let elsewhere: LineRef;
let inPart: LineRef;

beforeAll(async () => {
  server = await createAlarmWorld();
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.renew();
  const { db } = server.world;
  const lineAt = async (project_id: number, part_id: number | null = null): Promise<LineRef> => {
    const device = await makeDevice(db, { project_id, ...(part_id === null ? {} : { part_id }) });
    const about = { deviceId: device.id, lineId: device.lines[0]!.id, deviceLineId: device.deviceLine.id };
    return { ...server.line, ...about, projectId: project_id, partId: part_id };
  };
  const projectId = server.line.projectId!;
  lines = [server.line];
  for (let n = 0; n < 11; n += 1) lines.push(await lineAt(projectId));
  elsewhere = await lineAt((await makeProject(db)).id);
  inPart = await lineAt(projectId, (await makePart(db, projectId)).id);
});

const at = (line: LineRef, seconds: number, volts: number): GroupReading =>
  readingOf(line, seconds, { ...normal, 'U.a': volts });
/** Each device reports at its own second of the minute. */
const minute = async (seconds: number, volts: number, of: readonly LineRef[] = lines) => {
  for (const [index, line] of of.entries())
    await server.group({ readings: [at(line, seconds + index * 5, volts)] });
};
const roots = async () => (await server.list()).filter(({ active }) => active);
const held = async () =>
  Number(
    (
      await server.world.pool.query(
        'select count(*) as n from alarms where suppressed_by is not null and cleared_at is null',
      )
    ).rows[0].n,
  );

it('combines the undervoltages of one busbar in one work order, led by the first device', async () => {
  await minute(0, 190);
  await minute(60, 190);
  const list = await roots();
  expect(list).toMatchObject([{ typeNumber: 102, device_id: lines[0]!.deviceId, level: 1 }]);
  expect(await held()).toBe(11);
  const { data } = await server.operator.call('/device_warning/getDetatil', { id: list[0]!.id });
  expect(data.consequences).toHaveLength(11);
  await minute(120, 220);
  await minute(180, 220);
  expect(await roots()).toEqual([]);
  expect(await held()).toBe(0);
});

it('undervoltages of two projects or parts, or minutes apart, are separate work orders', async () => {
  await minute(0, 190);
  await minute(60, 190);
  await minute(60, 190, [elsewhere, inPart]);
  await minute(120, 190, [elsewhere, inPart]);
  expect((await roots()).map(({ device_id }) => device_id).sort()).toEqual(
    [lines[0]!.deviceId, elsewhere.deviceId, inPart.deviceId].sort(),
  );
  await server.renew();
  await minute(0, 190, lines.slice(0, 1));
  await minute(60, 190, lines.slice(0, 1));
  await minute(400, 190, lines.slice(1, 2));
  await minute(460, 190, lines.slice(1, 2));
  expect(await roots()).toHaveLength(2);
});

it('shows a more severe alarm once when the voltage falls further', async () => {
  await minute(0, 190);
  await minute(60, 190);
  const falling = [...lines].reverse();
  await minute(120, 170, falling);
  await minute(180, 170, falling);
  const list = await roots();
  expect(list.map(({ level }) => level)).toEqual([2, 2]);
  expect(list.map(({ device_id }) => device_id).sort()).toEqual(
    [lines[0]!.deviceId, falling[0]!.deviceId].sort(),
  );
});

it('promotes a remaining device when the first one recovers', async () => {
  await minute(0, 190);
  await minute(60, 190);
  await minute(120, 220, lines.slice(0, 1));
  await minute(160, 220, lines.slice(0, 1));
  await minute(180, 190, lines.slice(1));
  await minute(240, 190, lines.slice(1));
  expect(await roots()).toMatchObject([{ typeNumber: 102, device_id: lines[1]!.deviceId }]);
  expect(await held()).toBe(10);
});

it('combines undervoltages that devices report themselves, also after a restart', async () => {
  const raise = (line: LineRef, seconds: number) =>
    server.event(seconds, { st: 'raise', code: 102, lvl: 1, eid: `e${line.deviceId}` }, line);
  const clear = (line: LineRef, seconds: number) =>
    server.event(seconds, { st: 'clear', code: 102, lvl: 1, eid: `e${line.deviceId}` }, line);
  for (const [index, line] of lines.slice(0, 6).entries()) await raise(line, index * 5);
  await server.restart();
  for (const [index, line] of lines.slice(6).entries()) await raise(line, 30 + index * 5);
  expect(await roots()).toMatchObject([{ device_id: lines[0]!.deviceId }]);
  expect(await held()).toBe(11);
  await clear(lines[0]!, 100);
  expect(await roots()).toMatchObject([{ device_id: lines[1]!.deviceId }]);
  expect(await held()).toBe(10);
  for (const line of lines.slice(1)) await clear(line, 120);
  expect(await roots()).toEqual([]);
});

it('shows a later undervoltage after the first was handled', async () => {
  await minute(0, 190, lines.slice(0, 2));
  await minute(60, 190, lines.slice(0, 2));
  await server.handleAll();
  await minute(70, 190, lines.slice(2, 3));
  await minute(130, 190, lines.slice(2, 3));
  expect(await server.unprocessed()).toBe(1);
});

it('shows a trip of a later device after the first was handled', async () => {
  await minute(0, 150, lines.slice(0, 2));
  await minute(60, 150, lines.slice(0, 2));
  await server.handleAll();
  const [, second] = lines;
  await server.group({ readings: [{ ...at(second!, 130, 150), trip: 102, position: 0 }] });
  expect((await roots()).map(({ typeNumber, status }) => `${typeNumber} ${status}`)).toEqual([
    '102 processed',
    '701 unprocessed',
  ]);
});

it('forgets a supply alarm whose group was rolled back', async () => {
  await minute(0, 190);
  await server.world.pool.query('alter table alarms add constraint refused check (code <> 102) not valid');
  await expect(server.group({ readings: [at(lines[0]!, 60, 190)] })).rejects.toThrow();
  await server.world.pool.query('alter table alarms drop constraint refused');
  await minute(65, 190, lines.slice(1));
  expect(await roots()).toMatchObject([{ device_id: lines[1]!.deviceId }]);
});
