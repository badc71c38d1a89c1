import * as z from 'zod';
import { endpoint, id, instant, longId } from './endpoint.ts';

/** Longest time that one evidence pack of a device may cover. */
export const longestEvidenceDays = 7;

/**
 * Everything that is known of an incident in one .zip: raw readings from ten minutes before to ten minutes after, alarms
 * and their history, commands with every step, tags, deliveries, images, and the rows of the operation log with their
 * hash chain; a page for people, and a script that checks it all without this product. What is in it is what
 * the caller may see; that it was made is in the operation log, with the hash of its manifest.
 */
export const evidencePackEndpoints = {
  /** From when the alarm was raised to when it cleared, an hour at most. */
  alarm: endpoint({
    method: 'POST',
    path: '/evidence_pack/alarm',
    permission: 'operationLog.read',
    log: 'evidence.export',
    stream: true,
    body: z.strictObject({ id: longId }),
    reply: z.unknown(),
  }),
  device: endpoint({
    method: 'POST',
    path: '/evidence_pack/device',
    permission: 'operationLog.read',
    log: 'evidence.export',
    stream: true,
    body: z.strictObject({ device_id: id, from: instant, to: instant }),
    reply: z.unknown(),
  }),
};
