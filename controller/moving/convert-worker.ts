import { parentPort, workerData } from 'node:worker_threads';
import { convertFile, type ConversionRequest } from './convert-file.ts';
import { FileRefused } from './converter.ts';

/** Converts one file within the limits of a worker, and answers with the result or with why it is refused. */
parentPort?.postMessage(await convertFile(workerData as ConversionRequest).catch((error: unknown) => {
  if (error instanceof FileRefused) return { refused: error.message };
  throw error;
}));
