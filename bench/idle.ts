import { readdirSync, readFileSync } from 'node:fs';
import { connectPool } from '#database/connect.ts';
import type { Figure } from './figure.ts';
import { furnishDevices, officeFleet, startProduct } from './product-bench.ts';

const devices = 100;
const settleMs = Number(process.env['BENCH_SECONDS'] ?? 60) * 1000;

const parentOf = (pid: number): number => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
};
/** Proportional set size in MB of these processes and their children. Linux only. */
const proportionalMegabytes = (roots: readonly number[]): number => {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const own = pids.filter((pid) => roots.includes(pid) || roots.includes(parentOf(pid)));
  const kilobytes = own.map((pid) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? 0);
    } catch {
      return 0; // the process ended meanwhile
    }
  });
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
};

/** The whole server with its database, while 100 simulated devices report once a minute. */
export const run = async (): Promise<Figure[]> => {
  const product = await startProduct();
  const pool = connectPool(product.databaseUrl, 1);
  try {
    await furnishDevices(pool, devices, product.secret);
    await pool.end();
    const fleet = officeFleet(product, devices, 60);
    fleet.start();
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const server = product.server.process.pid ?? 0;
    const parts = [proportionalMegabytes([server]), proportionalMegabytes([product.postmaster])] as const;
    await fleet.stop();
    console.log(`server ${Math.round(parts[0])} MB, PostgreSQL ${Math.round(parts[1])} MB`);
    return [
      {
        name: `idle server with ${devices} devices, database included (PSS)`,
        figure: parts[0] + parts[1],
        unit: 'MB',
        goal: '≤ 300 MB',
        anchor: 'ThingsBoard: 2 to 4 GB advised',
      },
    ];
  } finally {
    await product.stop();
  }
};
