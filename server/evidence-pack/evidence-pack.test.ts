import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAhead } from '#database/partitions.ts';
import { appendOperations } from '#server/core/operation-log.ts';
import { makeDevice, makeProject, makeUser } from '#test/factories.ts';
import { pngOf } from '#test/images.ts';
import { channelsOf } from '#test/switches.ts';
import { unzipTo } from '#test/unzip.ts';
import { type Answer, type Client, createWorld, type World } from '#test/world.ts';
import { evidencePackRoutes } from './evidence-pack.routes.ts';

const run = promisify(execFile);
const minute = 60_000;
const photo = randomUUID();
let world: World;
let manager: Client;
let stranger: Client;
let device: Awaited<ReturnType<typeof makeDevice>>;
let foreign: Awaited<ReturnType<typeof makeDevice>>;
let now: number;
/** When the alarm was raised: 30 minutes ago. */
let raised: number;
const folders: string[] = [];

const reading = (lineId: number, at: number, amperes: number) => ({
  line_id: lineId,
  at: new Date(at),
  boot: 1,
  seq: Math.round((at - raised) / 1000) + 10_000,
  rx_ms: 120,
  position: 1,
  energy: 12.5,
  channels: channelsOf(3, { 'U.a': 231, 'I.a': amperes, 'P.t': 231 * amperes }),
});
const alarm = (id: number, of: typeof device, code = 201) => ({
  ...{ line_id: of.lines[0]!.id, id, device_id: of.id, project_id: of.project_id, part_id: null, code },
  ...{ level: 2, severity: 2, source: 'server', event_id: null, work_order: `W-${id}` },
  ...{ raised_at: new Date(raised), received_at: new Date(raised), last_at: new Date(raised) },
  ...{ cleared_at: new Date(raised + 5 * minute), suppressed_by: null, value: 52, peak: 61, threshold: 40 },
  ...{ value_type: 2, snapshot: null, original: null, urged_at: null },
  ...{ handled_at: null, handled_by: null, handled_channel: null, handling_content: null },
});
const operation = (key: string, at: number, of: { projectId?: number | null; deviceId?: number | null }) => ({
  ...{ at: new Date(at), userId: null, operator: 'somebody', key, channel: 'web', address: '10.0.0.7' },
  ...{ requestId: randomUUID(), outcome: 'done' as const, code: 200, projectId: null, deviceId: null, ...of },
  parameters: { note: `${key} <b>&</b>`, z: 1, a: [{ y: 1, x: null }] },
});

const furnish = async () => {
  const { db } = world;
  const line = device.lines[0]!;
  await db
    .insertInto('readings')
    .values(
      [-11, -9, -1, 0, 1, 4, 9, 14, 16].map((minutes) =>
        reading(line.id, raised + minutes * minute, 40 + minutes),
      ),
    )
    .execute();
  await db
    .insertInto('alarms')
    .values([alarm(900, device), alarm(901, foreign)])
    .execute();
  await db
    .insertInto('alarm_history')
    .values([
      { line_id: line.id, alarm_id: 900, seq: 1, at: new Date(raised), kind: 'raised', user_id: null },
      {
        ...{ line_id: line.id, alarm_id: 900, seq: 2, at: new Date(raised + 25 * minute), kind: 'handled' },
        ...{ user_id: manager.userId, data: '{"content":"Replaced the <cable>"}' },
      },
    ])
    .execute();
  await db
    .insertInto('commands')
    .values({
      ...{
        id: randomUUID(),
        device_id: device.id,
        line_id: line.id,
        number: 7,
        verb: 'open',
        state: 'verified',
      },
      ...{ reason: null, cause: 'button', batch_id: null, user_id: manager.userId, operator: 'keeper' },
      ...{
        address: '10.0.0.9',
        created_at: new Date(raised + minute),
        expires_at: new Date(raised + 2 * minute),
      },
      ...{ deadline_at: new Date(raised + 2 * minute), sent_at: new Date(raised + minute + 10) },
      ...{ acknowledged_at: new Date(raised + minute + 200), ended_at: new Date(raised + minute + 900) },
    })
    .execute();
  await db
    .insertInto('uploads')
    .values({
      ...{ id: photo, media_type: 'image/png', bytes: 300, sha256: Buffer.alloc(32), content: pngOf(300) },
      ...{ created_by: manager.userId, created_at: new Date(raised) },
    })
    .execute();
  await db
    .insertInto('lockout_tags')
    .values({
      ...{ device_id: device.id, reason: 'People at work <here>', photo_id: photo, owner_id: manager.userId },
      ...{ set_at: new Date(raised + 2 * minute), removed_at: null, removed_by: null, removal_reason: null },
    })
    .execute();
  await db.transaction().execute((trx) =>
    appendOperations(trx, [
      operation('session.signIn', raised - 3 * minute, {}),
      operation('control.command', raised + minute, { projectId: device.project_id, deviceId: device.id }),
      operation('control.command', raised + minute, {
        projectId: foreign.project_id,
        deviceId: foreign.id,
      }),
      operation('tag.set', raised + 2 * minute, { projectId: device.project_id, deviceId: device.id }),
      operation('alarm.handle', raised + 25 * minute, {
        projectId: device.project_id,
        deviceId: device.id,
      }),
      operation('content.add', raised + 26 * minute, {}),
    ]),
  );
};

