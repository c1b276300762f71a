import type { Collection, Db } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { unlessTaken } from '../platform/mongo/mongo-errors.ts';
import type { VoteRecord } from '../verdicts/effect.ts';

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
