import type { Db, Filter } from 'mongodb';
import type { Clock } from '../../shared/time.ts';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { Documents, restoring } from '../platform/mongo/documents.ts';
import { isDuplicateKey, unlessTaken } from '../platform/mongo/mongo-errors.ts';
import {
  duplicateName, MAX_GROUPS, type GroupDoc, type GroupEdge, type GroupText, type PlaceStep, type RemoveStep,
} from './group.ts';

/** No creation takes this long. A group that is still not in the tree then was left by a crash. */
const ABANDONED_AFTER_MS = 60_000;
/** More than MAX_GROUPS, which simultaneous requests may exceed. */
const READ_LIMIT = 2 * MAX_GROUPS;

/**
 * Collection `groups`. Deleted groups are removed, so that an index can keep names unique. Reads omit groups
 * that are not in the tree yet.
 */
export class GroupStore extends Documents<GroupDoc> {
  readonly #clock: Pick<Clock, 'now'>;

  constructor(db: Db, clock: Pick<Clock, 'now'>) {
    super(db, 'groups', [
      // Keeps names unique in a project, and lists all groups by name.
      { key: { organization_id: 1, project_id: 1, name: 1 }, name: 'name', unique: true },
      // Lists a project's groups, newest first.
      { key: { organization_id: 1, project_id: 1, created_at: -1, _id: -1 }, name: 'list' },
      // Finds the children of a deleted group.
      { key: { organization_id: 1, project_id: 1, parent_group_id: 1 }, name: 'children' },
    ], restoring<GroupDoc>({ created_by: null, parent_group_id: null }));
    this.#clock = clock;
  }

  /** Throws DUPLICATE_NAME. Takes over the name of a group that a crash left outside the tree. */
  override async insert(doc: GroupDoc): Promise<void> {
    if (await unlessTaken(super.insert(doc))) return;
    const { organization_id, project_id, name } = doc;
    const pending_since = { $lt: this.#clock.now() - ABANDONED_AFTER_MS };
    const isFree = await this.remove({ organization_id, project_id, name, pending_since });
    if (!isFree || !(await unlessTaken(super.insert(doc)))) throw duplicateName();
  }

  /** Null if it does not exist or belongs to another tenant. */
  find(tenant: Tenant, id: string): Promise<GroupDoc | null> {
    return this.findOne({ ...placed(tenant), _id: id });
  }

  /** Returns one page, newest first, and the total number of groups. */
  async list(tenant: Tenant, skip: number, limit: number): Promise<{ groups: GroupDoc[]; total: number }> {
    const total = await this.countOf(tenant);
    if (skip >= total) return { groups: [], total };
    const page = this.select(placed(tenant)).sort({ created_at: -1, _id: -1 }).skip(skip).limit(limit);
    return { total, groups: await page.toArray() };
  }

  /** Sorted by the code points of their names. */
  listAll(tenant: Tenant): Promise<GroupDoc[]> {
    return this.select(placed(tenant)).sort({ name: 1 }).limit(READ_LIMIT).toArray();
  }

  edges(tenant: Tenant): Promise<GroupEdge[]> {
    const edge = { _id: 1, parent_group_id: 1 };
    const edges = this.all.find(placed(tenant)).project<GroupEdge>(edge).map(restoreEdge);
    return edges.limit(READ_LIMIT).toArray();
  }

  countOf(tenant: Tenant): Promise<number> {
    return this.count(placed(tenant));
  }

  /** Names by id. Omits ids that are not groups of this project. */
  async names(tenant: Tenant, ids: string[]): Promise<Map<string, string>> {
    const named = this.all.find({ ...placed(tenant), _id: { $in: ids } });
    const found = await named.project<Pick<GroupDoc, '_id' | 'name'>>({ name: 1 }).toArray();
    return new Map(found.map((group) => [group._id, group.name]));
  }

  /** Changes the given fields. Null if the group is gone. Throws DUPLICATE_NAME. */
  async rename(tenant: Tenant, id: string, text: GroupText): Promise<GroupDoc | null> {
    try {
      return await this.change({ ...placed(tenant), _id: id }, { $set: text });
    } catch (error) {
      throw isDuplicateKey(error) ? duplicateName() : error;
    }
  }

  /** Deletes a group that is not in the tree yet. */
  async discard(tenant: Tenant, id: string): Promise<void> {
    await this.remove({ ...ownedBy(tenant), _id: id, pending_since: { $exists: true } });
  }

  /**
   * Does nothing if a later revision placed the group. False if the name is taken; the group stays where it
   * is.
   */
  async place(tenant: Tenant, step: PlaceStep, revision: number): Promise<boolean> {
    const { group_id: _id, parent_group_id, name, description, managed_by } = step;
    const seen = { ...ownedBy(tenant), _id, tree_revision: { $lt: revision } };
    const $set = { parent_group_id, name, description, managed_by, tree_revision: revision };
    if (await unlessTaken(this.update(seen, { $set, $unset: { pending_since: '' } }))) return true;
    // Raise the revision, so that nobody repeats the step later when the name may be free again.
    await this.update(seen, { $set: { tree_revision: revision } });
    return false;
  }

  /** Deletes a group and moves its children to `step.to`. */
  async delete(tenant: Tenant, step: RemoveStep, revision: number): Promise<void> {
    const owned = ownedBy(tenant);
    const children = { ...owned, parent_group_id: step.group_id, tree_revision: { $lt: revision } };
    await this.all.updateMany(children, { $set: { parent_group_id: step.to, tree_revision: revision } });
    await this.remove({ ...owned, _id: step.group_id });
  }
}

const restoreEdge = restoring<GroupEdge>({ parent_group_id: null });

function placed(tenant: Tenant): Filter<GroupDoc> {
  return { ...ownedBy(tenant), pending_since: { $exists: false } };
}
