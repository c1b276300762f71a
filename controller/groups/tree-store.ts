import type { Collection, Db, Filter } from 'mongodb';
import { ensureIndexes } from '../platform/indexes.ts';
import { unlessTaken } from '../platform/mongo-errors.ts';
import type { RemovalRepository, RemoveStep, Tenant, Tree, TreeRepository, TreeStep } from './ports.ts';

/** A document of `group_trees`; `_id` is the project. */
interface TreeDoc {
  _id: string;
  organization_id: string;
  revision: number;
  step: TreeStep | null;
}

/** Collection `group_trees`. */
export class TreeStore implements TreeRepository {
  readonly #trees: Collection<TreeDoc>;

  constructor(db: Db) {
    this.#trees = db.collection<TreeDoc>('group_trees');
  }

  async read({ organizationId, projectId }: Tenant): Promise<Tree> {
    const doc = await this.#trees.findOne({ _id: projectId, organization_id: organizationId });
    if (doc !== null) return { revision: doc.revision, step: doc.step };
    const isFirst = await unlessTaken(this.#trees.insertOne({ _id: projectId, organization_id: organizationId, revision: 0, step: null }));
    return isFirst ? { revision: 0, step: null } : this.read({ organizationId, projectId });
  }

  async claim({ organizationId, projectId }: Tenant, revision: number, step: TreeStep): Promise<boolean> {
    const seen = { _id: projectId, organization_id: organizationId, revision, step: null };
    return (await this.#trees.updateOne(seen, { $set: { step }, $inc: { revision: 1 } })).matchedCount === 1;
  }

  async finish({ organizationId, projectId }: Tenant, revision: number): Promise<void> {
    await this.#trees.updateOne({ _id: projectId, organization_id: organizationId, revision }, { $set: { step: null } });
  }
}

/** A document of `group_removals`; `_id` is the deleted group. */
interface RemovalDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  to: string | null;
  /** When it was cleared for the first time, Unix ms. */
  cleared_at?: number;
}

/** Of one project; more are finished in a second round. */
const AT_ONCE = 100;
/** No request that saw the group is still under way then, ms. */
const CLEARED_AGAIN_AFTER_MS = 600_000;

/** Collection `group_removals`. */
export class RemovalStore implements RemovalRepository {
  readonly #removals: Collection<RemovalDoc>;

  constructor(db: Db) {
    this.#removals = db.collection<RemovalDoc>('group_removals');
  }

  async ensureIndexes(): Promise<void> {
    // Whoever changes a project's tree finishes what others have left.
    await ensureIndexes(this.#removals, [{ key: { organization_id: 1, project_id: 1 }, name: 'by_project' }]);
  }

  async add(tenant: Tenant, { group_id: _id, to }: RemoveStep): Promise<void> {
    await this.#removals.updateOne({ _id, ...of(tenant) }, { $setOnInsert: { to } }, { upsert: true });
  }

  async list(tenant: Tenant, now: number): Promise<RemoveStep[]> {
    const found = await this.#removals.find({ ...of(tenant), ...due(now) }).sort({ _id: 1 }).limit(AT_ONCE).toArray();
    return found.map(({ _id, to }) => ({ kind: 'remove', group_id: _id, to }));
  }

  async tenants(now: number): Promise<Tenant[]> {
    const found = await this.#removals.find(due(now)).sort({ _id: 1 }).limit(10 * AT_ONCE).toArray();
    const byProject = new Map(found.map((doc) => [doc.project_id, { organizationId: doc.organization_id, projectId: doc.project_id }]));
    return [...byProject.values()];
  }

  async done(tenant: Tenant, groupId: string, now: number): Promise<void> {
    const mine = { _id: groupId, ...of(tenant) };
    const { matchedCount: first } = await this.#removals.updateOne({ ...mine, cleared_at: { $exists: false } }, { $set: { cleared_at: now } });
    if (first === 0) await this.#removals.deleteOne({ ...mine, ...due(now) });
  }

  async targets(tenant: Tenant, groupIds: string[]): Promise<Map<string, string | null>> {
    const found = await this.#removals.find({ ...of(tenant), _id: { $in: groupIds } }).toArray();
    return new Map(found.map(({ _id, to }) => [_id, to]));
  }
}

function of(tenant: Tenant): { organization_id: string; project_id: string } {
  return { organization_id: tenant.organizationId, project_id: tenant.projectId };
}

function due(now: number): Filter<RemovalDoc> {
  return { $or: [{ cleared_at: { $exists: false } }, { cleared_at: { $lte: now - CLEARED_AGAIN_AFTER_MS } }] };
}
