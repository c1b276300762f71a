import type { Collection, Db, Filter } from 'mongodb';
import type { Clock } from '../../shared/time.ts';
import { ownedBy, type Tenant } from '../accounts/tenant.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { isDuplicateKey, unlessTaken } from '../platform/mongo/mongo-errors.ts';
import {
  duplicateName, MOST_GROUPS, type GroupDoc, type GroupEdge, type GroupText, type PlaceStep, type RemoveStep,
} from './group.ts';

/** No creation takes this long, ms; a group that then has no place was left by a process that ended. */
const ABANDONED_AFTER_MS = 60_000;
/** Leaves room for groups that were created at the same moment as the last one allowed. */
const MOST_READ = 2 * MOST_GROUPS;

/**
 * Collection `groups`. Deleted groups leave it, so that an index can keep names unique.
 * Reads do not see groups that have no place in the tree yet.
 */
export class GroupStore {
  readonly #groups: Collection<GroupDoc>;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(db: Db, clock: Pick<Clock, 'now'>) {
    this.#groups = db.collection<GroupDoc>('groups');
    this.#clock = clock;
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#groups, [
      // Keeps names unique in a project; also serves the hierarchy and the health summary, by name.
      { key: { organization_id: 1, project_id: 1, name: 1 }, name: 'name', unique: true },
      // A project's list.
      { key: { organization_id: 1, project_id: 1, created_at: -1, _id: -1 }, name: 'list' },
      // The children of a group that is deleted.
      { key: { organization_id: 1, project_id: 1, parent_group_id: 1 }, name: 'children' },
    ]);
  }

  /** Throws DUPLICATE_NAME. Takes over the name of a group that a crash left without a place. */
  async insert(doc: GroupDoc): Promise<void> {
    if (await unlessTaken(this.#groups.insertOne(doc))) return;
    const { organization_id, project_id, name } = doc;
    const pending_since = { $lt: this.#clock.now() - ABANDONED_AFTER_MS };
    const abandoned = { organization_id, project_id, name, pending_since };
    const { deletedCount } = await this.#groups.deleteOne(abandoned);
    if (deletedCount === 0 || !(await unlessTaken(this.#groups.insertOne(doc)))) throw duplicateName();
  }

  /** Null also when the group belongs to another tenant. */
  find(tenant: Tenant, id: string): Promise<GroupDoc | null> {
    return this.#groups.findOne({ ...placed(tenant), _id: id });
  }

  /** One page, newest first, and the number of groups on all pages. */
  async list(tenant: Tenant, skip: number, limit: number): Promise<{ groups: GroupDoc[]; total: number }> {
    const total = await this.count(tenant);
    if (skip >= total) return { groups: [], total };
    const page = this.#groups.find(placed(tenant)).sort({ created_at: -1, _id: -1 }).skip(skip).limit(limit);
    return { total, groups: await page.toArray() };
  }

  /** All groups of the project, ordered by the code points of their names. */
  all(tenant: Tenant): Promise<GroupDoc[]> {
    return this.#groups.find(placed(tenant)).sort({ name: 1 }).limit(MOST_READ).toArray();
  }

  edges(tenant: Tenant): Promise<GroupEdge[]> {
    const edge = { _id: 1, parent_group_id: 1 };
    return this.#groups.find(placed(tenant)).project<GroupEdge>(edge).limit(MOST_READ).toArray();
  }

  count(tenant: Tenant): Promise<number> {
    return this.#groups.countDocuments(placed(tenant));
  }

  /** Names by id; ids that are no groups of this project are left out. */
  async names(tenant: Tenant, ids: string[]): Promise<Map<string, string>> {
    const named = this.#groups.find({ ...placed(tenant), _id: { $in: ids } });
    const found = await named.project<Pick<GroupDoc, '_id' | 'name'>>({ name: 1 }).toArray();
    return new Map(found.map((group) => [group._id, group.name]));
  }

  /** Changes what does not affect the tree; null when the group is gone. Throws DUPLICATE_NAME. */
  async rename(tenant: Tenant, id: string, text: GroupText): Promise<GroupDoc | null> {
    try {
      const group = { ...placed(tenant), _id: id };
      return await this.#groups.findOneAndUpdate(group, { $set: text }, { returnDocument: 'after' });
    } catch (error) {
      throw isDuplicateKey(error) ? duplicateName() : error;
    }
  }

  /** Deletes a group that has no place yet. */
  async discard(tenant: Tenant, id: string): Promise<void> {
    await this.#groups.deleteOne({ ...ownedBy(tenant), _id: id, pending_since: { $exists: true } });
  }

  /** Does nothing if a later revision has moved the group. False: the name is taken, and nothing moved. */
  async place(tenant: Tenant, step: PlaceStep, revision: number): Promise<boolean> {
    const { group_id: _id, parent_group_id, name, description } = step;
    const seen = { ...ownedBy(tenant), _id, tree_revision: { $lt: revision } };
    const $set = { parent_group_id, name, description, tree_revision: revision };
    if (await unlessTaken(this.#groups.updateOne(seen, { $set, $unset: { pending_since: '' } }))) return true;
    // The raised revision keeps anybody from repeating the step later, when the name may be free again.
    await this.#groups.updateOne(seen, { $set: { tree_revision: revision } });
    return false;
  }

  /** Deletes a group and gives its children to its parent. */
  async remove(tenant: Tenant, step: RemoveStep, revision: number): Promise<void> {
    const owned = ownedBy(tenant);
    const children = { ...owned, parent_group_id: step.group_id, tree_revision: { $lt: revision } };
    await this.#groups.updateMany(children, { $set: { parent_group_id: step.to, tree_revision: revision } });
    await this.#groups.deleteOne({ ...owned, _id: step.group_id });
  }
}

function placed(tenant: Tenant): Filter<GroupDoc> {
  return { ...ownedBy(tenant), pending_since: { $exists: false } };
}
