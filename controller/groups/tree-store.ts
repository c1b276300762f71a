import type { Db } from 'mongodb';
import { ownedBy, type Tenant } from '../accounts/tenant.ts';
import { Documents } from '../platform/mongo/documents.ts';
import { restoring } from '../platform/mongo/null-fields.ts';
import type { PlaceStep, RemoveStep, TreeStep } from './group.ts';

/** A document of `group_trees`; `_id` is the project. */
interface TreeDoc {
  _id: string;
  organization_id: string;
  revision: number;
  /** The step that made this revision, until it is certain that all of it was carried out. */
  step: TreeStep | null;
}

const restorePlace = restoring<PlaceStep>({ parent_group_id: null });
const restoreRemove = restoring<RemoveStep>({ to: null });
const restoreTree = restoring<TreeDoc>({ step: null }, {
  step: (step) => (step.kind === 'place' ? restorePlace(step) : restoreRemove(step)),
});

/**
 * Collection `group_trees`: orders the changes of each project's tree without transactions. Whoever raises
 * the revision has decided on the current tree and leaves the step for anybody to finish before the next
 * change.
 */
export class TreeStore extends Documents<TreeDoc> {
  constructor(db: Db) {
    super(db, 'group_trees', [], restoreTree);
  }

  async read(tenant: Tenant): Promise<Pick<TreeDoc, 'revision' | 'step'>> {
    const tree = await this.findOne(treeOf(tenant));
    if (tree !== null) return tree;
    const first = { ...treeOf(tenant), revision: 0, step: null };
    return (await this.insertIfFree(first)) ? first : this.read(tenant);
  }

  /** Raises `revision` by one and leaves `step`. False: another change was first, or a step is unfinished. */
  commitStep(tenant: Tenant, revision: number, step: TreeStep): Promise<boolean> {
    const seen = { ...treeOf(tenant), revision, step: null };
    return this.update(seen, { $set: { step }, $inc: { revision: 1 } });
  }

  /** Records that the step of `revision` is carried out. */
  async finish(tenant: Tenant, revision: number): Promise<void> {
    await this.update({ ...treeOf(tenant), revision }, { $set: { step: null } });
  }
}

function treeOf({ organizationId, projectId }: Tenant): { _id: string; organization_id: string } {
  return { _id: projectId, organization_id: organizationId };
}

/** A document of `group_removals`; `_id` is the deleted group. */
interface RemovalDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  to: string | null;
  /** When the group is due to be cleared again, Unix ms; 0 until it was cleared once. */
  clear_at: number;
}

/** Removals of one project that are read at once. */
const BATCH_SIZE = 100;
/** No request that saw the group is still running by then, ms. */
const CLEARED_AGAIN_AFTER_MS = 600_000;

/**
 * Collection `group_removals`: deleted groups whose monitors may not all have moved on. Each is cleared
 * twice: at once, and again when no request can be running that saw the group.
 */
export class RemovalStore extends Documents<RemovalDoc> {
  constructor(db: Db) {
    super(db, 'group_removals', [
      // Each change of a project's tree finishes what others left undone.
      { key: { organization_id: 1, project_id: 1, clear_at: 1 }, name: 'due_of_project' },
      // The round that clears again.
      { key: { clear_at: 1 }, name: 'due' },
    ], restoring<RemovalDoc>({ to: null }));
  }

  /** Inserts if absent. */
  async add(tenant: Tenant, { group_id: _id, to }: RemoveStep): Promise<void> {
    const insert = { $setOnInsert: { to, clear_at: 0 } };
    await this.all.updateOne({ _id, ...ownedBy(tenant) }, insert, { upsert: true });
  }

  /** Removals that are due. */
  async list(tenant: Tenant, now: number): Promise<RemovalDoc[]> {
    const due = { ...ownedBy(tenant), clear_at: { $lte: now } };
    return this.select(due).sort({ clear_at: 1 }).limit(BATCH_SIZE).toArray();
  }

  /** Tenants with removals that are due. */
  async tenants(now: number): Promise<Tenant[]> {
    const due = this.all.find({ clear_at: { $lte: now } }).sort({ clear_at: 1 }).limit(10 * BATCH_SIZE);
    const tenants = new Map<string, Tenant>();
    for (const doc of await due.toArray()) {
      tenants.set(doc.project_id, { organizationId: doc.organization_id, projectId: doc.project_id });
    }
    return [...tenants.values()];
  }

  /** Records that the group was cleared, for the first or the last time. */
  async markCleared(tenant: Tenant, groupId: string, now: number): Promise<void> {
    const removal = { _id: groupId, ...ownedBy(tenant) };
    const again = { $set: { clear_at: now + CLEARED_AGAIN_AFTER_MS } };
    const isFirst = await this.update({ ...removal, clear_at: 0 }, again);
    if (!isFirst) await this.remove({ ...removal, clear_at: { $lte: now } });
  }

  /** Where each deleted group's monitors went; null: to no group. Groups cleared twice are left out. */
  async targets(tenant: Tenant, groupIds: string[]): Promise<Map<string, string | null>> {
    const found = await this.select({ ...ownedBy(tenant), _id: { $in: groupIds } }).toArray();
    return new Map(found.map(({ _id, to }) => [_id, to]));
  }
}
