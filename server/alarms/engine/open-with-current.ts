/** Contacts that carry current although their line is reported open: alarm 703 from readings alone. */

import type pg from 'pg';
import { alarmTypeOf } from '#contract/alarm-catalogue.ts';
import { alarmCodes } from '#contract/alarm-codes.ts';
import { openStates } from '#server/control/states.ts';
import { judge, largestCurrent, noCurrent } from '#server/core/evidence.ts';
import type { LineRef } from '#server/core/group.ts';
import type { Check } from './check.ts';
import { type Commanded, keyOf } from './memory.ts';

const code = alarmCodes.switchingFailed;
/**
 * Phase number of this alarm. It distinguishes the alarm from that of a failed command (0), which only a
 * verified command ends; no phase of a line has this number.
 */
const contactsPhase = 8;
const offMs = 60_000;

export const isOfContacts = (alarm: { readonly code: number; readonly phase: number }): boolean =>
  alarm.code === code && alarm.phase === contactsPhase;

/** 1: reported open but current or power flows; 0: closed, or open without current; otherwise unknown. */
export const contactChecks = (line: LineRef): Check[] => {
  const type = alarmTypeOf(code);
  if (!type?.types.includes(line.type) || line.contacts === undefined) return [];
  const { nominalVoltage } = line;
  const measured = { type: line.type, poles: line.contacts.poles, nominalVoltage };
  return [
    {
      type,
      phase: contactsPhase,
      key: keyOf(code, contactsPhase),
      measure: ({ position, channels }) => {
        if (position !== 0) return position === 1 ? 0 : Number.NaN;
        const verdict = judge(0, measured, { position, channels });
        return verdict === 'contradicts' ? 1 : verdict === 'agrees' ? 0 : Number.NaN;
      },
      sign: 1,
      early: Number.POSITIVE_INFINITY,
      alarm: 0.5,
      first: 0.5,
      clear: 0.5,
      forbidden: Number.POSITIVE_INFINITY,
      allowed: Number.POSITIVE_INFINITY,
      latchAbove: Number.POSITIVE_INFINITY,
      timing: { onMs: type.on * 1000, offMs, atOnce: false },
      needsClosed: false,
      waits: isCommanded,
      shows: ({ channels }) => [largestCurrent(measured, channels), noCurrent],
    },
  ];
};

/**
 * A command that is under way for the line or its whole device decides, and so does a failed one with an
 * unprocessed alarm. An alarm that an operator has handled hides nothing.
 */
const isCommanded: NonNullable<Check['waits']> = (draft, state, deviceLineId) => {
  if (state.conditions.get(keyOf(code, contactsPhase))?.active) return false;
  const commands = state.commands.size + (state.device.lines.get(deviceLineId)?.commands.size ?? 0);
  const failed = state.conditions.get(keyOf(code, 0))?.active;
  return commands > 0 || (failed != null && !draft.isProcessed(failed));
};

/** Commands that move contacts. */
export const movesContacts = (verb: string): boolean => verb === 'open' || verb === 'close';

export const commandsUnderWay = async (pool: pg.Pool): Promise<Commanded[]> => {
  const { rows } = await pool.query<Commanded & { verb: string }>(
    `select id as "commandId", line_id as "lineId", device_id as "deviceId", verb from commands
     where state = any($1)`,
    [openStates],
  );
  return rows.filter(({ verb }) => movesContacts(verb));
};
