import { sql } from 'kysely';
import * as z from 'zod';
import type { deviceEndpoints } from '#contract/devices.ts';
import type { BodyOf } from '#contract/endpoint.ts';
import type { Db } from '#database/connect.ts';
import { cursorKey, cursorOf } from '#server/core/cursor.ts';
import { inOwnTime } from '#server/core/ownership.ts';
import type { Scope } from '#server/core/scope.ts';
import { deviceInScope } from './devices.store.ts';

const place = z.tuple([z.iso.datetime(), z.uuid()]);

/** Commands to a device, newest first, each with its steps and their times. */
export const commandHistory = async (db: Db, scope: Scope, body: BodyOf<typeof deviceEndpoints.logs>) => {
  await deviceInScope(db, scope, body.device_id);
  const asked = db
    .selectFrom('commands')
    .where('commands.device_id', '=', body.device_id)
    .where(inOwnTime(scope, 'commands.device_id', 'commands.created_at'))
    .$if(body.line_id !== undefined, (query) => query.where('commands.line_id', '=', body.line_id!))
    .$if(body.action !== undefined, (query) => query.where('commands.verb', '=', body.action!))
    .$if(body.state !== undefined, (query) => query.where(sql`commands.state`, '=', body.state));
  const oldestFirst = body.sort === 'created_at';
  const after = body.cursor === undefined ? null : cursorKey(body.cursor, place);
  const [counted, rows] = await Promise.all([
    asked.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    asked
      .leftJoin('lines', 'lines.id', 'commands.line_id')
      .selectAll('commands')
      .select(['lines.name as line_name', 'lines.n'])
      .$if(after !== null, (query) =>
        query.where(
          oldestFirst
            ? sql<boolean>`(commands.created_at, commands.id) > (${after![0]}::timestamptz, ${after![1]}::uuid)`
            : sql<boolean>`(commands.created_at, commands.id) < (${after![0]}::timestamptz, ${after![1]}::uuid)`,
        ),
      )
      .orderBy('commands.created_at', oldestFirst ? 'asc' : 'desc')
      .orderBy('commands.id', oldestFirst ? 'asc' : 'desc')
      .limit(body.limit)
      .offset(after ? 0 : (body.page - 1) * body.limit)
      .execute(),
  ]);
  const last = rows.at(-1);
  return {
    list: rows.map((row) => ({
      command_id: row.id,
      number: row.number,
      line_id: row.line_id,
      line_name: row.line_name ?? '',
      n: row.n ?? 0,
      action: row.verb,
      state: row.state,
      reason: row.reason,
      cause: row.cause,
      operator: row.operator,
      address: row.address,
      batch_id: row.batch_id,
      created_at: row.created_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      sent_at: row.sent_at?.toISOString() ?? null,
      acknowledged_at: row.acknowledged_at?.toISOString() ?? null,
      ended_at: row.ended_at?.toISOString() ?? null,
      evidence: row.evidence,
      late: row.late,
    })),
    total: counted.total,
    page: body.page,
    limit: body.limit,
    next_cursor: last && rows.length === body.limit ? cursorOf(last.created_at.toISOString(), last.id) : null,
  };
};
