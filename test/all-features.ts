import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { openVault } from '#server/backups/vault.ts';
import { createControl } from '#server/control/commands.ts';
import { readConfig } from '#server/core/config.ts';
import type { Serve } from '#server/core/serve.ts';
import { bindFeatures } from '#server/features.ts';
import { addressesBelow } from '#server/firmware/address.ts';
import { fakeFindings, fakeLink } from './switches.ts';
import { testVault } from './vault.ts';
import type { WorldParts } from './world.ts';

/** All test processes share this folder, and none keeps files of its own in it. */
const maintenanceFolder = path.join(tmpdir(), 'ampwatch-test-maintenance');

/**
 * Every endpoint of the product, without devices. `demo`: also the demo's endpoints; `captcha`: required at
 * sign-in.
 */
export const bindAll = (
  serve: Serve,
  parts: WorldParts,
  { demo = true, captcha = false }: { demo?: boolean; captcha?: boolean } = {},
): void =>
  bindFeatures(serve, parts.app, {
    databaseUrl: parts.databaseUrl,
    captcha,
    secureCookie: false,
    map: readConfig({}).map,
    vault: testVault,
    demo,
    live: parts.live,
    clock: parts.clock,
    control: createControl({
      ...parts,
      link: fakeLink(),
      raiseFinding: fakeFindings().raise,
      log: pino({ level: 'silent' }),
    }),
    batches: { run: () => {} },
    demoRun: () => null,
    notices: { kick: () => {} },
    publicUrl: null,
    firmware: { dataDir: maintenanceFolder, addressOf: addressesBelow('http://localhost') },
    maintenance: {
      databaseUrl: parts.databaseUrl,
      dataDir: maintenanceFolder,
      vault: openVault(maintenanceFolder),
    },
  });
