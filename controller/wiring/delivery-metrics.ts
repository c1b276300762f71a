import { Gauge, type Registry } from 'prom-client';
import type { FailingCount } from '../delivery/failing-count.ts';
import type { DeliveryCounts, DeliveryService } from '../delivery/service.ts';

const OUTCOMES: Record<keyof Omit<DeliveryCounts, 'resumed'>, string> = {
  sent: 'sent', retry: 'failed, to be tried again', failed: 'failed for good', dropped: 'given up without a try', again: 'put off for want of room',
  lost: 'found with another controller',
};

/** Figures of the delivery, read when they are asked for. */
export function observeDeliveries(registry: Registry, { service, failing }: { service: DeliveryService; failing: FailingCount }): void {
  new Gauge({
    name: 'farwatch_delivery_tries_total', help: `Tries of deliveries since the start, by outcome: ${Object.entries(OUTCOMES).map((pair) => pair.join(': ')).join('; ')}.`,
    labelNames: ['outcome'] as const, registers: [registry],
    collect() {
      for (const outcome of Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[]) this.set({ outcome }, service.counts[outcome]);
    },
  });
  const figure = (name: string, help: string, read: () => number): void => {
    new Gauge({ name, help, registers: [registry], collect() { this.set(read()); } });
  };
  figure('farwatch_delivery_resumed_total', 'Deliveries taken up whose last try was never reported: each may have arrived twice.', () => service.counts.resumed);
  figure('farwatch_destinations_at_work', 'Destinations with deliveries under way.', () => service.atWork);
  figure('farwatch_destinations_failing', 'Destinations of the shards in hand whose latest delivery failed.', () => failing.latest);
}