beforeAll(async () => {
  world = await createWorld((serve) => evidencePackRoutes(serve));
  now = world.clock.now();
  await makeAhead(world.pool, now);
  raised = now - 30 * minute;
  const mine = await makeProject(world.db, { name: 'Mine & <Co>' });
  const theirs = await makeProject(world.db, { name: 'Theirs' });
  device = await makeDevice(world.db, { project_id: mine.id });
  foreign = await makeDevice(world.db, { project_id: theirs.id });
  const keeper = await makeUser(world.db, { role: 3, username: 'keeper', projects: [{ id: mine.id }] });
  manager = await world.as(keeper.id);
  stranger = await world.as((await makeUser(world.db, { role: 3, projects: [{ id: theirs.id }] })).id);
  await furnish();
});
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
  await world.close();
});

const unpacked = async (answer: Answer) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'evidence-'));
  folders.push(folder);
  return { folder, files: await unzipTo(folder, new Uint8Array(answer.response.rawPayload)) };
};
const made = async (language = 'en-US') =>
  unpacked(await manager.call('/evidence_pack/alarm', { id: 900 }, { 'accept-language': language }));
/** Output of the script in the pack, run as an external expert would. */
const verified = async (folder: string): Promise<{ code: number; said: string }> => {
  try {
    const { stdout } = await run(process.execPath, ['verify.mjs'], { cwd: folder });
    return { code: 0, said: stdout };
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string };
    return { code, said: stdout };
  }
};
const lastOperation = (key: string) =>
  world.db
    .selectFrom('operation_log')
    .selectAll()
    .where('key', '=', key)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();

