import { answerFromWorker } from '#server/core/worker.ts';
import { type ImportSource, readRows } from './devices.import-read.ts';

await answerFromWorker((source: ImportSource) => readRows(source));
