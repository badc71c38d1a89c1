import type { FaultCode } from '#contract/faults/codes.ts';
import { sentence } from '#contract/faults/codes.ts';
import { mostCheckedRows, operationLogEndpoints } from '#contract/operation-log.ts';
import { failedSignInSheet } from '#contract/session-columns.ts';
import { type ChainCheck, checkOperations } from '#server/core/operation-log.ts';
import type { Serve } from '#server/core/serve.ts';
import { everyRow, sendTable } from '#server/core/table.ts';
import { failedSignIns } from '#server/session/failed-sign-ins.store.ts';
import { operationSheet } from './export.ts';
import { operationLogStore } from './operation-log.store.ts';

const sentences: Record<NonNullable<ChainCheck['broken']>['why'], FaultCode> = {
  changed: 'operationLog.changed',
  missing: 'operationLog.missing',
  end: 'operationLog.end',
  added: 'operationLog.added',
};

export const operationLogRoutes = (serve: Serve): void => {
  serve(operationLogEndpoints.list, ({ db, caller, body, language }) =>
    operationLogStore(db, caller).list(body, language),
  );
  serve(operationLogEndpoints.export, (call) => {
    const { db, caller, body, language } = call;
    return sendTable(
      call,
      operationSheet,
      operationLogStore(db, caller).all(body, language),
      body.project_id,
    );
  });
  serve(operationLogEndpoints.verify, async ({ db, body, language }) => {
    const { checked, last, done, broken } = await checkOperations(db, {
      after: body.after ?? 0,
      most: mostCheckedRows,
    });
    return {
      checked,
      last_id: last.id,
      last_hash: last.hash,
      done,
      broken: broken && {
        id: broken.id,
        at: broken.at?.toISOString() ?? null,
        why: broken.why,
        message: sentence(sentences[broken.why], language, {
          id: broken.id,
          at: broken.at?.toISOString() ?? '-',
        }),
      },
    };
  });
  serve(operationLogEndpoints.failedSignIns, ({ db, body }) => failedSignIns(db, body));
  serve(operationLogEndpoints.exportFailedSignIns, (call) =>
    sendTable(
      call,
      failedSignInSheet,
      everyRow((at) => failedSignIns(call.db, at)),
    ),
  );
};
