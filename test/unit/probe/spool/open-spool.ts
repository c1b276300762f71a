import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Lane } from '../../../../probe/spool/lane.ts';
import { Spool, SPOOL_LIMITS, type SpoolOptions } from '../../../../probe/spool/spool.ts';
import { decodeBatch } from '../../../../shared/contracts/result-pack.ts';
import type { CheckResult, ResultBatch } from '../../../../shared/contracts/result.ts';
import { newId } from '../../../../shared/ids.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import { shardMap } from '../../../helpers/shard-map.ts';

export const silent = pino({ level: 'silent' });

/** Directories of this test, removed by `remove`. */
export class Directories {
  readonly #made: string[] = [];

  make(): string {
    const directory = mkdtempSync(join(tmpdir(), 'farwatch-spool-'));
    this.#made.push(directory);
    return directory;
  }

  remove(): void {
    for (const directory of this.#made.splice(0)) rmSync(directory, { recursive: true, force: true });
  }
}

export function openSpool(
  directory: string,
  overrides: Partial<Omit<SpoolOptions, 'limits'>> & { limits?: Partial<typeof SPOOL_LIMITS> } = {},
): Promise<Spool> {
  const { limits, ...options } = overrides;
  return Spool.open({
    directory, shardMap, clock: new SimulatedClock(), log: silent, engine: '1.2.3', ...options,
    limits: { ...SPOOL_LIMITS, ...limits },
  });
}

/** Ids of monitors that all belong to one shard. */
export function monitorsOf(shard: number, count: number): string[] {
  const ids: string[] = [];
  while (ids.length < count) {
    const id = newId(1_760_000_000_000);
    if (shardMap.of(id) === shard) ids.push(id);
  }
  return ids;
}

export function buildResult(monitorId: string, overrides: Partial<CheckResult> = {}): CheckResult {
  return {
    seq: 0, monitor_id: monitorId, assignment_rev: 1, attempt: 1, reason: 'schedule',
    scheduled_at: 1_760_000_000_000, started_at: 1_760_000_000_003,
    response_time_ms: 12.5, outcome: 'success', degraded: false, status_code: 200, error: null, missed: null,
    timings: { connect: 1, first_byte: 11, transfer: 0.5 }, remote_address: '127.0.0.1', tls: null,
    detail: null, ...overrides,
  };
}

/** Everything in a lane from its watermark on, in sending order. */
export async function readLane(spool: Spool, lane: Lane): Promise<ResultBatch[]> {
  const batches: ResultBatch[] = [];
  for (let seq = lane.watermark + 1; ; ) {
    const packed = await spool.read(lane, seq);
    if (!packed) return batches;
    const batch = decodeBatch(packed.bytes);
    batches.push(batch);
    seq = batch.last + 1;
  }
}

export async function readAll(spool: Spool): Promise<ResultBatch[]> {
  const all: ResultBatch[] = [];
  for (const lane of spool.lanes()) all.push(...(await readLane(spool, lane)));
  return all;
}
