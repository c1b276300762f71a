import { laneName, type CheckResult } from '../../shared/contracts/result.ts';
import type { MonitorEffect } from '../../controller/incidents/monitor-state.ts';
import { ShardState } from '../../controller/results/shard-state.ts';
import type { SimulatedDatabase } from './simulated-database.ts';

/** What the one true journal of a shard says when it is read once, from its first entry to its last, by nobody else. */
export interface Reference {
  state: ShardState;
  effects: MonitorEffect[];
  /** Each result that the journal has, once. */
  accepted: { key: string; probe_id: string; region: string; result: CheckResult }[];
  refused: Set<string>;
  dropped: Set<string>;
}

export function referenceOf(db: SimulatedDatabase, shard: number): Reference {
  const state = new ShardState(shard, { n: 0, lanes: {} }, []);
  const reference: Reference = { state, effects: [], accepted: [], refused: new Set(), dropped: new Set() };
  const positions = new Map<string, number>();
  for (const entry of db.truth.get(shard) ?? []) {
    for (const { probe_id: probeId, region, batch, refused } of entry.batches) {
      const lane = laneName(probeId, batch.epoch);
      const known = positions.get(lane) ?? 0;
      for (const result of batch.results) {
        if (result.seq <= known) continue;
        const key = `${shard} ${lane} ${result.seq}`;
        if (refused.includes(result.seq)) reference.refused.add(key);
        else reference.accepted.push({ key, probe_id: probeId, region, result });
      }
      for (const { first, last } of batch.dropped) for (let seq = Math.max(first, known + 1); seq <= last; seq += 1) reference.dropped.add(`${shard} ${lane} ${seq}`);
      positions.set(lane, Math.max(known, batch.last));
    }
    for (const record of state.apply(entry).changed) reference.effects.push(...record.outbox);
  }
  return reference;
}
