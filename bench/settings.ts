import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, connectPool } from '#database/connect.ts';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { openSession } from '#server/core/session.ts';
import { listenTo } from '#test/event-stream.ts';
import { makeDevices, makeProject, makeUser, secretOfMany } from '#test/factories.ts';
import { freePort } from '#test/mosquitto.ts';
import { startServer } from '#test/server-process.ts';
import { connectSettable } from '#test/settable-devices.ts';
import type { Figure } from './figure.ts';
import { processorTime } from './processor-time.ts';

/**
 * Sets two parameters on 1,000 connected devices: the product runs as a separate process with its broker, is
 * called over HTTP and followed on the live stream; the devices, in this process, answer at once.
 */
const size = 1_000;
const patienceMs = 180_000;

const until = async (holds: () => boolean | Promise<boolean>) => {
  const end = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ${patienceMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

export const run = async (): Promise<Figure[]> => {
  const postgres = await startEmbeddedPostgres({ dataDir: `/tmp/ampwatch-bench-settings-${process.pid}` });
  const ends: (() => Promise<unknown>)[] = [() => postgres.stop()];
  try {
    await migrate(postgres.url);
    const port = await freePort();
    const server = await startServer({ DATABASE_URL: postgres.url, MQTT_PORT: String(port) });
    ends.unshift(() => server.stop());
    const url = /ready after .*?(http:\S+)/.exec(server.said)?.[1] ?? '';
    const pool = connectPool(postgres.url, 4);
    const db = connect(pool);
    ends.unshift(() => db.destroy());
    const project = await makeProject(db);
    const ids = await makeDevices(db, size, project.id);
    const devices = await db.selectFrom('devices').select('number').where('id', 'in', ids).execute();
    const fleet = connectSettable(
      port,
      devices.map(({ number }) => number),
      secretOfMany,
    );
    ends.unshift(() => fleet.close());
    await until(async () => {
      const { rows } = await pool.query(
        `select count(*) as n from device_reported join device_state using (device_id) where kind = 'cfg' and online`,
      );
      return rows[0].n === size;
    });
    await pool.query('vacuum analyze');
    const user = await makeUser(db, { role: 1 });
    const { token } = await openSession(db, user.id, Date.now(), { address: '127.0.0.1', agent: 'bench' });
    const live = await listenTo(`${url}/live`, token);
    ends.unshift(async () => live.close());

    const { rows } = await pool.query<{ folder: string }>(
      `select current_setting('data_directory') as folder`,
    );
    const pid = await readFile(join(rows[0]!.folder, 'postmaster.pid'), 'utf8');
    const postmaster = Number(pid.split('\n')[0]);
    const push = async (value: number) => {
      const before = live.events.length;
      const processors = processorTime([server.process.pid ?? 0, postmaster]);
      const begun = performance.now();
      const answer = await fetch(`${url}/device/device_set`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: token },
        body: JSON.stringify({
          filter: { project_id: project.id },
          expected: size,
          settings: [
            { key: 'il_w', value },
            { key: 'il_a', value: value * 2 },
          ],
        }),
      });
      const { data } = (await answer.json()) as { data: { job_id: string } };
      const answered = performance.now() - begun;
      const ofJob = ({ name, data: event }: { name: string; data: { job_id?: string } }) =>
        name === 'job' && event.job_id === data.job_id;
      await live.hears((event) => ofJob(event) && event.data.done, patienceMs);
      const whole = performance.now() - begun;
      if (fleet.devices.some((device) => device.values['il_w'] !== value))
        throw new Error('a device is shown as done and does not have the value');
      const spent = processorTime([server.process.pid ?? 0, postmaster]) - processors;
      return { answered, whole, spent, events: live.events.slice(before).filter(ofJob).length };
    };
    const runs = [];
    for (const value of [20, 22, 24, 26, 28]) runs.push(await push(value));
    const middle = (figures: number[]) => figures.sort((a, b) => a - b)[Math.floor(figures.length / 2)]!;
    const anchor = `${size.toLocaleString('en')} devices, two parameters, filter in one call`;
    return [
      {
        name: 'parameter push, all confirmed by the devices',
        figure: middle(runs.map(({ whole }) => whole)) / 1000,
        unit: 's',
        goal: '≤ 10 s',
        anchor,
      },
      {
        name: '… CPU of server and database, each device',
        figure: middle(runs.map(({ spent }) => spent)) / size / 1000,
        unit: 'ms',
        goal: '≤ 10 ms',
        anchor,
      },
      {
        name: '… the call answers',
        figure: middle(runs.map(({ answered }) => answered)),
        unit: 'ms',
        goal: '≤ 300 ms',
        anchor,
      },
      {
        name: '… progress event on the live stream',
        figure: middle(runs.map(({ events }) => events)),
        unit: 'times',
        goal: '≥ 3',
        anchor,
      },
    ];
  } finally {
    for (const end of ends) await end();
  }
};
