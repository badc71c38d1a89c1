import type { CmdMessage, OtaMessage, RefusalReason } from '#contract/telemetry.ts';
import type { Core } from './core.ts';

interface Answers {
  reject(why: RefusalReason): void;
  accepted(): void;
  done(): void;
  failed(): void;
}
const bytesPerSecond = 100_000;
/** The answer is sent before the connection ends. */
const restartAfterMs = 500;

const isUpdate = (
  p: Record<string, unknown> | undefined,
): p is { url: string; size: number; sha256: string; to: string } =>
  p !== undefined &&
  typeof p['url'] === 'string' &&
  /^https?:\/\//.test(p['url']) &&
  typeof p['size'] === 'number' &&
  p['size'] > 0 &&
  typeof p['sha256'] === 'string' &&
  /^[0-9a-f]{64}$/i.test(p['sha256']) &&
  typeof p['to'] === 'string' &&
  p['to'].length > 0;

/**
 * Firmware update: refused while a trip or an alarm of level 2 is active; contacts keep their positions
 * during the restart.
 */
export const startUpdate = (core: Core, command: CmdMessage, answers: Answers) => {
  const { p } = command;
  if (!isUpdate(p)) return answers.reject('bad_param');
  if (core.ota) return answers.reject('busy');
  if (core.lines.some((line) => line.trip !== 0)) return answers.reject('tripped');
  if (core.alarms.stands() || core.lines.some((line) => line.alarms.stands()))
    return answers.reject('alarm_active');
  core.ota = true;
  const from = core.firmware;
  const report = (st: OtaMessage['st'], detail: { pct?: number; err?: string } = {}) =>
    core.sendOta({ id: command.id, from, to: p.to, st, err: null, ...detail });
  const fail = (err: string) => {
    core.ota = false;
    report('failed', { err });
    answers.failed();
  };
  answers.accepted();
  if (core.faults.update === 'silent') return;
  report('notified');
  const seconds = Math.min(120, Math.max(4, p.size / bytesPerSecond));
  const download = (pct: number) => {
    if (pct < 100) {
      report('downloading', { pct });
      core.clock.after((seconds * 1000) / 4, () => download(pct + 25));
      return;
    }
    if (core.faults.selftestFails || core.faults.update === 'fails') return fail('sha256');
    report('downloaded', { pct: 100 });
    report('verified');
    core.clock.after(1_000, start);
  };
  /** The new firmware starts; after its restart the device reports the running version. */
  const start = () => {
    if (core.lines.some((line) => line.trip !== 0)) return fail('tripped');
    report('updating');
    const { update } = core.faults;
    if (update === 'rollsBack') answers.failed();
    else answers.done();
    core.clock.after(restartAfterMs, () => {
      if (update === undefined) core.firmware = p.to;
      core.ota = false;
      core.restart('ota');
      if (update === 'rollsBack') report('rolled_back', { err: 'watchdog' });
      else report('updated', { pct: 100 });
    });
  };
  core.clock.after(500, () => download(0));
};
