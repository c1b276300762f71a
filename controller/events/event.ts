import { z } from 'zod';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Bus } from '../platform/bus/bus-port.ts';

export const EVENT_KINDS = [
  'result', 'monitor.state', 'monitor.region', 'monitor.changed', 'monitor.deleted', 'group.changed',
  'group.deleted', 'incident', 'probe',
] as const;

/** A change in a project, published on `events.<organization>.<project>.<kind>`; results are on `raw.…`. */
export const liveEventMessage = z.object({
  v: z.literal(1),
  /** Identical for repeats of the same event. */
  id: z.string().min(1).max(64),
  kind: z.enum(EVENT_KINDS),
  organization_id: z.string(),
  project_id: z.string(),
  /** Unix ms. */
  at: z.number(),
  data: z.record(z.string(), z.unknown()),
});
export type LiveEventMessage = z.infer<typeof liveEventMessage>;

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