describe('an evidence pack of an alarm', () => {
  it('an evidence pack of an alarm holds what happened, verifies itself offline, and its manifest is in the operation log', async () => {
    const { folder, files } = await made();
    expect([...files.keys()]).toEqual([
      ...['readings/line-0.csv', 'readings/line-1.csv', 'incident.json', 'alarms.json', 'commands.json'],
      ...['moves.json', 'tags.json', 'deliveries.json', 'settings.json', 'maintenance.json'],
      ...[`images/${photo}.png`, 'operation-log.ndjson', 'report.html', 'verify.mjs', 'manifest.json'],
    ]);
    // From ten minutes before it was raised to ten minutes after it cleared.
    const rows = files.get('readings/line-1.csv')!.toString().trim().split('\n').slice(1);
    expect(rows.map((row) => (Date.parse(row.split(',')[0]!) - raised) / minute)).toEqual([
      -9, -1, 0, 1, 4, 9, 14,
    ]);
    const [alarms, commands, tags] = ['alarms', 'commands', 'tags'].map((name) =>
      JSON.parse(files.get(`${name}.json`)!.toString()),
    );
    expect(alarms).toMatchObject([{ id: 900, history: [{ kind: 'raised' }, { kind: 'handled' }] }]);
    expect(commands).toMatchObject([
      { action: 'open', state: 'verified', acknowledged_at: expect.any(String) },
    ]);
    expect(tags).toMatchObject([{ reason: 'People at work <here>' }]);
    expect(files.get(`images/${photo}.png`)).toEqual(pngOf(300));
    expect(await verified(folder)).toEqual({ code: 0, said: expect.stringContaining('Verified: 14 files') });
    const asked = await lastOperation('evidence.export');
    const delivered = await lastOperation('evidence.delivered');
    expect(asked).toMatchObject({ device_id: device.id, project_id: device.project_id });
    const { said } = await verified(folder);
    expect(said).toContain(String(delivered.parameters['manifest_sha256']));
  });

  it('shows the log without a gap; of rows outside the reader’s scope it shows only the hashes', async () => {
    const { files } = await made();
    const rows = files
      .get('operation-log.ndjson')!
      .toString()
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row));
    const keys = rows.map(({ operation }) => operation?.key ?? null);
    expect(keys.slice(0, 4)).toEqual(['control.command', null, 'tag.set', 'alarm.handle']);
    expect(rows.map(({ id }) => id)).toEqual(rows.map((_, index) => rows[0].id + index));
    expect(files.get('operation-log.ndjson')!.toString()).not.toContain(`"deviceId":${foreign.id}`);
  });

  it('an evidence pack of an alarm has a page in the reader’s language that escapes user texts and needs no script', async () => {
    for (const [language, title] of [
      ['zh-CN', '证据包'],
      ['en-US', 'Evidence pack'],
      ['ru-RU', 'Пакет доказательств'],
    ] as const) {
      const page = (await made(language)).files.get('report.html')!.toString();
      expect(page).toContain(`<html lang="${language}">`);
      expect(page).toContain(`<h1>${title} · W-900 · ${device.number}</h1>`);
      expect(page).toContain('People at work &lt;here&gt;');
      expect(page).toContain('<polyline');
      expect(page).not.toMatch(/<script|<b>|https?:\/\//);
    }
  });

  it('names a file with a flipped bit, and a missing file', async () => {
    const { folder } = await made();
    const file = path.join(folder, 'readings/line-1.csv');
    const bytes = await readFile(file);
    bytes[bytes.length - 5]! ^= 1;
    await writeFile(file, bytes);
    await rm(path.join(folder, 'tags.json'));
    const { code, said } = await verified(folder);
    expect(code).toBe(1);
    expect(said).toContain('File was changed: readings/line-1.csv');
    expect(said).toContain('File is missing: tags.json');
    expect(said).toContain('NOT verified, findings: 2');
  });

  it.each([
    ['en-US', 'Not part of the pack and not verified: ', 'Verified: 14 files'],
    ['zh-CN', '不属于证据包的文件，未经验证：', '验证通过：14 个文件'],
    ['ru-RU', 'Не входит в пакет и не проверено: ', 'Проверено: файлов 14'],
  ])(
    'names files that an operating system or an editor added to the folder, in %s',
    async (language, named, holds) => {
      const { folder } = await made(language);
      const strays = ['.DS_Store', 'Thumbs.db', 'report.html~', 'readings/.line-1.csv.swp'];
      for (const name of strays) await writeFile(path.join(folder, name), 'x');
      const { code, said } = await verified(folder);
      expect(code).toBe(0);
      expect(said).toContain(holds);
      for (const name of strays) expect(said).toContain(named + name);
    },
  );

  it('names the changed row of the log, also when the manifest was changed with it', async () => {
    const { folder, files } = await made();
    const lines = files.get('operation-log.ndjson')!.toString().trim().split('\n');
    const change = async (changed: readonly string[]) => {
      const text = `${changed.join('\n')}\n`;
      await writeFile(path.join(folder, 'operation-log.ndjson'), text);
      const manifest = JSON.parse(files.get('manifest.json')!.toString());
      const entry = manifest.files.find(({ name }: { name: string }) => name === 'operation-log.ndjson');
      entry.sha256 = createHash('sha256').update(text).digest('hex');
      await writeFile(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
      return verified(folder);
    };
    const row = JSON.parse(lines[2]!);
    const other = JSON.stringify({ ...row, operation: { ...row.operation, operator: 'nobody' } });
    expect(await change(lines.with(2, other))).toEqual({
      code: 1,
      said: expect.stringContaining(`Row ${row.id} of the operation log was changed`),
    });
    const after = JSON.parse(lines[3]!).id;
    expect((await change(lines.toSpliced(2, 1))).said).toContain(`Rows before row ${after} `);
    expect((await change(lines.slice(0, -1))).said).toContain('are not complete');
  });

  it('refuses the evidence pack of an alarm that a user does not see like that of an unknown alarm', async () => {
    const of = (id: number) => stranger.call('/evidence_pack/alarm', { id }, { 'accept-language': 'en-US' });
    expect([(await of(900)).status, (await of(900)).msg]).toEqual([404, (await of(5)).msg]);
    expect((await stranger.call('/evidence_pack/device', { device_id: device.id, ...range(1) })).status).toBe(
      404,
    );
  });
});

