import type { ErrorType } from '../../shared/contracts/result.ts';
import { derivedId, newId } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';
import { ownedBy, tenantOf } from '../access/tenant.ts';
import { type EventPublisher, regionEvent } from '../events/event.ts';
import type { ProjectContext } from '../http/routing/route.ts';
import { authorOf } from '../http/routing/authorize.ts';
import { searchText } from '../monitors/monitor.ts';
import type { IncidentOpening, IncidentResolution, IncidentsPort, VoteRecord } from '../verdicts/effect.ts';
import type { RegionChange } from '../verdicts/monitor-state.ts';
import { recoverySeconds } from './change-rules.ts';
import type { IncidentUpdateStore, VoteStore } from './history-store.ts';
import type { IncidentDoc, IncidentUpdateDoc, UpdateActor } from './incident.ts';
import type { CausesPort, DiagnosesPort, MonitorSummary } from './ports.ts';
import type { IncidentInput } from './schema.ts';
import type { IncidentStore } from './store.ts';
import { incidentEvent } from './views.ts';

interface OutboxParts {
  incidents: Pick<IncidentStore,
    'insertIfAbsent' | 'findById' | 'findMany' | 'markResolved' | 'clearUnjournaled' | 'setDiagnosis'>;
  updates: Pick<IncidentUpdateStore, 'insertIfAbsent'>;
  votes: Pick<VoteStore, 'insertIfAbsent'>;
  causes?: CausesPort;
  diagnoses?: DiagnosesPort;
}

const SYSTEM: UpdateActor = Object.freeze({ type: 'system', id: null, name: 'Farwatch' });

/** Carries out the decisions of the state machine. Calls are idempotent, even after a crash halfway. */
export class IncidentOutbox implements IncidentsPort {
  readonly #stores: OutboxParts;
  readonly #clock: Clock;
  readonly #events: EventPublisher | null;
  readonly #onChanged: () => void;

  constructor(
    stores: OutboxParts, clock: Clock, events: EventPublisher | null = null,
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
    const caused = await this.#decideCauses(doc);
    const isDiagnosed = await this.#setDiagnosis(doc);
    const isAsRead = isNew && !isDiagnosed && !caused.includes(doc._id);
    const stored = isAsRead ? doc : await this.#stores.incidents.findById(doc._id);
    if (stored) await this.#record(stored, openingUpdate(stored));
    const others = await this.#stores.incidents.findMany(caused.filter((id) => id !== doc._id));
    for (const one of others) this.#events?.publish(incidentEvent(one));
  }

  /** Returns the incidents that got a cause. Before the alert, so that it knows that of its incident. */
  async #decideCauses({ organization_id, started_at, features = [] }: IncidentDoc): Promise<string[]> {
    if (features.length === 0) return [];
    return await this.#stores.causes?.decide(organization_id, started_at) ?? [];
  }

  /** That of the last ten minutes. Read after the incident is stored, which later ones then find. */
  async #setDiagnosis(doc: IncidentDoc): Promise<boolean> {
    const { diagnoses, incidents } = this.#stores;
    if (doc.check_id === null || doc.late) return false;
    const found = await diagnoses?.latestSummary(tenantOf(doc), doc.check_id, this.#clock.now());
    if (!found) return false;
    await incidents.setDiagnosis([doc._id], found);
    return true;
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
    const causeId = (resolved ?? before).cause_id;
    if (causeId !== undefined) await this.#stores.causes?.endIfOver(causeId);
  }

  /**
   * Clears the marks of incidents that people ended, once the journal has that. Their causes end first,
   * because a process that crashed after a person's change may not have ended them.
   */
  async clearUnjournaled(ids: string[]): Promise<void> {
    const { incidents, causes } = this.#stores;
    const causeIds = (await incidents.findMany(ids)).flatMap(({ cause_id }) => cause_id ?? []);
    for (const causeId of new Set(causeIds)) await causes?.endIfOver(causeId);
    await incidents.clearUnjournaled(ids);
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

/** Limits of the HTTP API ("Limits"). */
const MAX_TITLE_LENGTH = 255;
const MAX_ERROR_LENGTH = 1000;

const INITIAL_FIELDS = Object.freeze({
  status: 'open', acknowledged_at: null, assignee_id: null, acknowledged_by_name: null, resolved_at: null,
  resolved_by: null, recovery_time_seconds: null, notification_sent: false, postmortem: null, revision: 1,
} as const);

/** Builds an incident opened through the API, with its first history entry. */
export function incidentFromInput(
  input: IncidentInput, { tenant, actor, now }: ProjectContext, monitor: MonitorSummary | null,
): IncidentDoc {
  const { check_id = null, source = check_id === null ? 'manual' : 'system', severity, type } = input;
  const { error_message, affected_regions, affected_monitor_ids, failure_count, started_at = now } = input;
  const { title = titleOf(type, monitor?.name ?? ''), description = null, status_page_update = null } = input;
  const _id = newId(now);
  const line = { incident_id: _id, actor: updateActor(actor), created_at: now };
  const opening = { kind: 'created', to: 'open', ...line } as const;
  return {
    _id, ...ownedBy(tenant), created_by: authorOf(actor),
    check_id, monitor_name: monitor?.name ?? null, check_type: monitor?.type ?? null,
    severity, type, source, title, description, status_page_update, error_message,
    runbook_url: null, affected_regions, affected_monitor_ids, failure_count, started_at,
    ...INITIAL_FIELDS, notification_channels: [], created_at: now, updated_at: now,
    search_text: searchText(title, monitor?.name ?? '', error_message),
    pending_updates: [{ _id: derivedId(_id, 'update', 'created'), ...ownedBy(tenant), ...opening }],
  };
}

/** Builds an incident opened by the state machine. `now` is Unix ms. */
export function incidentFromOpening(opening: IncidentOpening, now: number): IncidentDoc {
  const { id, severity, type, affected_regions, failure_count, started_at, late } = opening;
  const { features = [], maintenance_until, monitor } = opening;
  const { organization_id, project_id, monitor_id, name, type: check_type, runbook_url = null } = monitor;
  const title = late ? `${name} was down`.slice(0, MAX_TITLE_LENGTH) : titleOf(type, name);
  const error_message = (opening.error_message || type).slice(0, MAX_ERROR_LENGTH);
  return {
    _id: id, organization_id, project_id, created_by: null,
    check_id: monitor_id, monitor_name: name, check_type,
    severity, type, source: 'system', title, description: null, status_page_update: null, error_message,
    runbook_url, affected_regions, affected_monitor_ids: [monitor_id], failure_count, started_at,
    ...(features.length > 0 ? { features } : {}), ...(late ? { late } : {}),
    ...(maintenance_until === undefined ? {} : { maintenance_until }),
    ...INITIAL_FIELDS,
    notification_channels: [], created_at: now, updated_at: now,
    search_text: searchText(title, name, error_message), pending_updates: [],
  };
}

export function updateActor(actor: ProjectContext['actor']): UpdateActor {
  const { name } = actor;
  if (actor.kind === 'session') return { type: 'user', id: actor.userId, name };
  return { type: 'api_key', id: actor.keyId, name };
}

function titleOf(type: ErrorType, monitorName: string): string {
  return `${monitorName} ${type === 'slow_response' ? 'is responding slowly' : 'is down'}`.slice(0, MAX_TITLE_LENGTH);
}
