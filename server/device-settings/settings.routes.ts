import { randomUUID } from 'node:crypto';
import { controlEndpoints } from '#contract/control.ts';
import { deviceSettingEndpoints as endpoints } from '#contract/device-settings.ts';
import { mostAtOnce, selectsDevices } from '#contract/devices.ts';
import type { BodyOf, ReplyOf } from '#contract/endpoint.ts';
import type { FaultCode } from '#contract/faults/codes.ts';
import { graverOf, parameterHazard } from '#contract/hazards.ts';
import type { DeviceType } from '#contract/telemetry.ts';
import { mustBeSafe, provesIdentity } from '#server/control/hazard.ts';
import { byProject } from '#server/core/by-project.ts';
import { fault } from '#server/core/fault.ts';
import { isProved, type ProvePassword } from '#server/core/identity.ts';
import { messageOf } from '#server/core/reason.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import { type JobRow, jobStore } from '#server/device-jobs/jobs.store.ts';
import { deviceStore } from '#server/devices/devices.store.ts';
import { differences, readCustom } from './custom.ts';
import { comingValues, hazardFor, mustBeSound, readWishes } from './desired.ts';
import { explainType } from './explain.ts';
import { stageMany } from './jobs.ts';
import { customKey, defaultsOf, flawsOf, nameOf, type Wish } from './settings.rules.ts';
import { settingsStore } from './settings.store.ts';
import { expectRevision, type Staged, stage } from './staging.ts';
import { type Target, targetOf } from './target.ts';
import { settingsView } from './view.ts';

interface DeviceSettingsDeps {
  provePassword: ProvePassword;
}
const limiterType: DeviceType = 7;

const shown = ({ deviceId, revision, rows }: Staged) => ({
  device_id: deviceId,
  revision,
  settings: rows.map(({ kind, place, key, value, state }) => ({ kind, n: place, key, value, state })),
});
const jobMoved = (call: Call<unknown>) => (jobId: string) => call.emit('job.changed', { jobId });
const by = (call: Call<unknown>) => ({
  userId: call.caller.userId,
  operator: call.caller.username,
  now: call.now,
  jobMoved: jobMoved(call),
});

/** Stores desired values for one device and emits the events; the sender continues from there. */
const keep = async (
  call: Call<unknown>,
  target: Target,
  wishes: readonly Wish[],
  { revision, proved }: { revision: number | undefined; proved: boolean },
): Promise<Staged> => {
  if (wishes.length === 0) fault('request.invalid', { fields: { settings: 'setting.none' } });
  call.note({ deviceId: target.id, projectId: target.projectId, number: target.number });
  await mustBeSafe(call, await hazardFor(call.db, target.id, wishes), { deviceId: target.id, proved });
  const [staged] = await stage(
    call.db,
    [{ deviceId: target.id, askedIn: target.projectId, wishes }],
    by(call),
    revision,
  );
  if (staged!.netControl) call.emit('device.changed', { deviceId: target.id, what: 'record' });
  call.emit('settings.requested', { deviceId: target.id });
  return staged!;
};

/**
 * Stores desired values for many devices as a job. For few devices the values are stored within the call, for
 * many step by step.
 */
const setMany = async (
  call: Call<BodyOf<typeof endpoints.set>>,
  proved: boolean,
): Promise<ReplyOf<typeof endpoints.set>> => {
  const { db, caller, body, now, language } = call;
  // The devices' present values are not known before each device is processed.
  await mustBeSafe(
    call,
    graverOf(body.settings.map(({ key, value }) => parameterHazard(key, undefined, value))),
    {
      deviceId: null,
      proved,
    },
  );
  const ids = await deviceStore(db).selected(caller.scope, body);
  const id = randomUUID();
  const inTurn = ids.length > mostAtOnce;
  const rows: JobRow[] = inTurn
    ? ids.map((deviceId) => ({ deviceId, state: 'queued', reason: null }))
    : await stageMany(db, { id, author: caller, now, jobMoved: jobMoved(call) }, body.settings, ids);
  await jobStore(db).create({ id, kind: 'settings', by: caller, now, parameters: body.settings, rows });
  const concerned = await byProject(db, caller.scope, ids);
  call.note({
    ...{ job_id: id, total: ids.length, device_ids: undefined },
    projects: concerned.map(({ projectId, deviceIds }) => ({
      ...{ projectId, devices: deviceIds.length },
      ...(!inTurn && { device_ids: deviceIds }),
    })),
  });
  call.emit('job.changed', { jobId: id, begun: true });
  for (const { deviceId, state } of rows)
    if (state === 'waiting') call.emit('settings.requested', { deviceId });
  const results = (inTurn ? [] : rows).map(({ deviceId, state, reason, with: about }) => ({
    id: deviceId,
    result: state === 'denied' || state === 'skipped' ? state : ('done' as const),
    ...(reason === null ? {} : { reason, message: messageOf(reason, about ?? {}, language) ?? '' }),
  }));
  return { staged: null, job_id: id, total: ids.length, results };
};

