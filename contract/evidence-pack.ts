import * as z from 'zod';
import { chosenDevice, endpoint, instant, longId } from './endpoint.ts';

/** The maximum period of an evidence pack of a device. */
export const longestEvidenceDays = 7;

/**
 * Everything known about an incident in one .zip: raw readings from ten minutes before to ten minutes after,
 * alarms and their history, commands with every step, tags, deliveries, images, and the rows of the operation
 * log with their hash chain; a page to read, and a script that verifies it all without this product. It
 * contains only what the caller may see. The operation log records that it was made, with the hash of its
 * manifest.
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
    body: z.strictObject({ device_id: chosenDevice, from: instant, to: instant }),
    reply: z.unknown(),
  }),
};
