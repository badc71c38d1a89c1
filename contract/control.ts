import * as z from 'zod';
import { chosenDevice, endpoint, filter, flag, id, instant } from './endpoint.ts';
import { commandVerbs } from './telemetry.ts';

export const switchActions = ['open', 'close'] as const;
export type SwitchAction = (typeof switchActions)[number];

export const controlEndpoints = {
  /**
   * Requests one act. Answers at once with the command's id ('taking effect'); its progress is on `/live` and
   * in `/device_log/get_list`. `password`: needed if the guard asks for it; `confirm_name`: for a critical
   * line.
   */
  do: endpoint({
    method: 'POST',
    path: '/device_do/device_do',
    permission: 'line.read',
    log: 'control.command',
    secret: ['password'],
    body: z.strictObject({
      device_id: chosenDevice,
      line_id: filter(id),
      action: z.enum(commandVerbs),
      /** The parameters of the action; see contract/command-parameters.ts. */
      parameters: z.record(z.string(), z.unknown()).optional(),
      password: z.string().max(200).optional(),
      confirm_name: z.string().max(60).optional(),
    }),
    reply: z.object({ command_id: z.uuid(), state: z.string(), expires_at: instant }),
    outcome: () => 'takingEffect',
  }),
  /** Which acts the device and its lines accept now, and why not. */
  possible: endpoint({
    method: 'POST',
    path: '/device_do/get_device_do_info',
    permission: 'line.read',
    body: z.strictObject({ device_id: chosenDevice }),
    reply: z.object({
      online: z.boolean(),
      fresh: z.boolean(),
      net_ctrl: z.boolean(),
      password_needed: z.boolean(),
      actions: z.array(
        z.object({
          action: z.enum(commandVerbs),
          line_id: z.int().nullable(),
          allowed: z.boolean(),
          /** The name to type as `confirm_name`: the critical line that the act may interrupt. */
          confirm_name: z.string().nullable(),
          reason: z.string().nullable(),
          message: z.string().nullable(),
        }),
      ),
    }),
  }),
  command: endpoint({
    method: 'POST',
    path: '/device_do/get_command',
    permission: 'line.read',
    body: z.strictObject({ command_id: z.uuid() }),
    reply: z.object({
      command_id: z.uuid(),
      device_id: z.int(),
      line_id: z.int(),
      action: z.string(),
      state: z.string(),
      reason: z.string().nullable(),
      message: z.string().nullable(),
      operator: z.string(),
      created_at: instant,
      sent_at: instant.nullable(),
      acknowledged_at: instant.nullable(),
      ended_at: instant.nullable(),
      expires_at: instant,
      evidence: z.record(z.string(), z.unknown()).nullable(),
    }),
  }),
  /** Enables or disables remote control of the device. Without `enabled` it only reads. */
  netControl: endpoint({
    method: 'POST',
    path: '/device_do/setDeviceEnableNetCtrl',
    permission: 'device.control',
    log: 'control.netControl',
    writesWhen: (body) => body !== null && typeof body === 'object' && 'enabled' in body,
    body: z.strictObject({ device_id: chosenDevice, enabled: filter(flag) }),
    /** `state`: 'applied' once the device confirms it, or at once if the server itself keeps the switch. */
    reply: z.object({ device_id: z.int(), enabled: z.boolean(), state: z.string() }),
    outcome: ({ state }) => (state === 'pending' ? 'takingEffect' : 'done'),
  }),
};
