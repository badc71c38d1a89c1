import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { flood } from '#test/fuzz/flood.ts';
import { callerForLong, fuzz } from '#test/fuzz/fuzz.ts';
import { startServer } from '#test/product-process.ts';
import type { Figure } from './figure.ts';

/**
 * Hostile calls and messages from a seed: FUZZ_COUNT of them (10^6 if unset), FUZZ_SEED repeats a run; then a
 * flood of calls without a session.
 */
export const run = async (): Promise<Figure[]> => {
  const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
  const count = Number(process.env['FUZZ_COUNT'] ?? 1_000_000);
  const dataDir = await mkdtemp(join(tmpdir(), 'ampwatch-fuzz-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  const server = await startServer(postgres, { CAPTCHA: 'on' });
  try {
    const result = await fuzz(server, { seed, calls: count * 0.3, messages: count * 0.7 });
    for (const failed of [...result.failed, ...result.unanswered]) console.log(failed);
    const seconds = Number(process.env['FLOOD_SECONDS'] ?? 30);
    const stranger = await flood(server, seconds, (await callerForLong(server)).id);
    const flooded = `${stranger.calls} calls and ${stranger.connections} connections of a stranger in ${seconds} s`;
    const anchor = `seed ${seed}: ${result.calls} calls, ${result.messages} messages`;
    return [
      { name: 'fuzz: answers of 500 and more', figure: result.failed.length, unit: '', goal: '0', anchor },
      { name: '… messages without an answer', figure: result.unanswered.length, unit: '', goal: '0', anchor },
      {
        name: '… calls made after the caller was shut out',
        figure: result.shutOutAfter === null ? 0 : result.calls - result.shutOutAfter,
        unit: '',
        goal: '0',
        anchor,
      },
      { name: '… ends of the server', figure: result.crashes, unit: '', goal: '0', anchor },
      { name: '… acknowledged readings lost', figure: result.lost, unit: '', goal: '0', anchor },
      {
        name: '… acknowledgement of the honest device, p95',
        figure: result.p95,
        unit: 'ms',
        goal: '',
        anchor,
      },
      {
        name: '… under the flood of a stranger, p95',
        figure: stranger.p95,
        unit: 'ms',
        goal: '≤ 500 ms',
        anchor: flooded,
      },
      {
        name: '… acknowledged readings lost under it',
        figure: stranger.lost,
        unit: '',
        goal: '0',
        anchor: flooded,
      },
      {
        name: '… ends of the server under it',
        figure: stranger.crashes,
        unit: '',
        goal: '0',
        anchor: flooded,
      },
    ];
  } finally {
    await server.stop();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
};