const limiter = (target: Target): Target =>
  target.type === limiterType ? target : fault('setting.wrongType');

export const deviceSettingsRoutes = (serve: Serve, deps: DeviceSettingsDeps): void => {
  serve(endpoints.select, async ({ db, caller, body, now, language }) => {
    const target = await targetOf(db, caller.scope, body.device_id);
    return (await settingsView(db, target, now, language)).settings();
  });
  serve(endpoints.limiterList, async ({ db, caller, body, now, language }) => {
    const target = limiter(await targetOf(db, caller.scope, body.device_id));
    return (await settingsView(db, target, now, language)).settings();
  });
  serve(endpoints.one, async ({ db, caller, body, now, language }) => {
    const target = await targetOf(db, caller.scope, body.device_id);
    const view = await settingsView(db, target, now, language);
    const { revision, device, lines } = await view.settings();
    const rows =
      body.line_id === undefined ? device : lines.find((line) => line.line_id === body.line_id)?.settings;
    if (!rows) fault('line.missing');
    const row = rows!.find((one) => one.key === body.key);
    if (!row) return fault('request.invalid', { fields: { key: 'setting.unknown' } });
    return { ...row, revision };
  });

  serve(endpoints.set, async (call) => {
    const { db, caller, body } = call;
    const proved = await provesIdentity(call, deps.provePassword);
    if (selectsDevices(body)) return setMany(call, proved);
    if (body.device_id === undefined)
      return fault('request.invalid', { fields: { device_id: 'setting.devices' } });
    const target = await targetOf(db, caller.scope, body.device_id);
    const { wishes, fields } = readWishes(body.settings, target, await comingValues(db, target.id));
    mustBeSound(fields);
    return {
      staged: shown(await keep(call, target, wishes, { revision: body.revision, proved })),
      job_id: null,
      total: 1,
      results: [],
    };
  });
  serve(endpoints.limiterSet, async (call) => {
    const { db, caller, body } = call;
    const proved = await provesIdentity(call, deps.provePassword);
    const target = limiter(await targetOf(db, caller.scope, body.device_id));
    const { wishes, fields } = readWishes(body.settings, target, await comingValues(db, target.id));
    mustBeSound(fields);
    return shown(await keep(call, target, wishes, { revision: body.revision, proved }));
  });

  serve(endpoints.first, async (call) => {
    const proved = await provesIdentity(call, deps.provePassword);
    const target = await targetOf(call.db, call.caller.scope, call.body.device_id);
    await settingsStore(call.db).hold([target.id]);
    if ((await settingsStore(call.db).desired(target.id)).length > 0) fault('setting.notFirst');
    return shown(await keep(call, target, defaults(target), { revision: call.body.revision, proved }));
  });
  serve(endpoints.defaults, async (call) => {
    const proved = await provesIdentity(call, deps.provePassword);
    const target = await targetOf(call.db, call.caller.scope, call.body.device_id);
    return shown(await keep(call, target, defaults(target), { revision: call.body.revision, proved }));
  });

  serve(endpoints.custom, async (call) => {
    const { db, caller, body } = call;
    const target = await targetOf(db, caller.scope, body.device_id);
    const { value, flaw } = readCustom(body.custom);
    if (flaw) fault('request.invalid', { fields: { custom: flaw } });
    const wish: Wish = { kind: 'custom', place: 0, key: customKey, value };
    checkWishes(target, [wish], { [nameOf(wish)]: 'custom' });
    const coming = (await comingValues(db, target.id))[nameOf(wish)];
    const diff = differences(coming ?? {}, wish.value);
    if (body.preview) {
      const { revision } = await settingsStore(db).known(target.id);
      await expectRevision(db, target.id, revision, body.revision);
      return { preview: true, revision, state: 'none' as const, diff };
    }
    const proved = await provesIdentity(call, deps.provePassword);
    const { revision, rows } = await keep(call, target, [wish], { revision: body.revision, proved });
    return { preview: false, revision, state: rows[0]!.state, diff };
  });
  serve(endpoints.service, async (call) => {
    const { db, caller, body } = call;
    const proved = await provesIdentity(call, deps.provePassword);
    const target = await targetOf(db, caller.scope, body.device_id);
    const coming = (await comingValues(db, target.id))[`custom/0/${customKey}`];
    const others = typeof coming === 'object' && coming !== null ? coming : {};
    const { server_address, device_address, upload_seconds } = body;
    const wishes: Wish[] = [
      {
        kind: 'custom',
        place: 0,
        key: customKey,
        value: { ...others, service: { server_address, device_address } },
      },
      ...(upload_seconds === undefined
        ? []
        : [{ kind: 'parameter' as const, place: 0, key: 'tele_s', value: upload_seconds }]),
    ];
    checkWishes(target, wishes, {
      [nameOf(wishes[0]!)]: 'server_address',
      'parameter/0/tele_s': 'upload_seconds',
    });
    return shown(await keep(call, target, wishes, { revision: body.revision, proved }));
  });

  serve(endpoints.enablesShown, async ({ db, caller, body, now, language }) => {
    const target = await targetOf(db, caller.scope, body.device_id);
    return (await settingsView(db, target, now, language)).enables();
  });
  serve(endpoints.enable, async (call) => {
    const { db, caller, body } = call;
    const proved = await provesIdentity(call, deps.provePassword);
    const target = await targetOf(db, caller.scope, body.device_id);
    const wishes = Object.entries(body.enables).map(
      ([key, value]): Wish => ({ kind: 'enable', place: 0, key, value }),
    );
    if (wishes.length === 0) fault('request.invalid', { fields: { enables: 'setting.none' } });
    checkWishes(
      target,
      wishes,
      Object.fromEntries(wishes.map((wish) => [nameOf(wish), `enables.${wish.key}`])),
    );
    return shown(await keep(call, target, wishes, { revision: body.revision, proved }));
  });

  const netControl = async ({ db, caller, body, now, language }: Call<{ device_id: number }>) => {
    const target = await targetOf(db, caller.scope, body.device_id);
    const { stand } = await settingsView(db, target, now, language);
    const device = await db
      .selectFrom('devices')
      .select('net_ctrl')
      .where('id', '=', target.id)
      .executeTakeFirstOrThrow();
    return { device_id: target.id, enabled: device.net_ctrl, ...stand(netControlSetting) };
  };
  serve(endpoints.netControlShown, netControl);
  serve(controlEndpoints.netControl, async (call) => {
    const before = await netControl(call);
    const { enabled } = call.body;
    if (enabled === undefined) return before;
    const target = await targetOf(call.db, call.caller.scope, call.body.device_id);
    call.note({ before: before.enabled });
    await keep(call, target, [{ ...netControlSetting, value: enabled }], {
      revision: undefined,
      proved: await isProved(call),
    });
    return netControl(call);
  });

  serve(endpoints.explain, async ({ db, caller, body, language }) => {
    const type =
      body.device_id === undefined
        ? (body.type as DeviceType | undefined)
        : (await targetOf(db, caller.scope, body.device_id)).type;
    if (type === undefined) return fault('request.invalid', { fields: { type: 'setting.devices' } });
    return explainType(type, language);
  });
};

const netControlSetting = { kind: 'enable', place: 0, key: 'net_ctrl' } as const;
const defaults = (target: Target): Wish[] => defaultsOf(target.type, target.lines, target.nominalVoltage);

/** Refuses invalid desired values, each at its own field. */
const checkWishes = (
  target: Target,
  wishes: readonly Wish[],
  fieldOf: Readonly<Record<string, string>>,
): void => {
  const flaws = flawsOf(wishes, { type: target.type, places: target.lines.map((line) => line.n) }, {});
  const fields: Record<string, FaultCode> = {};
  for (const [name, code] of Object.entries(flaws)) fields[fieldOf[name] ?? name] = code;
  mustBeSound(fields);
};
