/** Each feature has one name in every root. If a root lacks it, this table gives the reason. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
/** Folders of the server that are not features. */
const foundations = ['core', 'link', 'start'];
const foldersIn = (folder: string) =>
  readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);

const places = {
  contract: (feature: string) => `contract/${feature}.ts`,
  server: (feature: string) => `server/${feature}`,
  web: (feature: string) => `web/features/${feature}`,
} as const;
type Root = keyof typeof places;

const lacking: Readonly<Record<string, Partial<Record<Root, string>>>> = {
  'evidence-pack': { web: 'web/parts, a button of alarms and devices' },
  'first-steps': { contract: 'part of session: setting_up', server: 'part of session: setting_up' },
  frame: { web: 'web/api/frame.ts, which the queries of every screen use' },
  health: { web: 'a tab of system' },
  keys: { contract: 'no call: what the keyboard does', server: 'nothing to serve' },
  live: { web: 'web/api/live.ts, which every screen uses' },
  popups: {
    contract: 'part of alarms and notices, whose settings they are',
    server: 'alarms decides, notices keeps the settings',
  },
  profile: { contract: 'part of session', server: 'part of session: one’s own account' },
  regions: { contract: 'one call, in session.ts', web: 'web/parts, a picker of several screens' },
  rollups: {
    contract: 'not called: statistics and lines read them',
    web: 'no screen: statistics shows them',
  },
  scheduled: { web: 'a tab of system' },
  session: { web: 'two screens, before and after signing in: sign-in and profile' },
  settings: { web: 'a tab of system' },
  'sign-in': { contract: 'part of session', server: 'part of session' },
  system: { contract: 'health, scheduled and settings', server: 'health, scheduled and settings' },
  uploads: { web: 'web/parts, the image field of several screens' },
  'what-if': { server: 'part of alarms, whose engine judges again' },
};

it('each feature is in contract, server and web, or has a reason why not', () => {
  const features = [
    ...new Set([
      ...foldersIn('server').filter((name) => !foundations.includes(name)),
      ...foldersIn('web/features'),
    ]),
  ].sort();
  const wrong = features.flatMap((feature) =>
    (Object.keys(places) as Root[]).flatMap((where) => {
      const place = places[where](feature);
      const isThere = existsSync(path.join(root, place));
      const reason = lacking[feature]?.[where];
      if (isThere && reason !== undefined) return [`${place} is there: take its reason away`];
      return isThere || reason ? [] : [`${place} is missing`];
    }),
  );
  expect(wrong).toEqual([]);
  expect(Object.keys(lacking).filter((feature) => !features.includes(feature))).toEqual([]);
});
