import pino from 'pino';
import type { CfgSetMessage } from '#contract/telemetry.ts';
import { type Control, createControl } from '#server/control/commands.ts';
import { createConfigSender } from '#server/control/config-message.ts';
import { controlRoutes } from '#server/control/control.routes.ts';
import { createSettingsSender } from '#server/device-settings/push.ts';
import { deviceSettingsRoutes } from '#server/device-settings/settings.routes.ts';
import { deviceRoutes } from '#server/devices/devices.routes.ts';
import { lineRoutes } from '#server/lines/lines.routes.ts';
import { maintenanceRoutes } from '#server/maintenance/maintenance.routes.ts';
import { type Batches, createBatches } from '#server/one-key/batches.ts';
import { oneKeyRoutes } from '#server/one-key/one-key.routes.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { createTagReviews } from '#server/tags/reviews.ts';
import { tagRoutes } from '#server/tags/tags.routes.ts';
import { createTimerCopies } from '#server/timers/copies.ts';
import { createTimers, type Timers } from '#server/timers/schedule.ts';
import { timerRoutes } from '#server/timers/timers.routes.ts';
import { type FakeLink, fakeFindings, fakeLink } from './switches.ts';
import { createWorld, type World } from './world.ts';

export interface SwitchingWorld extends World {
  control: Control;
  link: FakeLink;
  configs: { deviceNumber: string; config: CfgSetMessage }[];
  /** `away`: the device accepts no configuration; `before` runs before one is sent. */
  configTrouble: { away: boolean; before(deviceNumber: string): Promise<void> };
  /** A separate node on the same rows: another server, or this one after a restart. */
  anotherTimers(): Timers;
  anotherBatches(): Batches;
  /** The timers in devices are followed by a new process; `meanwhile` happens while there is none. */
  restartTimerCopies(meanwhile: () => Promise<unknown>): Promise<void>;
}

/**
 * The test world with everything that switches lines: guard, timers, one-key, tags, settings; only the link
 * to devices is a stand-in.
 */
export const createSwitchingWorld = async (): Promise<SwitchingWorld> => {
  const link = fakeLink();
  const configs: SwitchingWorld['configs'] = [];
  const configTrouble: SwitchingWorld['configTrouble'] = { away: false, before: async () => {} };
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
  const publishConfig = async (deviceNumber: string, config: CfgSetMessage): Promise<void> => {
    await configTrouble.before(deviceNumber);
    if (configTrouble.away) throw new Error('no session');
    configs.push({ deviceNumber, config });
  };
  const findings = fakeFindings();
  const made: { start(): Promise<void>; stop(): Promise<void> }[] = [];
  const also = <Part extends (typeof made)[number]>(part: Part): Part => {
    made.push(part);
    return part;
  };
  let control: Control | undefined;
  let stopSender = async (): Promise<void> => {};
  let another: Pick<SwitchingWorld, 'anotherTimers' | 'anotherBatches' | 'restartTimerCopies'> | undefined;
  const world = await createWorld((serve, parts) => {
    const deps = { ...parts, link: { ...link, publishConfig }, log };
    const guard = also(createControl({ ...parts, link, raiseFinding: findings.raise, log }));
    control = guard;
    const batches = also(createBatches({ ...deps, control: guard }));
    also(createTimers({ ...deps, control: guard }));
    const sender = createConfigSender(deps);
    sender.start();
    let copies = also(createTimerCopies({ ...deps, sender }));
    also(createSettingsSender({ ...deps, sender }));
    stopSender = () => sender.stop();
    also(createTagReviews(deps));
    controlRoutes(serve, { control: guard, provePassword });
    deviceRoutes(serve);
    lineRoutes(serve, { provePassword });
    maintenanceRoutes(serve);
    deviceSettingsRoutes(serve, { provePassword });
    timerRoutes(serve, { provePassword });
    oneKeyRoutes(serve, { batches, provePassword });
    tagRoutes(serve, { provePassword });
    another = {
      anotherTimers: () => also(createTimers({ ...deps, control: guard })),
      anotherBatches: () => also(createBatches({ ...deps, control: guard })),
      async restartTimerCopies(meanwhile) {
        await copies.stop();
        await meanwhile();
        copies = also(createTimerCopies({ ...deps, sender }));
        await copies.start();
      },
    };
  });
  for (const part of made) await part.start();
  return {
    ...world,
    ...another!,
    control: control!,
    link,
    configs,
    configTrouble,
    async close() {
      for (const part of made.reverse()) await part.stop();
      await stopSender();
      await world.close();
    },
  };
};
