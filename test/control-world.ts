import pino from 'pino';
import { type Control, type ControlDeps, createControl } from '#server/control/commands.ts';
import { controlRoutes } from '#server/control/control.routes.ts';
import { deviceSettingsRoutes } from '#server/device-settings/settings.routes.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { type FakeLink, fakeFindings, fakeLink } from './switches.ts';
import { createWorld, type World, type WorldParts } from './world.ts';

export interface ControlWorld extends World {
  control: Control;
  link: FakeLink;
  findings: ReturnType<typeof fakeFindings>;
}

/** The small world with remote control in it; only the edge towards the devices is ours. */
export const createControlWorld = async (): Promise<ControlWorld> => {
  const link = fakeLink();
  const findings = fakeFindings();
  let control: Control | undefined;
  const world = await createWorld((serve, parts: WorldParts) => {
    const deps: ControlDeps = {
      ...parts,
      link,
      raiseFinding: findings.raise,
      log: pino({ level: process.env['LOG_LEVEL'] ?? 'silent' }),
    };
    control = createControl(deps);
    controlRoutes(serve, { control, provePassword });
    deviceSettingsRoutes(serve, { provePassword });
  });
  await control!.start();
  return {
    ...world,
    control: control!,
    link,
    findings,
    async close() {
      await control!.stop();
      await world.close();
    },
  };
};
