import { answerFromWorker } from '#server/core/worker.ts';
import { type ImportSource, readRows } from './import-read.ts';

await answerFromWorker((source: ImportSource) => readRows(source));
