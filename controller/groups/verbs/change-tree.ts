import type { Tenant } from '../../accounts/tenant.ts';
import { AppError } from '../../../shared/errors.ts';
import type { ProjectContext } from '../../http/route.ts';
import type { GroupDeps } from '../deps.ts';
import type { GroupEdge } from '../group.ts';
import type { Moment, TreeStep } from '../ports.ts';

/** Of several changes at once all but one have to look at the tree again; each try that fails is another's success. */
const MOST_TRIES = 100;

/** What changes of a project's tree work with. */
export type TreeDeps = Pick<GroupDeps, 'groups' | 'trees'> & RemovalDeps;
type RemovalDeps = Pick<GroupDeps, 'removals'> & { monitors: Pick<GroupDeps['monitors'], 'changeAll'> };

/**
 * Carries out the step that `decide` finds right for the tree as it is; the decision is made again whenever the tree
 * changed meanwhile. False: the name that the step gives is taken. Throws what `decide` throws, and CONFLICT when it never gets through.
 */
export async function changeTree(deps: TreeDeps, ctx: ProjectContext, decide: (edges: GroupEdge[]) => TreeStep): Promise<boolean> {
  const { tenant } = ctx;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const revision = await settleTree(deps, ctx);
    const edges = await deps.groups.edges(tenant);
    const step = decide(edges);
    // A parent that goes must not get monitors afterwards from a group that went before it.
    if (step.kind === 'remove') await finishRemovals(deps, ctx);
    if (await deps.trees.claim(tenant, revision, step)) return carryOut(deps, tenant, step, revision + 1);
  }
  throw new AppError('CONFLICT', 'The groups are being changed by other requests');
}

/**
 * The revision of the project's tree, nothing of which is left undone: neither the step of a process that ended nor what
 * follows from it. Before anything else is changed, so that no earlier change comes after a later one that was answered.
 */
export async function settleTree(deps: TreeDeps, ctx: Moment): Promise<number> {
  const { revision, step } = await deps.trees.read(ctx.tenant);
  if (step === null) return revision;
  await carryOut(deps, ctx.tenant, step, revision);
  if (step.kind === 'remove') await finishRemovals(deps, ctx);
  return revision;
}

/** Any number of processes may do this at once, and late: what a later revision has changed stays. */
async function carryOut(deps: TreeDeps, tenant: Tenant, step: TreeStep, revision: number): Promise<boolean> {
  let isDone = true;
  if (step.kind === 'place') isDone = await deps.groups.place(tenant, step, revision);
  else {
    await deps.removals.add(tenant, step);
    await deps.groups.remove(tenant, step, revision);
  }
  await deps.trees.finish(tenant, revision);
  return isDone;
}

/** Finishes what a process left undone when it ended, and clears once more what was deleted a while ago. */
export async function resumeRemovals(deps: RemovalDeps, now: number): Promise<void> {
  for (const tenant of await deps.removals.tenants(now)) await finishRemovals(deps, { tenant, now });
}

/** Moves the monitors of deleted groups of the project on to where they belong. */
export async function finishRemovals(deps: RemovalDeps, { tenant, now }: Moment): Promise<void> {
  for (let removals = await deps.removals.list(tenant, now); removals.length > 0; removals = await deps.removals.list(tenant, now)) {
    for (const { group_id: id, to } of removals) {
      await deps.monitors.changeAll({ tenant, now }, id, { kind: 'move', to });
      await deps.removals.done(tenant, id, now);
    }
  }
}
