import {
  type AckMessage,
  type CmdMessage,
  type CommandVerb,
  commandVerbs,
  type DeviceType,
  type RefusalReason,
} from '#contract/telemetry.ts';
import { drive, move, tripLine, whyNotMove } from './breaker.ts';
import { type AckFields, type Core, type Line, lineNumbered } from './core.ts';
import { startUpdate } from './update.ts';

const rememberedAnswers = 32;
const allowedWithoutNetControl: readonly CommandVerb[] = ['read', 'identify', 'silence', 'time_sync'];
const everywhere: readonly CommandVerb[] = [
  'reset',
  'silence',
  'selftest',
  'clear_energy',
  'reboot',
  'ota',
  'read',
  'time_sync',
  'identify',
];

/** The commands that a device accepts; a filter opens and closes only with a bypass contactor. */
export const capabilities = (type: DeviceType, switchable: boolean): readonly CommandVerb[] => [
  ...everywhere,
  ...(switchable && type !== 5 && type !== 6 ? (['open', 'close'] as const) : []),
  ...(type === 3 || type === 4 || type === 7 ? (['leak_test'] as const) : []),
  ...(type === 5 || type === 6 || type === 7 ? (['arc_test'] as const) : []),
];

const isCommand = (value: unknown): value is CmdMessage => {
  if (typeof value !== 'object' || value === null) return false;
  const { id, no, exp, cmd } = value as Record<string, unknown>;
  return (
    typeof id === 'string' &&
    id.length > 0 &&
    Number.isSafeInteger(no) &&
    typeof exp === 'number' &&
    Number.isFinite(exp) &&
    typeof cmd === 'string'
  );
};
type Answer = Pick<AckMessage, 'st'> & Partial<Pick<AckMessage, 'why' | 'data'>>;

/**
 * Behaves as an honest device does: acts on an id once, never acts on an expired command or an old number,
 * and always obeys the interlocks.
 */
