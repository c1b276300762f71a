import type { Collection, Db } from 'mongodb';
import { ownedBy, type Tenant } from '../../access/tenant.ts';
import { ensureIndexes } from '../../platform/mongo/indexes.ts';
import { unlessTaken } from '../../platform/mongo/mongo-errors.ts';
import { each, restoring } from '../../platform/mongo/documents.ts';
import type { MonitorDoc } from '../monitor.ts';
import { restoreShare } from '../store.ts';
import type { Counts, CountedShare, UncountedMonitor } from './count-rules.ts';

export interface CountDoc extends Counts {
  /** Project id. */
  _id: string;
  organization_id: string;
  /** Increases by one with every step. */
  version: number;
  /** What the last step counted. It may not be recorded on the monitors yet. */
  applied: CountedShare[];
}

const restoreCounts = restoring<CountDoc>({}, {
  applied: each(restoring<CountedShare>({ share: null }, { share: restoreShare })),
});
const restoreUncounted = restoring<UncountedMonitor>({ deleted_at: null }, { counted: restoreShare });

type Owner = Pick<MonitorDoc, 'organization_id' | 'project_id'>;

const COUNTED_FIELDS = {
  revision: 1, counted: 1, type: 1, status: 1, group_id: 1, monitoring_regions: 1, deleted_at: 1,
} as const;

/** Collection `monitor_counts`, and the fields of `monitors` that mark uncounted changes. */
export class CountStore {
  readonly #counts: Collection<CountDoc>;
  readonly #monitors: Collection<MonitorDoc>;

  constructor(db: Db) {
    this.#counts = db.collection<CountDoc>('monitor_counts');
    this.#monitors = db.collection<MonitorDoc>('monitors');
  }

  async ensureIndexes(): Promise<void> {
    // Finds uncounted monitors of one project or of all.
    await ensureIndexes(this.#monitors, [{ key: { uncounted: 1 }, name: 'uncounted', sparse: true }]);
  }

  async find({ projectId, organizationId }: Tenant): Promise<CountDoc | null> {
    const found = await this.#counts.findOne({ _id: projectId, organization_id: organizationId });
    return found && restoreCounts(found);
  }

  /** Replaces the previous version. False if somebody else already did. */
  async replace(doc: CountDoc): Promise<boolean> {
    if (doc.version === 1) return unlessTaken(this.#counts.insertOne(doc));
    const { matchedCount } = await this.#counts.replaceOne({ _id: doc._id, version: doc.version - 1 }, doc);
    return matchedCount === 1;
  }

  async hasUncounted(projectId: string): Promise<boolean> {
    return (await this.#monitors.findOne({ uncounted: projectId }, { projection: { _id: 1 } })) !== null;
  }

  uncounted(projectId: string, limit: number): Promise<UncountedMonitor[]> {
    const marked = this.#monitors.find({ uncounted: projectId });
    return marked.project<UncountedMonitor>(COUNTED_FIELDS).map(restoreUncounted).limit(limit).toArray();
  }

  /** Projects of the first `limit` marked monitors. */
  async uncountedProjects(limit: number): Promise<Tenant[]> {
    const marked = this.#monitors.find({ uncounted: { $gt: '' } });
    const owners = marked.project<Owner>({ organization_id: 1, project_id: 1 }).limit(limit);
    const tenants = new Map<string, Tenant>();
    for (const { organization_id: organizationId, project_id: projectId } of await owners.toArray()) {
      tenants.set(projectId, { organizationId, projectId });
    }
    return [...tenants.values()];
  }

  /** Marks monitors that were created before counts existed. */
  async markNeverCounted(tenant: Tenant): Promise<void> {
    const filter = { ...ownedBy(tenant), counted_revision: { $exists: false } };
    await this.#monitors.updateMany(filter, { $set: { uncounted: tenant.projectId, counted_revision: 0 } });
  }

  /**
   * Records on the monitors what the counts contain of them, and unmarks those that have not changed since.
   */
  async recordApplied(applied: CountedShare[]): Promise<void> {
    if (applied.length === 0) return;
    const updates = applied.map(({ monitor_id: _id, revision, share }) => {
      const filter = { _id, counted_revision: { $lt: revision } };
      return { updateOne: { filter, update: { $set: { counted: share, counted_revision: revision } } } };
    });
    await this.#monitors.bulkWrite(updates, { ordered: false });
    const unmarked = { $unset: { uncounted: '' } } as const;
    const unmarks = applied.map(({ monitor_id: _id, revision }) => (
      { updateOne: { filter: { _id, revision, counted_revision: revision }, update: unmarked } }
    ));
    await this.#monitors.bulkWrite(unmarks, { ordered: false });
  }
}
