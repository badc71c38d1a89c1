import pino from 'pino';
import { expect } from 'vitest';
import type { SwitchAction } from '#contract/control.ts';
import { type Control, type ControlDeps, createControl } from '#server/control/commands.ts';
import { controlRoutes } from '#server/control/control.routes.ts';
import { deviceSettingsRoutes } from '#server/device-settings/settings.routes.ts';
import { provePassword } from '#server/session/sign-in.ts';
import { answer, type FakeLink, fakeFindings, fakeLink, type Switch } from './switches.ts';
import { eventually } from './wait.ts';
import { type Client, createWorld, type World, type WorldParts } from './world.ts';

export interface ControlWorld extends World {
  control: Control;
  link: FakeLink;
  findings: ReturnType<typeof fakeFindings>;
}

/** The test world with remote control; only the link to the devices is a stand-in. */
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

/** Helpers of command tests: send, wait and read, always for the current switch and operator. */
export const commandProbe = (at: () => { world: ControlWorld; device: Switch; operator: Client }) => {
  const deviceDo = (action: string, by = at().operator, line_id: number | null = at().device.line.id) =>
    by.call('/device_do/device_do', { device_id: at().device.id, line_id, action });
  const commandBecomes = (commandId: string, state: string) =>
    at().world.hears('command.changed', (event) => event.commandId === commandId && event.state === state);
  const row = (id: string) =>
    at().world.db.selectFrom('commands').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return {
    deviceDo,
    commandBecomes,
    row,
    /** Findings about this test's device only: commands of earlier tests expire while the clock advances. */
    raisedHere: () => at().world.findings.raised.filter(({ line }) => line.deviceId === at().device.id),
    /** Requests an action and waits until the command is sent. */
    async sent(action: SwitchAction): Promise<string> {
      const asked = await deviceDo(action);
      expect(asked).toMatchObject({ status: 200, data: { state: 'created' } });
      await commandBecomes(asked.data.command_id, 'sent');
      return asked.data.command_id;
    },
    command: async (id: string) =>
      (await at().operator.call('/device_do/get_command', { command_id: id }, { 'accept-language': 'en-US' }))
        .data,
    /** Another server takes over the open commands, and stops. */
    async restarted() {
      const { db, bus, clock, link, findings } = at().world;
      const log = pino({ level: 'silent' });
      const control = createControl({ db, bus, clock, link, raiseFinding: findings.raise, log });
      await control.start();
      await control.stop();
    },
    async answered(id: string, ack: Parameters<typeof answer>[3]) {
      await answer(at().world, at().device, id, ack);
      await eventually(async () => (await row(id)).ack !== null);
    },
  };
};
