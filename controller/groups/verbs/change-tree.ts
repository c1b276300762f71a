import type { Tenant } from '../../access/tenant.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { changeGroupMonitors } from '../../monitors/verbs/bulk-monitors.ts';
import type { ChangeContext } from '../../monitors/verbs/change-many.ts';
import { retryOnConflict } from '../../platform/mongo/mongo-errors.ts';
import type { TreeDeps } from '../deps.ts';
import type { GroupEdge, TreeStep } from '../group.ts';

type RemovalDeps = Pick<TreeDeps, 'removals' | 'monitors'>;

/** All changes to the groups of a project contend. */
const MAX_ATTEMPTS = 100;

/**
 * Carries out the step that `decide` returns, and decides again if the tree changed meanwhile. False if the
 * new name is taken. Throws the errors of `decide`, and CONFLICT if concurrent changes keep winning.
 */
export function changeTree(
  deps: TreeDeps, ctx: ProjectContext, decide: (edges: GroupEdge[]) => TreeStep,
): Promise<boolean> {
  return retryOnConflict('The groups are', async () => {
    const revision = await settleTree(deps, ctx);
    const step = decide(await deps.groups.edges(ctx.tenant));
    // Otherwise an earlier removal could still move monitors into the group that is removed now.
    if (step.kind === 'remove') await finishRemovals(deps, ctx);
    const isCommitted = await deps.trees.commitStep(ctx.tenant, revision, step);
    return isCommitted ? applyStep(deps, ctx.tenant, step, revision + 1) : null;
  }, MAX_ATTEMPTS);
}

/**
 * Finishes a step that a process left unfinished, and returns the tree's revision. Call it before any other
 * change, so that an earlier change never takes effect after the response to a later one.
 */
export async function settleTree(deps: TreeDeps, ctx: ChangeContext): Promise<number> {
  const { revision, step } = await deps.trees.read(ctx.tenant);
  if (step === null) return revision;
  await applyStep(deps, ctx.tenant, step, revision);
  if (step.kind === 'remove') await finishRemovals(deps, ctx);
  return revision;
}

/** Safe to run late and in several processes at once, because it never undoes later revisions. */
async function applyStep(deps: TreeDeps, tenant: Tenant, step: TreeStep, revision: number): Promise<boolean> {
  let isDone = true;
  if (step.kind === 'place') isDone = await deps.groups.place(tenant, step, revision);
  else {
    await deps.removals.add(tenant, step);
    await deps.groups.delete(tenant, step, revision);
  }
  await deps.trees.finish(tenant, revision);
  return isDone;
}

/** Finishes interrupted removals, and clears groups a second time. */
export async function resumeRemovals(deps: RemovalDeps, now: number): Promise<void> {
  for (const tenant of await deps.removals.tenants(now)) await finishRemovals(deps, { tenant, now });
}

/** Moves the monitors of the project's deleted groups to the groups that receive them. */
export async function finishRemovals(deps: RemovalDeps, ctx: ChangeContext): Promise<void> {
  for (;;) {
    const due = await deps.removals.list(ctx.tenant, ctx.now);
    if (due.length === 0) return;
    for (const { _id: id, to } of due) {
      await changeGroupMonitors(deps.monitors, ctx, id, { action: 'move', group_id: to });
      await deps.removals.markCleared(ctx.tenant, id, ctx.now);
    }
  }
}

/** For each deleted group, the group that received its monitors; null if none did or it was too long ago. */
export async function findSuccessors(deps: Pick<TreeDeps, 'groups' | 'removals'>, tenant: Tenant, ids: string[]) {
  const existing = await deps.groups.names(tenant, ids);
  const deleted = ids.filter((id) => !existing.has(id));
  if (deleted.length === 0) return new Map();
  // Read after the groups, because a removal is written before its group is deleted.
  const targets = await deps.removals.targets(tenant, deleted);
  return new Map(deleted.map((id) => [id, targets.get(id) ?? null]));
}
