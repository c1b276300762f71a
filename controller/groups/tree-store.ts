import type { Db } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { Documents, restoring } from '../platform/mongo/documents.ts';
import type { PlaceStep, RemoveStep, TreeStep } from './group.ts';

/** A document of `group_trees`; `_id` is the project. */
interface TreeDoc {
  _id: string;
  organization_id: string;
  revision: number;
  /** The step of this revision, until it is completely carried out. */
  step: TreeStep | null;
}

const restorePlace = restoring<PlaceStep>({ parent_group_id: null });
const restoreRemove = restoring<RemoveStep>({ to: null });
const restoreTree = restoring<TreeDoc>({ step: null }, {
  step: (step) => (step.kind === 'place' ? restorePlace(step) : restoreRemove(step)),
});

/**
 * Collection `group_trees`: serializes changes to each project's tree without transactions. Raising the
 * revision also stores the step, so that any process can finish it before the next change.
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

  /** Raises `revision` and stores `step`. False if another change was first or a step is unfinished. */
  commitStep(tenant: Tenant, revision: number, step: TreeStep): Promise<boolean> {
    const seen = { ...treeOf(tenant), revision, step: null };
    return this.update(seen, { $set: { step }, $inc: { revision: 1 } });
  }

  /** Records that the step of `revision` is completely carried out. */
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
  /** When to clear the group again, Unix ms; 0 until it has been cleared once. */
  clear_at: number;
}

const BATCH_SIZE = 100;
/** By then, no request that saw the group is still running. */
const CLEARED_AGAIN_AFTER_MS = 600_000;

/**
 * Collection `group_removals`: deleted groups that may still contain monitors. Each is cleared twice:
 * immediately, and again when no request that saw the group can be running anymore.
 */
export class RemovalStore extends Documents<RemovalDoc> {
  constructor(db: Db) {
    super(db, 'group_removals', [
      // Finds unfinished removals of a project before each change to its tree.
      { key: { organization_id: 1, project_id: 1, clear_at: 1 }, name: 'due_of_project' },
      // Finds removals that are due across all projects.
      { key: { clear_at: 1 }, name: 'due' },
    ], restoring<RemovalDoc>({ to: null }));
  }

  /** Does nothing if the removal exists. */
  async add(tenant: Tenant, { group_id: _id, to }: RemoveStep): Promise<void> {
    const insert = { $setOnInsert: { to, clear_at: 0 } };
    await this.all.updateOne({ _id, ...ownedBy(tenant) }, insert, { upsert: true });
  }

  /** Due removals of the project, up to BATCH_SIZE. */
  async list(tenant: Tenant, now: number): Promise<RemovalDoc[]> {
    const due = { ...ownedBy(tenant), clear_at: { $lte: now } };
    return this.select(due).sort({ clear_at: 1 }).limit(BATCH_SIZE).toArray();
  }

  /** Tenants with due removals. */
  async tenants(now: number): Promise<Tenant[]> {
    const due = this.all.find({ clear_at: { $lte: now } }).sort({ clear_at: 1 }).limit(10 * BATCH_SIZE);
    const tenants = new Map<string, Tenant>();
    for (const doc of await due.toArray()) {
      tenants.set(doc.project_id, { organizationId: doc.organization_id, projectId: doc.project_id });
    }
    return [...tenants.values()];
  }

  /** Records that the group was cleared; the second time removes the document. */
  async markCleared(tenant: Tenant, groupId: string, now: number): Promise<void> {
    const removal = { _id: groupId, ...ownedBy(tenant) };
    const again = { $set: { clear_at: now + CLEARED_AGAIN_AFTER_MS } };
    const isFirst = await this.update({ ...removal, clear_at: 0 }, again);
    if (!isFirst) await this.remove({ ...removal, clear_at: { $lte: now } });
  }

  /** The groups that received the monitors; null for no group. Omits groups that were cleared twice. */
  async targets(tenant: Tenant, groupIds: string[]): Promise<Map<string, string | null>> {
    const found = await this.select({ ...ownedBy(tenant), _id: { $in: groupIds } }).toArray();
    return new Map(found.map(({ _id, to }) => [_id, to]));
  }
}
