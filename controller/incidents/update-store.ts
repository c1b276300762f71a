import type { Collection, Db } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { unlessTaken } from '../platform/mongo/mongo-errors.ts';
import type { IncidentUpdateDoc } from './incident.ts';
import { restoreUpdate } from './stored-incident.ts';

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
