import { StartError } from '#database/start-error.ts';
import { buildConsole } from './console.ts';

const withoutConsole = '--without-console';
try {
  if (!process.argv.includes(withoutConsole)) {
    await buildConsole(console.log);
    // After a restore the process restarts itself and may no longer write here; it serves the console that is
    // already built.
    process.argv.push(withoutConsole);
  }
  const { main } = await import('#server/main.ts');
  await main();
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}
