import * as z from 'zod';
import type { CommandVerb } from './telemetry.ts';

const none = z.strictObject({});
const mostFirmwareBytes = 64 * 1024 * 1024;
const firmware = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(500),
  size: z.int().min(1).max(mostFirmwareBytes),
  sha256: z.string().regex(/^[0-9a-f]{64}$/i),
  /** Version that the device reports after the update. */
  to: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.+_-]{0,31}$/),
  sig: z
    .string()
    .regex(/^ed25519:[A-Za-z0-9+/_=-]{80,100}$/)
    .optional(),
});

/**
 * The parameters that each command takes; other keys are refused. `time_sync` takes none: the server sends its own
 * time with every command.
 */
export const commandParameters = {
  open: none,
  close: none,
  reset: none,
  silence: none,
  selftest: none,
  leak_test: none,
  arc_test: none,
  clear_energy: none,
  reboot: none,
  ota: firmware,
  read: none,
  time_sync: none,
  identify: none,
} as const satisfies Record<CommandVerb, z.ZodType>;

/** Names of the parameters that the command does not take or that have a wrong value. */
export const wrongParameters = (
  verb: CommandVerb,
  parameters: Readonly<Record<string, unknown>>,
): string[] => {
  const { error } = commandParameters[verb].safeParse(parameters);
  const names = (error?.issues ?? []).flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0])],
  );
  return [...new Set(names)];
};
