import { derivedId } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';
import { type EventPublisher, regionEvent } from '../events/event.ts';
import type { RegionChange } from '../verdicts/monitor-state.ts';
import type { IncidentOpening, IncidentResolution, IncidentsPort, VoteRecord } from '../verdicts/effect.ts';
import { recoverySeconds } from './change-rules.ts';
import type { IncidentDoc, IncidentUpdateDoc, UpdateActor } from './incident.ts';
import { incidentFromOpening } from './new-incident.ts';
import type { IncidentStore } from './store.ts';
import type { IncidentUpdateStore } from './update-store.ts';
import { incidentEvent } from './views.ts';
import type { VoteStore } from './vote-store.ts';

interface OutboxStores {
  incidents: Pick<IncidentStore, 'insertIfAbsent' | 'findById' | 'markResolved'>;
  updates: Pick<IncidentUpdateStore, 'insertIfAbsent'>;
  votes: Pick<VoteStore, 'insertIfAbsent'>;
}

const SYSTEM: UpdateActor = Object.freeze({ type: 'system', id: null, name: 'Farwatch' });

/** Carries out the decisions of the state machine. Calls are idempotent, even after a crash halfway. */
export class IncidentOutbox implements IncidentsPort {
  readonly #stores: OutboxStores;
  readonly #clock: Clock;
  readonly #events: EventPublisher | null;
  readonly #onChanged: () => void;

  constructor(
    stores: OutboxStores, clock: Clock, events: EventPublisher | null = null,
    onChanged: () => void = () => undefined,
  ) {
    this.#stores = stores;
    this.#clock = clock;
    this.#events = events;
    this.#onChanged = onChanged;
  }

  async open(opening: IncidentOpening): Promise<void> {
    const doc = incidentFromOpening(opening, this.#clock.now());
    const isNew = await this.#stores.incidents.insertIfAbsent(doc);
    const stored = isNew ? doc : await this.#stores.incidents.findById(opening.id);
    if (stored) await this.#record(stored, openingUpdate(stored));
  }

  async resolve({ id, resolved_at, failure_count }: IncidentResolution): Promise<void> {
    const { incidents } = this.#stores;
    const before = await incidents.findById(id);
    if (!before) return;
    const resolved = await incidents.markResolved(id, {
      resolved_at,
      resolved_by: 'system',
      recovery_time_seconds: recoverySeconds(before.started_at, resolved_at),
      failure_count: Math.max(before.failure_count, failure_count),
      // Later than every history entry, so that the resolution comes last.
      updated_at: Math.max(this.#clock.now(), before.updated_at + 1),
    });
    // A repeated call finds it resolved, but an earlier call may have crashed before it wrote the history.
    const isRepeated = before.status === 'resolved' && before.resolved_by === 'system';
    if (resolved || isRepeated) await this.#record(resolved ?? before, resolutionUpdate(resolved ?? before));
  }

  async regionChanged(change: RegionChange): Promise<void> {
    const { incident_id: incidentId } = change;
    const incident = incidentId === null ? null : await this.#stores.incidents.findById(incidentId);
    if (incident) await this.#stores.updates.insertIfAbsent(regionUpdate(incident, change));
    this.#events?.publish(regionEvent(change));
  }

  recordVotes(record: VoteRecord): Promise<void> {
    return this.#stores.votes.insertIfAbsent(record);
  }

  async #record(incident: IncidentDoc, line: IncidentUpdateDoc): Promise<void> {
    await this.#stores.updates.insertIfAbsent(line);
    this.#events?.publish(incidentEvent(incident));
    this.#onChanged();
  }
}

/** The first history entry. Deterministic, so that repeated calls write the same. */
function openingUpdate(incident: IncidentDoc): IncidentUpdateDoc {
  return { kind: 'created', to: 'open', created_at: incident.created_at, ...systemLine(incident, 'created') };
}

/** The history entry of a resolution by the state machine. Deterministic, like `openingUpdate`. */
function resolutionUpdate(incident: IncidentDoc): IncidentUpdateDoc {
  const from = incident.acknowledged_at === null ? 'open' : 'acknowledged';
  const change = { kind: 'status_change', field: 'status', from, to: 'resolved' } as const;
  return { created_at: incident.updated_at, ...change, ...systemLine(incident, 'resolved') };
}

/** The history entry of a region that goes down or recovers. Deterministic, like `openingUpdate`. */
function regionUpdate(
  incident: IncidentDoc, { id, region, previous_status: from, status: to, at }: RegionChange,
): IncidentUpdateDoc {
  const change = { kind: 'region_change', field: region, from, to } as const;
  return { created_at: Math.max(at, incident.created_at), ...change, ...systemLine(incident, id) };
}

function systemLine({ _id: incident_id, organization_id, project_id }: IncidentDoc, name: string) {
  const _id = derivedId(incident_id, 'update', name);
  return { _id, organization_id, project_id, incident_id, actor: SYSTEM };
}
