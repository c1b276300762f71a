import type { Tenant } from '../../accounts/tenant.ts';
import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../../platform/mongo/indexes.ts';
import { unlessTaken } from '../../platform/mongo/mongo-errors.ts';
import type { Counts, CountedShare, UncountedMonitor } from './count-rules.ts';
import type { MonitorDoc } from '../monitor.ts';

/** The counts of one project. `applied` is the last step's share of it that the monitors themselves may not show yet. */
export interface CountDoc extends Counts {
  /** Project id. */
  _id: string;
  organization_id: string;
  /** One higher with every step. */
  version: number;
  applied: CountedShare[];
}

const COUNTED = { revision: 1, counted: 1, type: 1, status: 1, group_id: 1, monitoring_regions: 1, deleted_at: 1 } as const;

/** Collection `monitor_counts`, and the marks on monitors that it has not caught up with. */
export class CountStore {
  readonly #counts: Collection<CountDoc>;
  readonly #monitors: Collection<MonitorDoc>;

  constructor(db: Db) {
    this.#counts = db.collection<CountDoc>('monitor_counts');
    this.#monitors = db.collection<MonitorDoc>('monitors');
  }

  async ensureIndexes(): Promise<void> {
    // What is not counted yet, of a project and of all.
    await ensureIndexes(this.#monitors, [{ key: { uncounted: 1 }, name: 'uncounted', sparse: true }]);
  }

  find({ projectId, organizationId }: Tenant): Promise<CountDoc | null> {
    return this.#counts.findOne({ _id: projectId, organization_id: organizationId });
  }

  /** Writes `doc` in the place of what had the version before; false when somebody else has. */
  async replace(doc: CountDoc): Promise<boolean> {
    if (doc.version > 1) {
      const { matchedCount } = await this.#counts.replaceOne({ _id: doc._id, version: doc.version - 1 }, doc);
      return matchedCount === 1;
    }
    return unlessTaken(this.#counts.insertOne(doc));
  }

  async hasUncounted(projectId: string): Promise<boolean> {
    return (await this.#monitors.findOne({ uncounted: projectId }, { projection: { _id: 1 } })) !== null;
  }

  uncounted(projectId: string, limit: number): Promise<UncountedMonitor[]> {
    return this.#monitors.find({ uncounted: projectId }).project<UncountedMonitor>(COUNTED).limit(limit).toArray();
  }

  /** Projects that have any mark, as far as `limit` marks tell. */
  async uncountedProjects(limit: number): Promise<Tenant[]> {
    const found = await this.#monitors
      .find({ uncounted: { $gt: '' } })
      .project<Pick<MonitorDoc, 'organization_id' | 'project_id'>>({ organization_id: 1, project_id: 1 })
      .limit(limit)
      .toArray();
    const tenants = found.map((doc) => [doc.project_id, { organizationId: doc.organization_id, projectId: doc.project_id }] as const);
    return [...new Map(tenants).values()];
  }

  /** Marks what no count has ever seen: monitors from before there were counts. */
  async markUnseen({ organizationId, projectId }: Tenant): Promise<void> {
    const unseen = { organization_id: organizationId, project_id: projectId, counted_revision: { $exists: false } };
    await this.#monitors.updateMany(unseen, { $set: { uncounted: projectId, counted_revision: 0 } });
  }

  /** Notes on the monitors what the counts hold of them, and takes the marks away from those that have not changed since. */
  async note(applied: CountedShare[]): Promise<void> {
    if (applied.length === 0) return;
    const later = (revision: number) => ({ counted_revision: { $lt: revision } });
    await this.#monitors.bulkWrite(applied.map(({ monitor_id, revision, share }) => ({
      updateOne: { filter: { _id: monitor_id, ...later(revision) }, update: { $set: { counted: share, counted_revision: revision } } },
    })), { ordered: false });
    await this.#monitors.bulkWrite(applied.map(({ monitor_id, revision }) => ({
      updateOne: { filter: { _id: monitor_id, revision, counted_revision: revision }, update: { $unset: { uncounted: '' } } },
    })), { ordered: false });
  }
}
