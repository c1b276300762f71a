import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import {
  batchResponse, MAX_BATCH_RESULTS, type CheckResult, type ResultBatch,
} from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { shardMap } from '../helpers/shard-map.ts';

/** Results per monitor in one letter. */
const RESULTS_PER_MONITOR = 6;

/** A batch in transit: its sender, shard and bytes. */
export interface Letter {
  probe: TestProbe;
  shard: number;
  /** Its position among the letters of its lane, from 0. */
  index: number;
  last: number;
  bytes: Uint8Array;
}

/** Numbers what one probe found and packs it into letters, one lane per shard. */
export function lettersOf(probe: TestProbe, epoch: string, results: CheckResult[]): Letter[] {
  const lanes = new Map<number, CheckResult[]>();
  for (const result of results) {
    const shard = shardMap.of(result.monitor_id);
    lanes.set(shard, [...(lanes.get(shard) ?? []), result]);
  }
  return [...lanes].flatMap(([shard, lane]) => {
    const numbered = lane.map((result, index) => ({ ...result, seq: index + 1 }));
    const size = Math.min(MAX_BATCH_RESULTS, RESULTS_PER_MONITOR * new Set(lane.map((result) => result.monitor_id)).size);
    return Array.from({ length: Math.ceil(numbered.length / size) }, (_, index) => {
      const part = numbered.slice(index * size, (index + 1) * size);
      const [first, last] = [index * size + 1, index * size + part.length];
      const batch: ResultBatch = { epoch, engine: 'test', first, last, results: part, dropped: [] };
      return { probe, shard, index, last, bytes: encodeBatch(batch) };
    });
  });
}

/** Sends a letter as its probe; returns the lane's watermark, or null without a response. */
export async function post(letter: Letter, timeoutMs = 60_000): Promise<number | null> {
  const { region_id, probe_id } = letter.probe.enrolment as { region_id: string; probe_id: string };
  try {
    const response = await letter.probe.nats.request(
      subjects.results(letter.shard, region_id, probe_id), letter.bytes, { timeout: timeoutMs },
    );
    return batchResponse.parse(JSON.parse(Buffer.from(response.data).toString())).watermark;
  } catch {
    return null;
  }
}

/**
 * Sends letters in any order, repeating each until it is known to be in the journal. Returns the letters
 * sent.
 */
export async function postAll(letters: Letter[], order: (letters: Letter[]) => Letter[]): Promise<number> {
  let sent = 0;
  for (let left = letters; left.length > 0;) {
    const round = order(left);
    const marks = await Promise.all(round.map((letter) => post(letter, 2000)));
    sent += round.length;
    left = round.filter((letter, index) => (marks[index] ?? 0) < letter.last);
  }
  return sent;
}

/** One check of a monitor, by default a success. */
export function checked(monitorId: string, at: number, isUp = true): CheckResult {
  return {
    seq: 1, monitor_id: monitorId, assignment_rev: 1, attempt: 1, reason: 'schedule', scheduled_at: at,
    started_at: at, response_time_ms: 5,
    outcome: isUp ? 'success' : 'failure', degraded: false, status_code: isUp ? 200 : 503,
    error: isUp ? null : { type: 'status_code', message: 'Status 503' },
    missed: null, timings: null, remote_address: null, tls: null, detail: null,
  };
}
