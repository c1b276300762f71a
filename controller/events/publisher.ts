import type { LiveEventMessage } from '../../shared/contracts/live-event.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Bus } from '../platform/bus/bus-port.ts';
import type { EventPublisher, LiveEvent } from './event.ts';

/** Tells every controller and outside subscriber over the bus. While the bus is away nobody is told. */
export class BusEventPublisher implements EventPublisher {
  readonly #bus: Pick<Bus, 'publish' | 'isConnected'>;

  constructor(bus: Pick<Bus, 'publish' | 'isConnected'>) {
    this.#bus = bus;
  }

  publish(event: LiveEvent): void {
    if (!this.#bus.isConnected) return;
    const message: LiveEventMessage = { v: 1, ...event };
    this.#bus.publish(subjects.events(event.organization_id, event.project_id, event.kind), JSON.stringify(message));
  }
}
