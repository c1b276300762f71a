import type { Tenant } from '../accounts/tenant.ts';
import type { Collection, Db, Filter } from 'mongodb';
import type { Clock } from '../../shared/time.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { isDuplicateKey, unlessTaken } from '../platform/mongo/mongo-errors.ts';
import { duplicateName, MOST_GROUPS, type GroupDoc, type GroupEdge } from './group.ts';
import type { GroupRepository, GroupText, PlaceStep, RemoveStep } from './ports.ts';

/** No creation takes this long; a group that is still without a place then is of a process that ended, ms. */
const ABANDONED_AFTER_MS = 60_000;

/** Collection `groups`: living ones only, so that an index can keep their names unique. */
export class GroupStore implements GroupRepository {
  readonly #groups: Collection<GroupDoc>;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(db: Db, clock: Pick<Clock, 'now'>) {
    this.#groups = db.collection<GroupDoc>('groups');
    this.#clock = clock;
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#groups, [
      // A name is given once in a project; also the hierarchy and the health summary, by name.
      { key: { organization_id: 1, project_id: 1, name: 1 }, name: 'name', unique: true },
      // A project's list.
      { key: { organization_id: 1, project_id: 1, created_at: -1, _id: -1 }, name: 'list' },
      // The children of a group that is deleted.
      { key: { organization_id: 1, project_id: 1, parent_group_id: 1 }, name: 'children' },
    ]);
  }

  async insert(doc: GroupDoc): Promise<void> {
    if (await unlessTaken(this.#groups.insertOne(doc))) return;
    const { organization_id, project_id, name } = doc;
    const before = this.#clock.now() - ABANDONED_AFTER_MS;
    const { deletedCount } = await this.#groups.deleteOne({ organization_id, project_id, name, pending_since: { $lt: before } });
    if (deletedCount === 0 || !(await unlessTaken(this.#groups.insertOne(doc)))) throw duplicateName();
  }

  find(tenant: Tenant, id: string): Promise<GroupDoc | null> {
    return this.#groups.findOne({ ...placed(tenant), _id: id });
  }

  async list(tenant: Tenant, skip: number, limit: number): Promise<{ groups: GroupDoc[]; total: number }> {
    const total = await this.count(tenant);
    if (skip >= total) return { groups: [], total };
    return { total, groups: await this.#groups.find(placed(tenant)).sort({ created_at: -1, _id: -1 }).skip(skip).limit(limit).toArray() };
  }

  all(tenant: Tenant): Promise<GroupDoc[]> {
    return this.#groups.find(placed(tenant)).sort({ name: 1 }).limit(MOST_READ).toArray();
  }

  edges(tenant: Tenant): Promise<GroupEdge[]> {
    return this.#groups.find(placed(tenant)).project<GroupEdge>({ _id: 1, parent_group_id: 1 }).limit(MOST_READ).toArray();
  }

  count(tenant: Tenant): Promise<number> {
    return this.#groups.countDocuments(placed(tenant));
  }

  /** Names by id of those that are groups of this project. */
  async names(tenant: Tenant, ids: string[]): Promise<Map<string, string>> {
    const found = await this.#groups.find({ ...placed(tenant), _id: { $in: ids } }).project<{ _id: string; name: string }>({ name: 1 }).toArray();
    return new Map(found.map((group) => [group._id, group.name]));
  }

  async rename(tenant: Tenant, id: string, text: GroupText): Promise<GroupDoc | null> {
    try {
      return await this.#groups.findOneAndUpdate({ ...placed(tenant), _id: id }, { $set: text }, { returnDocument: 'after' });
    } catch (error) {
      throw isDuplicateKey(error) ? duplicateName() : error;
    }
  }

  async discard(tenant: Tenant, id: string): Promise<void> {
    await this.#groups.deleteOne({ ...of(tenant), _id: id, pending_since: { $exists: true } });
  }

  async place(tenant: Tenant, step: PlaceStep, revision: number): Promise<boolean> {
    const { group_id: _id, parent_group_id, name, description } = step;
    const seen = { ...of(tenant), _id, tree_revision: { $lt: revision } };
    const placing = { $set: { parent_group_id, name, description, tree_revision: revision }, $unset: { pending_since: '' as const } };
    if (await unlessTaken(this.#groups.updateOne(seen, placing))) return true;
    // Given up for good: nobody may carry it out later, when the name is free again and the tree is another.
    await this.#groups.updateOne(seen, { $set: { tree_revision: revision } });
    return false;
  }

  async remove(tenant: Tenant, step: RemoveStep, revision: number): Promise<void> {
    const children = { ...of(tenant), parent_group_id: step.group_id, tree_revision: { $lt: revision } };
    await this.#groups.updateMany(children, { $set: { parent_group_id: step.to, tree_revision: revision } });
    await this.#groups.deleteOne({ ...of(tenant), _id: step.group_id });
  }
}

/** Those that were created at the same moment at the limit come on top of it. */
const MOST_READ = 2 * MOST_GROUPS;

function of(tenant: Tenant): { organization_id: string; project_id: string } {
  return { organization_id: tenant.organizationId, project_id: tenant.projectId };
}

function placed(tenant: Tenant): Filter<GroupDoc> & ReturnType<typeof of> {
  return { ...of(tenant), pending_since: { $exists: false } };
}
