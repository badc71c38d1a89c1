import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#database/embedded.ts';
import { fuzz } from '#test/fuzz/fuzz.ts';
import { startServer } from '#test/histories/server.ts';
import type { Figure } from './figure.ts';

/** Hostile calls and messages of a seed: FUZZ_COUNT of them (10^6 if unset), FUZZ_SEED to repeat a run. */
export const run = async (): Promise<Figure[]> => {
  const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
  const count = Number(process.env['FUZZ_COUNT'] ?? 1_000_000);
  const dataDir = await mkdtemp(join(tmpdir(), 'ampwatch-fuzz-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  const server = await startServer(postgres.url);
  try {
    const result = await fuzz(server, { seed, calls: count * 0.3, messages: count * 0.7 });
    for (const failed of [...result.failed, ...result.unanswered]) console.log(failed);
    const anchor = `seed ${seed}: ${result.calls} calls, ${result.messages} messages`;
    return [
      { name: 'fuzz: answers of 500 and more', figure: result.failed.length, unit: '', goal: '0', anchor },
      { name: '… messages without an answer', figure: result.unanswered.length, unit: '', goal: '0', anchor },
      { name: '… ends of the server', figure: result.crashes, unit: '', goal: '0', anchor },
      { name: '… acknowledged readings lost', figure: result.lost, unit: '', goal: '0', anchor },
      {
        name: '… acknowledgement of the honest device, p95',
        figure: result.p95,
        unit: 'ms',
        goal: '',
        anchor,
      },
    ];
  } finally {
    await server.stop();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
};
