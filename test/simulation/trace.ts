import type { SimulatedDatabase } from './simulated-database.ts';
import type { ClockDecision } from '../../controller/results/journal/journal-store.ts';
import { ShardState } from '../../controller/results/state/shard-state.ts';
import { shardMap } from '../helpers/shard-map.ts';

const time = (at: number): string => new Date(at).toISOString().slice(11, 23);

/** The true journal's effects on one monitor, one line per entry that affects it. */
export function trace(db: SimulatedDatabase, id: string): string[] {
  const shard = shardMap.of(id);
  const state = new ShardState(shard, { n: 0, lanes: [], taken_at: 0 }, []);
  const lines: string[] = [];
  for (const entry of db.truth.get(shard) ?? []) {
    const results = entry.batches.flatMap(({ region, batch }) =>
      batch.results.filter((result) => result.monitor_id === id)
        .map((result) =>
          `${region} ${result.outcome} ${time(result.started_at)} r${result.assignment_rev}${result.missed ? ` ${result.missed.reason}×${result.missed.count}` : ''}`));
    const configs = entry.configs.filter((config) => config.monitor_id === id).map(
      (config) => `config r${config.revision} ${config.status} ${time(config.changed_at)}`,
    );
    const clock = entry.clock.flatMap((decision) => (decision.kind === 'hour'
      ? [`hour ${time(decision.until)}`]
      : decision.kind === 'unwatched'
        ? [`unwatched ${time(decision.from)}-${time(decision.until)}`]
        : decision.kind !== 'watched' && decision.monitor_id === id
          ? [`${decision.kind} ${'region' in decision ? decision.region : ''} ${time(instantOf(decision))}`]
          : []));
    const pings = entry.pings.filter((ping) => ping.monitor_id === id).map(
      (ping) => `ping ${ping.kind} ${time(ping.at)}`,
    );
    state.apply(entry);
    const monitor = state.monitors.get(id);
    const items = [...configs, ...results, ...pings, ...clock];
    if (items.length > 0) {
      lines.push(`${entry.n} ${time(entry.taken_at)} ${entry.writer} [${items.join(', ')}] -> ${monitor?.state.status} since ${time(monitor?.state.since ?? 0)} accounted until ${time(monitor?.state.accounted_until ?? 0)} ${Object.entries(monitor?.state.regions ?? {})
        .map(([name, region]) => `${name}:${region.verdict}/${region.fails}`)
        .join(' ')}${monitor?.state.outage ? ` OUTAGE ${time(monitor.state.outage.started_at)} ${monitor.state.outage.incident_id.slice(0, 8)}` : ''}`);
    }
  }
  return lines;
}

function instantOf(decision: Extract<ClockDecision, { monitor_id: string }>): number {
  return decision.kind === 'witness' ? decision.witness.at : decision.at;
}
