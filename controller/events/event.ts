import type { LiveEventMessage } from '../../shared/contracts/live-event.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Bus } from '../platform/bus/bus-port.ts';

/** A change in a project; `data` has the form of the API's resource. */
export type LiveEvent = Omit<LiveEventMessage, 'v'>;

/** Publishes to current listeners, without waiting or storing. */
export interface EventPublisher {
  publish(event: LiveEvent): void;
}

/** Publishes to all controllers and subscribers over the bus; drops events while it is disconnected. */
export function publisherOn(bus: Pick<Bus, 'publish' | 'isConnected'>): EventPublisher {
  return {
    publish: (event) => {
      if (!bus.isConnected) return;
      const subject = subjects.events(event.organization_id, event.project_id, event.kind);
      bus.publish(subject, JSON.stringify({ v: 1, ...event } satisfies LiveEventMessage));
    },
  };
}
