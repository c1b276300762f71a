import { Gauge, type Registry } from 'prom-client';
import type { NatsBus } from '../platform/bus/bus.ts';
import type { Ingest } from '../results/intake/ingest.ts';

/** Figures of the ingest and the bus, read when they are asked for. */
export function observeIngest(registry: Registry, ingest: Ingest, bus: NatsBus): void {
  const figure = (name: string, help: string, read: () => number): void => {
    new Gauge({ name, help, registers: [registry], collect() { this.set(read()); } });
  };
  figure('farwatch_shards_in_hand', 'Shards that this controller owns and has loaded.', () => ingest.shards.size);
  figure('farwatch_results_total', 'Results taken into the journal since the start.', () => ingest.counts.results);
  figure('farwatch_journal_entries_total', 'Journal entries written since the start.', () => ingest.counts.entries);
  figure('farwatch_journal_failures_total', 'Writes of the journal that failed and were tried again.', () => ingest.counts.insert_failures);
  figure('farwatch_journal_voided_total', 'Entries that were void because another controller had written the shard.', () => ingest.counts.voided);
  figure('farwatch_dead_letters_total', 'Results and messages set aside since the start.', () => ingest.counts.dead_letters);
  figure('farwatch_dead_letters_omitted_total', 'Dead letters beyond 2,000 an hour of one probe, counted and not kept.', () => ingest.lettersOmitted);
  figure('farwatch_probe_rate_exceeded_total', 'Messages not looked at because their probe sends more than 1 MiB a second.', () => ingest.rateExceeded);
  figure('farwatch_monitors', 'Monitors of the shards in hand.', () => [...ingest.shards.values()].reduce((sum, actor) => sum + actor.state.monitors.size, 0));
  figure('farwatch_bus_connected', '1 while connected to NATS.', () => (bus.isConnected ? 1 : 0));
  figure('farwatch_bus_dropped_total', 'Messages given up because NATS was away or slow.', () => bus.stats().dropped);
}
