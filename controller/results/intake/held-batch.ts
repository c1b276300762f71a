import { decodeBatch, PACKED_FORMAT } from '../../../shared/contracts/result-pack.ts';
import type { ResultBatch } from '../../../shared/contracts/result.ts';
import type { UuidCache } from '../../../shared/contracts/uuid-cache.ts';

/**
 * A batch whose results are read from its bytes whenever they are asked for. Objects that wait for the journal outlive
 * the garbage collector's first look, and copying them costs more than reading them twice.
 */
export function holdBatch(bytes: Uint8Array, batch: ResultBatch, ids: UuidCache): ResultBatch {
  if (bytes[0] !== PACKED_FORMAT) return batch;
  const { epoch, engine, first, last, dropped } = batch;
  return { epoch, engine, first, last, dropped, get results() { return decodeBatch(bytes, ids).results; } };
}
