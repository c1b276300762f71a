import type { LiveEventMessage } from '../../shared/contracts/live-event.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Bus } from '../platform/bus/bus-port.ts';

/** Something that has just become true in a project; `data` has the form of the API's resource. */
export type LiveEvent = Omit<LiveEventMessage, 'v'>;

/** Tells those who listen now; nothing waits for it, and nothing is kept for others. */
export interface EventPublisher {
  publish(event: LiveEvent): void;
}

/** Tells every controller and outside subscriber over the bus; nobody while the bus is away. */
export function publisherOn(bus: Pick<Bus, 'publish' | 'isConnected'>): EventPublisher {
  return {
    publish: (event) => {
      if (!bus.isConnected) return;
      const subject = subjects.events(event.organization_id, event.project_id, event.kind);
      bus.publish(subject, JSON.stringify({ v: 1, ...event } satisfies LiveEventMessage));
    },
  };
}
