import { controlEndpoints } from '#contract/control.ts';
import { isFault, sentence } from '#contract/faults/codes.ts';
import type { Language } from '#contract/languages.ts';
import { limits } from '#contract/limits.ts';
import { commandVerbs } from '#contract/telemetry.ts';
import type { Db } from '#database/connect.ts';
import { Fault, fault } from '#server/core/fault.ts';
import { holds } from '#server/core/scope.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import type { Caller } from '#server/core/session.ts';
import type { Control } from './control.commands.ts';
import { gatherFacts } from './control.facts.ts';
import { decide, isFresh } from './control.guard.ts';
import { controlStore } from './control.store.ts';

export interface ControlRoutesDeps {
  control: Pick<Control, 'request'>;
  /** Checks account and password with the sign-in's counting of failures; throws its faults. */
  provePassword(
    db: Db,
    attempt: { username: string; password: string; address: string; now: number; language: Language },
  ): Promise<unknown>;
}
/** A device gives its reason without the particulars that the guard's sentences name. */
const untold = { operator: '-', reason: '-', types: '-' };
const whole = (at: Date) => at.toISOString();
const maybe = (at: Date | null) => at?.toISOString() ?? null;
const isRecent = (caller: Caller, now: number): boolean =>
  now - caller.authenticatedAt.getTime() <= limits.freshSignInMs;

export const controlRoutes = (serve: Serve, { control, provePassword }: ControlRoutesDeps): void => {
  /** The password again, before any row is locked; it also makes the session fresh. */
  const prove = async (call: Call<unknown>, password: string): Promise<void> => {
    const { db, now, caller, address, language } = call;
    try {
      await provePassword(db, { username: caller.username, password, address, now, language });
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'signIn.wrong') throw error;
      fault('password.wrong', { fields: { password: 'password.wrong' }, commit: true });
    }
    await db
      .updateTable('sessions')
      .set({ authenticated_at: new Date(now) })
      .where('token_hash', '=', caller.tokenHash)
      .execute();
  };

  serve(controlEndpoints.do, async (call) => {
    const { body, caller } = call;
    const proves = body.action === 'close' && body.password !== undefined;
    if (proves) await prove(call, body.password!);
    const requested = await control.request(call, {
      deviceId: body.device_id,
      lineId: body.line_id ?? null,
      verb: body.action,
      parameters: body.parameters,
      confirmName: body.confirm_name,
      cause: call.channel === 'web' ? 'button' : 'api',
      by: { ...caller, address: call.address, identityProved: proves || isRecent(caller, call.now) },
    });
    return {
      command_id: requested.commandId,
      state: requested.state,
      expires_at: new Date(requested.expiresAt).toISOString(),
    };
  });

  serve(controlEndpoints.possible, async ({ db, now, body, caller, language }) => {
    const gathered = await gatherFacts(db, { deviceId: body.device_id, now, lock: false });
    if (!gathered || !holds(caller.scope, gathered.device.projectId, gathered.device.partId))
      return fault('device.missing');
    const { device, lines, inFlight } = gathered;
    const { permissions, role } = caller;
    const ofLine = ['open', 'close', 'leak_test'];
    return {
      online: device.online,
      fresh: isFresh(device.lastSeen, now, device.uploadSeconds),
      net_ctrl: device.netCtrl,
      password_needed: !isRecent(caller, now),
      actions: lines.flatMap((line) =>
        commandVerbs
          .filter((verb) => (line.n === 0 ? !ofLine.includes(verb) : ofLine.includes(verb)))
          .map((verb) => {
            // The name of a critical line and the password are asked for when it comes to it.
            const decision = decide({
              now,
              verb,
              device,
              line,
              inFlight,
              permissions,
              role,
              parameters: {},
              confirmName: line.name.trim() || String(line.n),
              identityProved: true,
            });
            return {
              action: verb,
              line_id: line.n === 0 ? null : line.id,
              allowed: decision.allowed,
              reason: decision.allowed ? null : decision.reason,
              message: decision.allowed ? null : sentence(decision.fault, language, decision.with),
            };
          }),
      ),
    };
  });

  serve(controlEndpoints.command, async ({ db, body, caller, language }) => {
    const row = await controlStore(db).find(body.command_id);
    if (!row || !holds(caller.scope, row.project_id, row.part_id)) return fault('thing.missing');
    const code = `control.${row.reason}`;
    return {
      command_id: row.id,
      device_id: row.device_id,
      line_id: row.line_id,
      action: row.verb,
      state: row.state,
      reason: row.reason,
      message: isFault(code) ? sentence(code, language, untold) : null,
      operator: row.operator,
      created_at: whole(row.created_at),
      sent_at: maybe(row.sent_at),
      acknowledged_at: maybe(row.acknowledged_at),
      ended_at: maybe(row.ended_at),
      expires_at: whole(row.expires_at),
      evidence: row.evidence,
    };
  });

  serve(controlEndpoints.netControl, async (call) => {
    const { db, body, caller } = call;
    const device = await db
      .selectFrom('devices')
      .select(['project_id', 'part_id', 'net_ctrl', 'number'])
      .where('id', '=', body.device_id)
      .$if(body.enabled !== undefined, (query) => query.forNoKeyUpdate())
      .executeTakeFirst();
    if (!device || !holds(caller.scope, device.project_id, device.part_id)) return fault('device.missing');
    if (body.enabled === undefined) return { device_id: body.device_id, enabled: device.net_ctrl };
    call.note({
      projectId: device.project_id,
      deviceId: body.device_id,
      number: device.number,
      before: device.net_ctrl,
    });
    if (body.enabled !== device.net_ctrl) {
      await db
        .updateTable('devices')
        .set((row) => ({ net_ctrl: body.enabled!, revision: row('revision', '+', 1) }))
        .where('id', '=', body.device_id)
        .execute();
      call.emit('device.changed', { deviceId: body.device_id });
    }
    return { device_id: body.device_id, enabled: body.enabled };
  });
};
