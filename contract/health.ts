import * as z from 'zod';
import { endpoint, instant, nothing } from './endpoint.ts';

/** Problems of the product itself. */
export const problemCodes = [
  'nodeGone',
  'linkDown',
  'ingestSlow',
  'databaseSlow',
  'connectionsScarce',
  'diskLow',
  'rollupsBehind',
  'jobFailing',
  'noticesStuck',
  'backupOld',
  'drillOld',
] as const;
export type ProblemCode = (typeof problemCodes)[number];

/** The report of a node about itself. Null: not its work, or unknown on this system. */
const nodeFacts = z.object({
  /** Devices can connect. */
  link_ready: z.boolean().nullable(),
  /** Average over the last interval. */
  messages_per_s: z.number().nullable(),
  /** From receipt to acknowledgement, the mean of the last interval. */
  acknowledge_ms: z.number().nullable(),
  waiting: z.int().nullable(),
  paused: z.boolean().nullable(),
  device_connections: z.int().nullable(),
  live_streams: z.int().nullable(),
  memory_bytes: z.int(),
  /** The largest delay of the event loop in the last interval. */
  loop_delay_ms: z.number(),
  disk_free_bytes: z.number().nullable(),
  disk_bytes: z.number().nullable(),
  pool_waiting: z.int(),
});
export type NodeFacts = z.output<typeof nodeFacts>;

const problemRow = z.object({
  code: z.enum(problemCodes),
  /** The node or job; '': the whole product. */
  subject: z.string(),
  since: instant,
  facts: z.record(z.string(), z.union([z.number(), z.string()])),
});

/** What a node does: everything, or one kind of work. */
export const nodeRoles = ['all', 'web', 'link', 'jobs'] as const;
export type NodeRole = (typeof nodeRoles)[number];

export const healthEndpoints = {
  overview: endpoint({
    method: 'POST',
    path: '/health/overview',
    permission: 'installation.manage',
    body: nothing,
    reply: z.object({
      version: z.string(),
      problems: z.array(problemRow),
      nodes: z.array(
        z.object({
          name: z.string(),
          role: z.enum(nodeRoles),
          version: z.string(),
          started_at: instant,
          seen_at: instant,
          /** The node has not reported for a minute. */
          gone: z.boolean(),
          facts: nodeFacts,
        }),
      ),
      database: z.object({
        version: z.string(),
        answer_ms: z.number(),
        bytes: z.number(),
        connections: z.int(),
        most_connections: z.int(),
        migration: z.string(),
      }),
      work: z.object({
        /** The statistics are computed up to this time. */
        rollups_through: instant.nullable(),
        rollups_waiting: z.int(),
        notices_queued: z.int(),
        notices_oldest: instant.nullable(),
        notices_failed_day: z.int(),
        jobs_failing: z.array(z.string()),
        commands_open: z.int(),
      }),
      backups: z.object({ last_at: instant.nullable(), drill_at: instant.nullable() }),
    }),
  }),
};
export type HealthOverview = z.output<(typeof healthEndpoints)['overview']['reply']>;
