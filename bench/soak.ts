import { readdirSync, readFileSync } from 'node:fs';
import { connect, connectPool } from '#database/connect.ts';
import { openSession } from '#server/core/session.ts';
import type { Figure } from './figure.ts';
import { askable, askMemoryInUse } from './memory-in-use.ts';
import { furnishDevices, makeAdmin, officeFleet, startProduct } from './product-bench.ts';

const devices = 200;
const teleSeconds = 2;
const sampleMs = 2_000;
/** Between two full collections, in samples. */
const collectEvery = 15;
const lengthMs = Number(process.env['SOAK_MINUTES'] ?? 30) * 60_000;
/** The first part fills caches, pools and the heap; only the rest is measured. */
const warmShare = 1 / 3;
const calls = [
  ['/device_warning/WarningList', { limit: 50 }],
  ['/Device/get_device_list', { limit: 50 }],
  ['/index/census', {}],
  ['/operation_log/get_list', { limit: 50 }],
  ['/Project/get_project_list', {}],
] as const;

interface Sample {
  seconds: number;
  /** Resident size. */
  megabytes: number;
  /** Data that a full collection leaves, or null where none was made. */
  inUse: number | null;
  files: number;
  connections: number;
}

const residentMegabytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024;

/** Least squares: the slope and its 95 % error (twice the standard error). */
const slopeOf = (points: readonly (readonly [x: number, y: number])[]): { slope: number; noise: number } => {
  const n = points.length;
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / n;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / n;
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  const rest = points.reduce((sum, [x, y]) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  return { slope, noise: 2 * Math.sqrt(rest / (n - 2) / spread) };
};
/**
 * The whole product for `SOAK_MINUTES` (30): 200 devices report every 2 s, and a console reads five lists a
 * second and follows the live stream. Linux only.
 */
export const run = async (): Promise<Figure[]> => {
  const product = await startProduct(askable);
  const pool = connectPool(product.databaseUrl, 2);
  const leaving = new AbortController();
  try {
    await furnishDevices(pool, devices, product.secret);
    const db = connect(connectPool(product.databaseUrl, 1));
    const { token } = await openSession(db, await makeAdmin(db), Date.now(), { address: '', agent: 'bench' });
    await db.destroy();
    const fleet = officeFleet(product, devices, teleSeconds);
    fleet.start();
    const headers = { authorization: token, 'content-type': 'application/json' };
    const live = fetch(`${product.url}/live`, { headers, signal: leaving.signal })
      .then(async (answer) => {
        for await (const _ of answer.body ?? []);
      })
      .catch(() => {});
    const server = product.server.process.pid ?? 0;
    const memory = await askMemoryInUse(product.server);
    const samples: Sample[] = [];
    let answered = 0;
    let failed = 0;
    const begun = performance.now();
    for (let next = begun; next - begun < lengthMs; next += sampleMs) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
      for (const [path, body] of calls) {
        const answer = await fetch(`${product.url}${path}`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
        await answer.arrayBuffer();
        if (answer.ok) answered += 1;
        else failed += 1;
      }
      const { rows } = await pool.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where backend_type = 'client backend'`,
      );
      samples.push({
        seconds: (performance.now() - begun) / 1000,
        inUse: samples.length % collectEvery === 0 ? await memory.ask() : null,
        megabytes: residentMegabytes(server),
        files: readdirSync(`/proc/${server}/fd`).length,
        connections: rows[0]!.n,
      });
    }
    const readings = await pool.query<{ n: number }>('select count(*)::int as n from readings');
    leaving.abort();
    memory.close();
    await live;
    await fleet.stop();
    const after = samples.slice(Math.floor(samples.length * warmShare));
    const { slope, noise } = slopeOf(
      after.flatMap(({ seconds, inUse }) => (inUse === null ? [] : [[seconds, inUse] as const])),
    );
    const range = (of: (sample: Sample) => number) => {
      const values = after.map(of);
      return [Math.min(...values), Math.max(...values)] as const;
    };
    const [files, connections, resident] = [
      range((sample) => sample.files),
      range((sample) => sample.connections),
      range((sample) => sample.megabytes),
    ];
    const inUse = after.flatMap(({ inUse }) => (inUse === null ? [] : [inUse.toFixed(1)]));
    console.log(
      `${readings.rows[0]!.n} readings, ${answered} calls answered, ${failed} not; resident ${Math.round(resident[0])} to ${Math.round(resident[1])} MB; data after a full collection ${inUse.join(' ')} MB, slope ${(slope * 3600).toFixed(1)} ± ${(noise * 3600).toFixed(1)} MB/h; files ${files.join(' to ')}, connections ${connections.join(' to ')}`,
    );
    const minutes = Math.round(lengthMs / 60_000);
    return [
      {
        name: `soak of ${minutes} min: growth of data in memory beyond its noise`,
        figure: Math.max(0, slope - noise) * 3600,
        unit: 'MB/h',
        goal: '0',
        anchor: '',
      },
      {
        name: `soak of ${minutes} min: file descriptors, most less least`,
        figure: files[1] - files[0],
        unit: '',
        goal: '≤ 10 (pools breathe)',
        anchor: '',
      },
      {
        name: `soak of ${minutes} min: connections to the database, most less least`,
        figure: connections[1] - connections[0],
        unit: '',
        goal: '≤ 10 (pools breathe)',
        anchor: '',
      },
    ];
  } finally {
    leaving.abort();
    await pool.end();
    await product.stop();
  }
};
