import { derivedId } from '../../../shared/ids.ts';
import type { CheckResult } from '../../../shared/contracts/result.ts';
import { BLANK_CONFIG } from '../../../controller/results/writing/blank-state.ts';
import type { MonitorConfig } from '../../../controller/verdicts/monitor-config.ts';
import { shardMap } from '../../helpers/shard-map.ts';

/** Deterministic results per seed, with realistic log-normal jitter; by default, one in a thousand fails. */
export function resultMaker(
  seed = 1, failureShare = 0.001,
): (seq: number, monitorId: string, scheduledAt: number) => CheckResult {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  const jitter = (base: number): number =>
    base * Math.exp(0.1 * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random()));
  return (seq, monitorId, scheduledAt) => {
    const tenth = (ms: number): number => Math.round(ms * 10) / 10;
    const timings = {
      dns: tenth(jitter(1.2)), connect: tenth(jitter(10)), tls: tenth(jitter(22)),
      first_byte: tenth(jitter(50)), transfer: tenth(jitter(3.8)),
    };
    const failed = random() < failureShare;
    return {
      seq, monitor_id: monitorId, assignment_rev: 1, attempt: 1, reason: 'schedule',
      scheduled_at: scheduledAt, started_at: scheduledAt + Math.floor(jitter(2)),
      response_time_ms: tenth(
        timings.dns + timings.connect + timings.tls + timings.first_byte + timings.transfer,
      ),
      outcome: failed ? 'failure' : 'success', degraded: false, status_code: failed ? 503 : 200,
      error: failed ? { type: 'status_code', message: 'Expected 200-299, got 503' } : null, missed: null,
      timings, remote_address: '203.0.113.9', tls: null, detail: null,
    };
  };
}

/** A result as a separate document with the fields stored in a block. */
export function bareDocument(result: CheckResult): Record<string, unknown> {
  const { monitor_id, attempt, reason, scheduled_at, started_at, response_time_ms, outcome, degraded, status_code, timings } =
    result;
  return {
    monitor_id, attempt, reason, scheduled_at, started_at, response_time_ms, outcome, degraded, status_code,
    timings,
    region: 'eu-west', probe_id: '0199aaaa-0000-7000-8000-000000000001',
  };
}

export function monitorIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => derivedId('bench', index));
}

/** The ids grouped by shard. */
export function byShard(ids: string[]): Map<number, string[]> {
  const shards = new Map<number, string[]>();
  for (const id of ids) {
    const group = shards.get(shardMap.of(id));
    if (group) group.push(id);
    else shards.set(shardMap.of(id), [id]);
  }
  return shards;
}

/** With all fields, as in the product: otherwise V8 would give each monitor's copy a hidden class of its own. */
export function configOf(monitorId: string, intervalMs: number, changedAt: number): MonitorConfig {
  return {
    ...BLANK_CONFIG,
    monitor_id: monitorId, organization_id: derivedId('org'), project_id: derivedId('project'),
    revision: 1, check_revision: 1, name: 'bench', target: 'http://bench.example/', status: 'active',
    interval_ms: intervalMs, timeout_ms: 5000, retries: 1, changed_at: changedAt,
  };
}
