import { Gauge, type Registry } from 'prom-client';
import type { EventHub } from '../events/hub.ts';

/** Figures of the live events, read when they are asked for. */
export function observeEvents(registry: Registry, hub: EventHub): void {
  const figure = (name: string, help: string, read: () => number): void => {
    new Gauge({ name, help, registers: [registry], collect() { this.set(read()); } });
  };
  figure('farwatch_event_streams', 'Streams of live events that are open.', () => hub.streams);
  figure('farwatch_events_refused_total', 'Messages of live events that could not be read.', () => hub.refused);
}
