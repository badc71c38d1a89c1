import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from './database.ts';
import { type ServerProcess, startServer } from './server-process.ts';

let database: TestDatabase;
let server: ServerProcess;
let url: string;
beforeAll(async () => {
  database = await freshDatabase();
  server = await startServer({ DATABASE_URL: database.url, DATABASE_APP_URL: database.appUrl });
  url = /ready after .*?(http:\S+)/.exec(server.said)?.[1] ?? '';
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

it('the Grafana dashboard uses only metrics that the running product has', async () => {
  await fetch(`${url}/healthz`);
  const text = await (await fetch(`${url}/metrics`)).text();
  const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const dashboard = JSON.parse(
    readFileSync(path.resolve(import.meta.dirname, '../docs/grafana.json'), 'utf8'),
  ) as { panels: { targets: { expr: string }[] }[] };
  const asked = dashboard.panels
    .flatMap(({ targets }) => targets)
    .flatMap(({ expr }) => [...expr.matchAll(/\b(?:ampwatch|process|nodejs)_\w+/g)].map(([name]) => name))
    .map((name) => name.replace(/_(bucket|count|sum)$/, ''));
  // These metrics have no value before a problem occurs, or a backup is made.
  const laterOn = ['ampwatch_problem', 'ampwatch_backup_last_seconds', 'ampwatch_drill_last_seconds'];
  expect([...new Set(asked)].filter((name) => !known.has(name) && !laterOn.includes(name))).toEqual([]);
  expect(text).toMatch(/ampwatch_http_seconds_count\{route="\/healthz",status="2xx"\} 1/);
});
