import { StartError } from '#database/start-error.ts';
import { buildConsole } from './console.ts';

try {
  if (!process.argv.includes('--without-console')) await buildConsole(console.log);
  const { main } = await import('#server/main.ts');
  await main();
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}