const range = (days: number) => ({
  from: new Date(now - days * 24 * 60 * minute).toISOString(),
  to: new Date(now).toISOString(),
});
describe('an evidence pack of a device and a time', () => {
  it('an evidence pack of a device and a time holds that time, ten more minutes of readings, and its alarms', async () => {
    const answer = await manager.call('/evidence_pack/device', {
      ...{ device_id: device.id, from: new Date(raised - minute).toISOString() },
      to: new Date(raised + 5 * minute).toISOString(),
    });
    const { folder, files } = await unpacked(answer);
    expect(files.get('readings/line-1.csv')!.toString().trim().split('\n')).toHaveLength(1 + 8);
    expect(JSON.parse(files.get('alarms.json')!.toString())).toMatchObject([{ work_order: 'W-900' }]);
    expect((await verified(folder)).code).toBe(0);
    expect(answer.response.headers['content-disposition']).toContain(encodeURIComponent(device.number));
  });

  it('draws no line across a time without readings, and labels no zero as -0', async () => {
    const begin = raised - 180 * minute;
    const minutes = [...Array(41).keys()].filter((each) => each <= 10 || each >= 30);
    await world.db
      .insertInto('readings')
      .values(minutes.map((each) => reading(device.lines[0]!.id, begin + each * minute, each % 2)))
      .execute();
    const { files } = await unpacked(
      await manager.call('/evidence_pack/device', {
        ...{ device_id: device.id, from: new Date(begin).toISOString() },
        to: new Date(begin + 40 * minute).toISOString(),
      }),
    );
    const page = files.get('report.html')!.toString();
    const charts = page.split('<svg ').slice(1);
    expect(charts.length).toBeGreaterThan(0);
    for (const chart of charts) expect(chart.split('<polyline').length - 1).toBe(2);
    expect(page).toContain('>0</text>');
    expect(page).not.toMatch(/>[-−]0<\/text>/);
  });

  it('marks the period of an evidence pack that is longer than a week', async () => {
    const answer = await manager.call(
      '/evidence_pack/device',
      { device_id: device.id, ...range(8) },
      { 'accept-language': 'en-US' },
    );
    expect([answer.status, answer.data]).toEqual([422, { to: 'The range is too long (7 days at most)' }]);
  });

  it('a pack begins when the device came to the reader’s project', async () => {
    const moved = await makeDevice(world.db, { project_id: device.project_id });
    await world.db
      .insertInto('device_past_owners')
      .values({
        device_id: moved.id,
        project_id: foreign.project_id!,
        part_id: null,
        since: new Date(0),
        until: new Date(raised),
      })
      .execute();
    const line = moved.lines[0]!.id;
    await world.db
      .insertInto('readings')
      .values([reading(line, raised - minute, 1), reading(line, raised + minute, 2)])
      .execute();
    const { files } = await unpacked(
      await manager.call('/evidence_pack/device', { device_id: moved.id, ...range(1) }),
    );
    const rows = files.get('readings/line-1.csv')!.toString().trim().split('\n').slice(1);
    expect(rows.map((row) => Date.parse(row.split(',')[0]!))).toEqual([raised + minute]);
  });
});
