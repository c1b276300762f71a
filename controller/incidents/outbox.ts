import type { Clock } from '../../shared/time.ts';
import type { EventPublisher } from '../events/event.ts';
import type { IncidentOpening, IncidentResolution } from '../verdicts/effect.ts';
import type { IncidentsPort } from '../results/writing/outbox.ts';
import type { IncidentDoc, IncidentUpdateDoc } from './incident.ts';
import { incidentEvent } from './live-views.ts';
import { openedIncident, openingUpdate, recoverySeconds, resolutionUpdate } from './outbox-rules.ts';

/** What the outbox of the state machine needs of the collections. */
export interface OutboxStores {
  incidents: {
    insertIfAbsent(doc: IncidentDoc): Promise<boolean>;
    findById(id: string): Promise<IncidentDoc | null>;
    markResolved(id: string, change: Pick<IncidentDoc, 'resolved_at' | 'resolved_by' | 'recovery_time_seconds' | 'failure_count' | 'updated_at'>): Promise<IncidentDoc | null>;
  };
  updates: { insertIfAbsent(doc: IncidentUpdateDoc): Promise<void> };
}

/** Carries out what the state machine decided about incidents. Each call may be repeated, also after a crash half-way. */
export class IncidentOutbox implements IncidentsPort {
  readonly #stores: OutboxStores;
  readonly #clock: Clock;
  readonly #events: EventPublisher | null;

  constructor(stores: OutboxStores, clock: Clock, events: EventPublisher | null = null) {
    this.#stores = stores;
    this.#clock = clock;
    this.#events = events;
  }

  async open(opening: IncidentOpening): Promise<void> {
    const doc = openedIncident(opening, this.#clock.now());
    const isNew = await this.#stores.incidents.insertIfAbsent(doc);
    const stored = isNew ? doc : await this.#stores.incidents.findById(opening.id);
    if (!stored) return;
    await this.#stores.updates.insertIfAbsent(openingUpdate(stored));
    this.#events?.publish(incidentEvent(stored));
  }

  async resolve(resolution: IncidentResolution): Promise<void> {
    const { incidents, updates } = this.#stores;
    const before = await incidents.findById(resolution.id);
    if (!before) return;
    const resolved = await incidents.markResolved(resolution.id, {
      resolved_at: resolution.resolved_at,
      resolved_by: 'system',
      recovery_time_seconds: recoverySeconds(before.started_at, resolution.resolved_at),
      failure_count: Math.max(before.failure_count, resolution.failure_count),
      // Later than every line of its history, so that this one stands last.
      updated_at: Math.max(this.#clock.now(), before.updated_at + 1),
    });
    // A repeat finds it resolved: the line of the history may be what the first try did not come to.
    const isOurs = resolved !== null || (before.status === 'resolved' && before.resolved_by === 'system');
    if (!isOurs) return;
    await updates.insertIfAbsent(resolutionUpdate(resolved ?? before));
    this.#events?.publish(incidentEvent(resolved ?? before));
  }
}
