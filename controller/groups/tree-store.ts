import type { Tenant } from '../accounts/tenant.ts';
import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { unlessTaken } from '../platform/mongo/mongo-errors.ts';
import type { RemovalRepository, RemoveStep, Tree, TreeRepository, TreeStep } from './ports.ts';

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
  /** When it is to be cleared again, Unix ms; 0 until it was for the first time. */
  clear_at: number;
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
    await ensureIndexes(this.#removals, [
      // Whoever changes a project's tree finishes what others have left.
      { key: { organization_id: 1, project_id: 1, clear_at: 1 }, name: 'due_of_project' },
      // The round that clears again.
      { key: { clear_at: 1 }, name: 'due' },
    ]);
  }

  async add(tenant: Tenant, { group_id: _id, to }: RemoveStep): Promise<void> {
    await this.#removals.updateOne({ _id, ...of(tenant) }, { $setOnInsert: { to, clear_at: 0 } }, { upsert: true });
  }

  async list(tenant: Tenant, now: number): Promise<RemoveStep[]> {
    const found = await this.#removals.find({ ...of(tenant), clear_at: { $lte: now } }).sort({ clear_at: 1 }).limit(AT_ONCE).toArray();
    return found.map(({ _id, to }) => ({ kind: 'remove', group_id: _id, to }));
  }

  async tenants(now: number): Promise<Tenant[]> {
    const found = await this.#removals.find({ clear_at: { $lte: now } }).sort({ clear_at: 1 }).limit(10 * AT_ONCE).toArray();
    const byProject = new Map(found.map((doc) => [doc.project_id, { organizationId: doc.organization_id, projectId: doc.project_id }]));
    return [...byProject.values()];
  }

  async done(tenant: Tenant, groupId: string, now: number): Promise<void> {
    const mine = { _id: groupId, ...of(tenant) };
    const { matchedCount: first } = await this.#removals.updateOne({ ...mine, clear_at: 0 }, { $set: { clear_at: now + CLEARED_AGAIN_AFTER_MS } });
    if (first === 0) await this.#removals.deleteOne({ ...mine, clear_at: { $lte: now } });
  }

  async targets(tenant: Tenant, groupIds: string[]): Promise<Map<string, string | null>> {
    const found = await this.#removals.find({ ...of(tenant), _id: { $in: groupIds } }).toArray();
    return new Map(found.map(({ _id, to }) => [_id, to]));
  }
}

function of(tenant: Tenant): { organization_id: string; project_id: string } {
  return { organization_id: tenant.organizationId, project_id: tenant.projectId };
}
