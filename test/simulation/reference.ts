import { laneName, type CheckResult } from '../../shared/contracts/result.ts';
import type { MonitorEffect } from '../../controller/verdicts/monitor-state.ts';
import { overdueRow, pingRow } from '../../controller/results/hours/ping-rows.ts';
import type { StoredResult } from '../../controller/results/hours/stored-result.ts';
import { ShardState } from '../../controller/results/state/shard-state.ts';
import type { SimulatedDatabase } from './simulated-database.ts';

/** The outcome of one undisturbed replay of a shard's true journal. */
export interface Reference {
  state: ShardState;
  effects: MonitorEffect[];
  /** Every result in the journal, once. */
  accepted: { key: string; probe_id: string; region: string; result: CheckResult }[];
  /** Rows of heartbeats, from received and missed pings. */
  pingRows: { monitor_id: string; row: StoredResult }[];
  /** Ids of pings, as often as they are in the journal. */
  pings: string[];
  refused: Set<string>;
  dropped: Set<string>;
}

export function referenceOf(db: SimulatedDatabase, shard: number): Reference {
  const state = new ShardState(shard, { n: 0, lanes: [], taken_at: 0 }, []);
  const reference: Reference = {
    state, effects: [], accepted: [], pingRows: [], pings: [], refused: new Set(), dropped: new Set(),
  };
  const positions = new Map<string, number>();
  for (const entry of db.truth.get(shard) ?? []) {
    for (const { probe_id: probeId, region, batch, refused } of entry.batches) {
      const lane = laneName(probeId, batch.epoch);
      const position = positions.get(lane) ?? 0;
      for (const result of batch.results) {
        if (result.seq <= position) continue;
        const key = `${shard} ${lane} ${result.seq}`;
        if (refused.includes(result.seq)) reference.refused.add(key);
        else reference.accepted.push({ key, probe_id: probeId, region, result });
      }
      for (const { first, last } of batch.dropped) {
        for (let seq = Math.max(first, position + 1); seq <= last; seq += 1) {
          reference.dropped.add(`${shard} ${lane} ${seq}`);
        }
      }
      positions.set(lane, Math.max(position, batch.last));
    }
    for (const ping of entry.pings) {
      const row = pingRow(ping);
      if (row) reference.pingRows.push({ monitor_id: ping.monitor_id, row });
      reference.pings.push(ping.id);
    }
    for (const decision of entry.clock) {
      if (decision.kind !== 'overdue' ||
        [...entry.pings, ...entry.configs].some(({ monitor_id: id }) => id === decision.monitor_id)) {
        continue;
      }
      reference.pingRows.push({ monitor_id: decision.monitor_id, row: overdueRow(decision.at) });
    }
    for (const record of state.apply(entry).changed) reference.effects.push(...record.outbox);
  }
  return reference;
}
