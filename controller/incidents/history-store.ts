import type { Collection, Db } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { unlessTaken } from '../platform/mongo/mongo-errors.ts';
import { each, restoring } from '../platform/mongo/documents.ts';
import type { VoteRecord } from '../verdicts/effect.ts';
import type { IncidentDoc, IncidentUpdateDoc, ListedIncident, UpdateActor } from './incident.ts';

const restoreActor = restoring<UpdateActor>({ id: null });
const restoreLine = restoring<IncidentUpdateDoc>({}, { actor: restoreActor });

/** Only `field_change` entries have nullable `from` and `to`. */
export function restoreUpdate(line: IncidentUpdateDoc): IncidentUpdateDoc {
  if (line.kind === 'field_change') {
    line.from ??= null;
    line.to ??= null;
  }
  return restoreLine(line);
}

const NULLS = {
  created_by: null, check_id: null, monitor_name: null, check_type: null, description: null,
  status_page_update: null, runbook_url: null, acknowledged_at: null, assignee_id: null,
  acknowledged_by_name: null, resolved_at: null, resolved_by: null, recovery_time_seconds: null,
} as const;

export const restoreListed = restoring<ListedIncident>(NULLS);

export const restoreIncident = restoring<IncidentDoc>({ ...NULLS, postmortem: null }, {
  postmortem: restoring<NonNullable<IncidentDoc['postmortem']>>({}, { author: restoreActor }),
  pending_updates: each(restoreUpdate),
});

/** Collection `incident_updates`: the history of incidents. */
export class IncidentUpdateStore {
  readonly #updates: Collection<IncidentUpdateDoc>;

  constructor(db: Db) {
    this.#updates = db.collection<IncidentUpdateDoc>('incident_updates');
  }

  async ensureIndexes(): Promise<void> {
    // Lists the history of an incident.
    const key = { incident_id: 1, created_at: 1, _id: 1 } as const;
    await ensureIndexes(this.#updates, [{ key, name: 'of_incident' }]);
  }

  async insertIfAbsent(doc: IncidentUpdateDoc): Promise<void> {
    await unlessTaken(this.#updates.insertOne(doc));
  }

  /** Oldest first. */
  ofIncident(tenant: Tenant, incidentId: string, limit: number): Promise<IncidentUpdateDoc[]> {
    const all = this.#updates.find({ incident_id: incidentId, ...ownedBy(tenant) });
    return all.sort({ created_at: 1, _id: 1 }).limit(limit).map(restoreUpdate).toArray();
  }

  async removeOf(incidentIds: string[]): Promise<void> {
    if (incidentIds.length > 0) await this.#updates.deleteMany({ incident_id: { $in: incidentIds } });
  }
}

export type VoteDoc = Omit<VoteRecord, 'id'> & { _id: string };

/** Collection `incident_votes`: the votes of the verdicts that opened and resolved incidents. */
export class VoteStore {
  readonly #records: Collection<VoteDoc>;

  constructor(db: Db) {
    this.#records = db.collection<VoteDoc>('incident_votes');
  }

  async ensureIndexes(): Promise<void> {
    // Lists the votes of an incident.
    await ensureIndexes(this.#records, [{ key: { incident_id: 1, at: 1, _id: 1 }, name: 'of_incident' }]);
  }

  async insertIfAbsent({ id: _id, ...record }: VoteRecord): Promise<void> {
    await unlessTaken(this.#records.insertOne({ _id, ...record }));
  }

  /**
   * In the order of the verdicts. An incident may have more than two if its status changes back and forth.
   */
  ofIncident(tenant: Tenant, incidentId: string, limit: number): Promise<VoteDoc[]> {
    const all = this.#records.find({ incident_id: incidentId, ...ownedBy(tenant) });
    return all.sort({ at: 1, _id: 1 }).limit(limit).toArray();
  }

  /** The votes that opened these incidents, by incident id. */
  async openingVotes(tenant: Tenant, incidentIds: string[]): Promise<Map<string, VoteDoc['votes']>> {
    if (incidentIds.length === 0) return new Map();
    const filter = { incident_id: { $in: incidentIds }, verdict: 'down' as const, ...ownedBy(tenant) };
    const found = await this.#records.find(filter).toArray();
    return new Map(found.map(({ incident_id, votes }) => [incident_id, votes]));
  }

  async removeOf(incidentIds: string[]): Promise<void> {
    if (incidentIds.length > 0) await this.#records.deleteMany({ incident_id: { $in: incidentIds } });
  }
}
