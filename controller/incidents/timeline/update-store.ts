import type { Tenant } from '../../accounts/tenant.ts';
import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../../platform/mongo/indexes.ts';
import { unlessTaken } from '../../platform/mongo/mongo-errors.ts';
import type { IncidentUpdateDoc } from '../incident.ts';
import type { IncidentUpdateReader } from '../ports.ts';

/** Collection `incident_updates`: the history of incidents. */
export class IncidentUpdateStore implements IncidentUpdateReader {
  readonly #updates: Collection<IncidentUpdateDoc>;

  constructor(db: Db) {
    this.#updates = db.collection<IncidentUpdateDoc>('incident_updates');
  }

  async ensureIndexes(): Promise<void> {
    // The history of one incident.
    await ensureIndexes(this.#updates, [{ key: { incident_id: 1, created_at: 1, _id: 1 }, name: 'of_incident' }]);
  }

  /** Adds a line unless it is there already. */
  async insertIfAbsent(doc: IncidentUpdateDoc): Promise<void> {
    await unlessTaken(this.#updates.insertOne(doc));
  }

  /** Removes the history of these incidents. */
  async removeOf(incidentIds: string[]): Promise<void> {
    if (incidentIds.length > 0) await this.#updates.deleteMany({ incident_id: { $in: incidentIds } });
  }

  ofIncident(tenant: Tenant, incidentId: string, limit: number): Promise<IncidentUpdateDoc[]> {
    const filter = { incident_id: incidentId, organization_id: tenant.organizationId, project_id: tenant.projectId };
    return this.#updates.find(filter).sort({ created_at: 1, _id: 1 }).limit(limit).toArray();
  }
}
