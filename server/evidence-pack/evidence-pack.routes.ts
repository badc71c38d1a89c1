import { Readable } from 'node:stream';
import { evidencePackEndpoints } from '#contract/evidence-pack.ts';
import type { Call, Serve } from '#server/core/serve.ts';
import { type Incident, incidentOfAlarm, incidentOfDevice } from './evidence-pack.store.ts';
import { evidencePack } from './pack.ts';
import { pageWords } from './words.ts';

/** Logs the subject of the pack and answers with it. */
const send = (call: Call<unknown>, incident: Incident): Readable => {
  const { db, caller, language, now, reply } = call;
  const about = { projectId: incident.project?.id ?? null, deviceId: incident.device?.id ?? null };
  call.note(about);
  const subject = incident.alarm?.work_order ?? incident.device?.number ?? '';
  const file = `${pageWords.title[language]} ${subject} ${incident.period.from.toISOString().slice(0, 10)}`;
  reply
    .header('content-type', 'application/zip')
    .header(
      'content-disposition',
      `attachment; filename="evidence.zip"; filename*=UTF-8''${encodeURIComponent(file)}.zip`,
    );
  return Readable.from(
    evidencePack({
      db,
      reader: caller,
      incident,
      language,
      now,
      made: {
        at: new Date(now),
        userId: caller.userId,
        operator: caller.username,
        key: 'evidence.delivered',
        channel: call.channel,
        address: call.address,
        requestId: call.requestId,
        outcome: 'done',
        code: 200,
        ...about,
        parameters: incident.alarm ? { id: incident.alarm.id } : {},
      },
    }),
  );
};

export const evidencePackRoutes = (serve: Serve): void => {
  serve(evidencePackEndpoints.alarm, async (call) =>
    send(call, await incidentOfAlarm(call.db, call.caller.scope, call.body.id, call.now)),
  );
  serve(evidencePackEndpoints.device, async (call) =>
    send(call, await incidentOfDevice(call.db, call.caller.scope, call.body)),
  );
};
