import { Gauge, type Registry } from 'prom-client';
import type { NatsBus } from '../platform/bus/bus.ts';
import type { Shards } from '../results/shards/shards.ts';

/** Figures of the ingest and the bus, read when they are asked for. */
export function observeIngest(registry: Registry, shards: Shards, bus: NatsBus): void {
  const figure = (name: string, help: string, read: () => number): void => {
    new Gauge({ name, help, registers: [registry], collect() { this.set(read()); } });
  };
  figure('farwatch_shards_in_hand', 'Shards that this controller owns and has loaded.', () => shards.states.size);
  figure('farwatch_results_total', 'Results taken into the journal since the start.', () => shards.counts.results);
  figure('farwatch_journal_entries_total', 'Journal entries written since the start.', () => shards.counts.entries);
  figure('farwatch_journal_failures_total', 'Writes of the journal that failed and were tried again.', () => shards.counts.insert_failures);
  figure('farwatch_journal_voided_total', 'Entries that were void because another controller had written the shard.', () => shards.counts.voided);
  figure('farwatch_dead_letters_total', 'Results and messages set aside since the start.', () => shards.deadLetters.count);
  figure('farwatch_dead_letters_omitted_total', 'Dead letters beyond 2,000 an hour of one probe, counted and not kept.', () => shards.deadLetters.omitted);
  figure('farwatch_probe_rate_exceeded_total', 'Messages not looked at because their probe sends more than 1 MiB a second.', () => shards.rateExceeded);
  figure('farwatch_monitors', 'Monitors of the shards in hand.', () => [...shards.states.values()].reduce((sum, { monitors }) => sum + monitors.size, 0));
  figure('farwatch_bus_connected', '1 while connected to NATS.', () => (bus.isConnected ? 1 : 0));
  figure('farwatch_bus_dropped_total', 'Messages given up because NATS was away or slow.', () => bus.stats().dropped);
}
