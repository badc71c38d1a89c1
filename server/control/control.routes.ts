import { controlEndpoints } from '#contract/control.ts';
import { isFault, sentence } from '#contract/faults/codes.ts';
import { heardLately } from '#contract/freshness.ts';
import { type CommandVerb, commandVerbs } from '#contract/telemetry.ts';
import { fault } from '#server/core/fault.ts';
import { isProved, type ProvePassword, proveIdentity } from '#server/core/identity.ts';
import { holds } from '#server/core/scope.ts';
import type { Serve } from '#server/core/serve.ts';
import type { Control } from './commands.ts';
import { decide, type Facts, interruptedCriticalLine, nameToType } from './control.guard.ts';
import { controlStore } from './control.store.ts';
import { gatherFacts } from './facts.ts';

interface ControlRoutesDeps {
  control: Pick<Control, 'request'>;
  provePassword: ProvePassword;
}
/** A device's reason lacks the details that the guard's sentences contain. */
const unknownParts = { operator: '-', reason: '-', types: '-' };
/** Parameters for checking a verb; for firmware as if a file had been chosen. */
const exampleOf = (verb: CommandVerb): Record<string, unknown> =>
  verb === 'ota' ? { url: 'https://example.org/', size: 1, sha256: '0'.repeat(64), to: '1' } : {};
const whole = (at: Date) => at.toISOString();
const maybe = (at: Date | null) => at?.toISOString() ?? null;

export const controlRoutes = (serve: Serve, { control, provePassword }: ControlRoutesDeps): void => {
  serve(controlEndpoints.do, async (call) => {
    const { body, caller } = call;
    // Opening never needs a password, so a wrong one must not delay it.
    const proves = body.action !== 'open' && body.password !== undefined;
    if (proves) await proveIdentity(call, provePassword, body.password!);
    const requested = await control.request(call, {
      deviceId: body.device_id,
      lineId: body.line_id ?? null,
      verb: body.action,
      parameters: body.parameters,
      confirmName: body.confirm_name,
      cause: call.channel === 'web' ? 'button' : 'api',
      by: { ...caller, address: call.address, identityProved: proves || (await isProved(call)) },
    });
    return {
      command_id: requested.commandId,
      state: requested.state,
      expires_at: new Date(requested.expiresAt).toISOString(),
    };
  });

  serve(controlEndpoints.possible, async (call) => {
    const { db, now, body, caller, language } = call;
    const gathered = (await gatherFacts(db, { deviceIds: [body.device_id], now })).get(body.device_id);
    if (!gathered || !holds(caller.scope, gathered.device.projectId, gathered.device.partId))
      return fault('device.missing');
    const { device, lines, inFlight } = gathered;
    const { permissions, role } = caller;
    const ofLine = ['open', 'close', 'leak_test', 'reset'];
    const ofDevice = (verb: CommandVerb) => verb === 'reset' || !ofLine.includes(verb);
    return {
      online: device.online,
      fresh: heardLately(device.lastSeen, now, device.uploadSeconds),
      net_ctrl: device.netCtrl,
      password_needed: !(await isProved(call)),
      actions: lines.flatMap((line) =>
        commandVerbs
          .filter((verb) => (line.n === 0 ? ofDevice(verb) : ofLine.includes(verb)))
          .map((verb) => {
            // Name and password are taken as given: the call itself asks for the name of a critical line and
            // for the password.
            const facts: Facts = {
              now,
              verb,
              device,
              line,
              lines,
              inFlight,
              permissions,
              role,
              parameters: exampleOf(verb),
              confirmName: null,
              identityProved: true,
            };
            const critical = interruptedCriticalLine(facts);
            const decision = decide({ ...facts, confirmName: critical ? nameToType(critical) : null });
            return {
              action: verb,
              line_id: line.n === 0 ? null : line.id,
              allowed: decision.allowed,
              confirm_name: critical ? nameToType(critical) : null,
              reason: decision.allowed ? null : decision.reason,
              message: decision.allowed ? null : sentence(decision.fault, language, decision.with),
            };
          }),
      ),
    };
  });

  serve(controlEndpoints.command, async ({ db, body, caller, language }) => {
    const row = await controlStore(db).find(body.command_id, caller.scope);
    if (!row || !holds(caller.scope, row.project_id, row.part_id)) return fault('thing.missing');
    const code = `control.${row.reason}`;
    return {
      command_id: row.id,
      device_id: row.device_id,
      line_id: row.line_id,
      action: row.verb,
      state: row.state,
      reason: row.reason,
      message: isFault(code) ? sentence(code, language, unknownParts) : null,
      operator: row.operator,
      created_at: whole(row.created_at),
      sent_at: maybe(row.sent_at),
      acknowledged_at: maybe(row.acknowledged_at),
      ended_at: maybe(row.ended_at),
      expires_at: whole(row.expires_at),
      evidence: row.evidence,
    };
  });
};