export const createCommands = (core: Core) => {
  const answers = new Map<string, AckFields>();

  const answer = (command: CmdMessage, reply: Answer) => {
    const line = lineNumbered(core, command.n);
    const fields: AckFields = {
      id: command.id,
      ...reply,
      ...(line ? { n: line.config.n, sw: line.position, trip: line.trip } : {}),
    };
    answers.delete(command.id);
    answers.set(command.id, fields);
    if (answers.size > rememberedAnswers) answers.delete(answers.keys().next().value!);
    core.touch();
    core.sendAck(fields);
  };
  const reject = (command: CmdMessage, why: RefusalReason) => answer(command, { st: 'rejected', why });
  const done = (command: CmdMessage, data?: Record<string, unknown>) =>
    answer(command, { st: 'done', ...(data ? { data } : {}) });

  const operate = (command: CmdMessage, line: Line, target: 0 | 1) => {
    if (!line.config.switchable || core.config.type === 5 || core.config.type === 6)
      return reject(command, 'unsupported');
    const under = line.operation;
    if (under && !(target === 0 && under.target === 1)) return reject(command, 'busy');
    const refusal = whyNotMove(core, line, target);
    if (refusal) return reject(command, refusal);
    if (under?.id) {
      const superseded = under.id;
      under.cancel();
      line.operation = null;
      answer({ ...command, id: superseded }, { st: 'failed', why: 'superseded' });
    }
    answer(command, { st: 'accepted' });
    drive(core, line, target, command.id, () => {
      if (core.faults.contact === 'stuck' || core.faults.answers === 'lying') {
        done(command);
        core.sendTelemetry();
        return;
      }
      // The line may have tripped or been locked while the drive was moving.
      const late = target === 1 ? whyNotMove(core, line, target) : null;
      if (late) return answer(command, { st: 'failed', why: late });
      move(core, line, target, 'cmd', { id: command.id });
      done(command);
      core.sendTelemetry();
    });
  };

  const reset = (command: CmdMessage) => {
    const lines =
      command.n === undefined ? core.lines : core.lines.filter((line) => line.config.n === command.n);
    if (lines.length === 0) return reject(command, 'bad_param');
    const standing = lines.flatMap((line) => {
      const codes = line.alarms.reset(core.now());
      if (codes.length === 0) {
        line.trip = 0;
        line.selftestFailed = 0;
        line.reclose = { attempts: 0, goodFor: 0, calmFor: 0, locked: false };
        line.alarms.reset(core.now());
      }
      return codes;
    });
    core.alarms.reset(core.now());
    if (standing.length > 0)
      return answer(command, { st: 'failed', why: 'alarm_active', data: { codes: standing } });
    done(command);
    core.sendTelemetry();
  };

  const leakTest = (command: CmdMessage, line: Line) => {
    if (isNotReady(line)) return reject(command, line.trip ? 'tripped' : 'bad_param');
    const refusal = whyNotMove(core, line, 0);
    if (refusal) return reject(command, refusal);
    answer(command, { st: 'accepted' });
    drive(core, line, 0, command.id, () => {
      if (core.faults.selftestFails) {
        line.selftestFailed = 303;
        answer(command, { st: 'failed', why: 'hw_fail' });
        return;
      }
      line.selftestFailed = 0;
      tripLine(core, line, 301);
      done(command, { injected: 30, ms: Math.round(core.random.between(15, 40)) });
      core.sendTelemetry();
    });
  };
  const isNotReady = (line: Line) => line.position === 0 || line.operation !== null || line.trip !== 0;

  const run = (command: CmdMessage) => {
    const verb = command.cmd;
    if (!commandVerbs.includes(verb)) return reject(command, 'unsupported');
    const switchable = core.lines.some((line) => line.config.switchable);
    if (!capabilities(core.config.type, switchable).includes(verb)) return reject(command, 'unsupported');
    if (!core.enables['net_ctrl'] && !allowedWithoutNetControl.includes(verb))
      return reject(command, 'net_ctrl_off');
    const line = lineNumbered(core, command.n);
    if (command.n !== undefined && command.n !== 0 && !line) return reject(command, 'bad_param');
    switch (verb) {
      case 'open':
      case 'close':
        return line ? operate(command, line, verb === 'close' ? 1 : 0) : reject(command, 'bad_param');
      case 'leak_test':
        return line ? leakTest(command, line) : reject(command, 'bad_param');
      case 'reset':
        return reset(command.n === 0 ? withoutLine(command) : command);
      case 'selftest':
      case 'arc_test': {
        const failed = core.faults.selftestFails === true;
        const code = core.config.type === 5 || core.config.type === 6 ? 503 : 303;
        for (const each of line ? [line] : core.lines) each.selftestFailed = failed ? code : 0;
        return failed ? answer(command, { st: 'failed', why: 'hw_fail' }) : done(command, { passed: true });
      }
      case 'clear_energy':
        for (const each of line ? [line] : core.lines) {
          each.energy = 0;
          each.quota.start = 0;
        }
        done(command);
        return core.sendTelemetry();
      case 'read':
        done(command);
        return core.sendTelemetry();
      case 'time_sync': {
        const time = command.p?.['t'] ?? command.t;
        if (typeof time !== 'number' || !Number.isFinite(time)) return reject(command, 'bad_param');
        core.setClock(time);
        return done(command);
      }
      case 'reboot':
        done(command);
        core.clock.after(300, () => core.restart('reboot'));
        return;
      case 'ota':
        return startUpdate(core, command, {
          reject: (why) => reject(command, why),
          accepted: () => answer(command, { st: 'accepted' }),
          done: () => done(command),
          failed: () => answer(command, { st: 'failed', why: 'hw_fail' }),
        });
      case 'silence':
      case 'identify':
        return done(command);
    }
  };

  return {
    receive(value: unknown) {
      if (core.faults.answers === 'silent' || !isCommand(value)) return;
      const command = value;
      const known = answers.get(command.id);
      if (known) return core.sendAck(known);
      if (core.now() > command.exp || command.no <= core.lastNumber) {
        // Only this command sets a clock, so a wrong clock must not refuse it.
        const isClockCommand = command.cmd === 'time_sync' && command.no > core.lastNumber;
        if (!isClockCommand) return answer(command, { st: 'expired', why: 'expired' });
      }
      core.lastNumber = command.no;
      run(command);
    },
    remembered: () => [...answers.values()],
    restore(stored: readonly AckFields[]) {
      for (const each of stored) answers.set(each.id, each);
    },
  };
};
const withoutLine = (command: CmdMessage): CmdMessage => {
  const { n: _, ...rest } = command;
  return rest;
};
