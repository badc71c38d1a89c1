import { statfs } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type pg from 'pg';
import type { NodeFacts } from '#contract/health.ts';

/** Present counters of the device link. */
interface LinkCounts {
  messages: number;
  /** Number of acknowledged messages, and their total time from receipt to acknowledgement. */
  acknowledged: number;
  acknowledgeMs: number;
  waiting: number;
  paused: boolean;
  connections: number;
}
export interface FactsDeps {
  pool: Pick<pg.Pool, 'waitingCount'>;
  dataDir: string;
  linkReady: () => boolean;
  /** Null: another node has the device link. */
  linkCounts: () => LinkCounts | null;
  liveStreams: () => number | null;
}

const perSecond = (count: number, ms: number): number => Math.round((count / Math.max(ms, 1)) * 10_000) / 10;

/** The report of this node about itself, for the interval since the previous report. */
export const createFacts = ({ pool, dataDir, linkReady, linkCounts, liveStreams }: FactsDeps) => {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let last = { at: performance.now(), link: linkCounts() };
  return {
    async read(): Promise<NodeFacts> {
      const [at, link] = [performance.now(), linkCounts()];
      const interval = at - last.at;
      const before = last.link;
      last = { at, link };
      const acknowledged = link && before ? link.acknowledged - before.acknowledged : 0;
      const disk = await statfs(dataDir).catch(() => null);
      const worst = delay.max / 1e6;
      delay.reset();
      return {
        link_ready: link ? linkReady() : null,
        messages_per_s: link && before ? perSecond(link.messages - before.messages, interval) : null,
        acknowledge_ms:
          link && before && acknowledged > 0
            ? Math.round((link.acknowledgeMs - before.acknowledgeMs) / acknowledged)
            : null,
        waiting: link?.waiting ?? null,
        paused: link?.paused ?? null,
        device_connections: link?.connections ?? null,
        live_streams: liveStreams(),
        memory_bytes: process.memoryUsage.rss(),
        loop_delay_ms: Math.round(Math.max(0, worst - 20)),
        disk_free_bytes: disk ? disk.bavail * disk.bsize : null,
        disk_bytes: disk ? disk.blocks * disk.bsize : null,
        pool_waiting: pool.waitingCount,
      };
    },
    stop: () => delay.disable(),
  };
};
