import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { fieldError } from '../../http/input/validation.ts';
import { assignToGroup, changeGroupMonitors, type BulkChange } from '../../monitors/verbs/bulk-monitors.ts';
import type { GroupDeps } from '../deps.ts';
import { loadGroup } from './write-group.ts';

/** Returns the ids of monitors that were not in it. Throws RESOURCE_NOT_FOUND, VALIDATION_ERROR. */
export async function assignMonitors(deps: GroupDeps, ctx: ProjectContext, id: string, monitorIds: string[]) {
  await loadGroup(deps, ctx, id);
  return assignToGroup(deps.monitors, ctx, monitorIds, id);
}

/** Returns the ids of changed monitors. Throws RESOURCE_NOT_FOUND. */
export async function changeMembers(deps: GroupDeps, ctx: ProjectContext, id: string, change: BulkChange) {
  await loadGroup(deps, ctx, id);
  return changeGroupMonitors(deps.monitors, ctx, id, change);
}

/** Throws RESOURCE_NOT_FOUND, VALIDATION_ERROR for an unknown target. */
export async function moveMembers(deps: GroupDeps, ctx: ProjectContext, id: string, target: string) {
  await loadGroup(deps, ctx, id);
  const found = await deps.groups.find(ctx.tenant, target);
  if (found === null) throw fieldError('target_group_id', 'Unknown group');
  if (id === target) return [];
  return changeGroupMonitors(deps.monitors, ctx, id, { action: 'move', group_id: target });
}

/** Deletes the group's monitors but not the group. Throws CONFIRMATION_REQUIRED, RESOURCE_NOT_FOUND. */
export async function deleteMembers(deps: GroupDeps, ctx: ProjectContext, id: string, isConfirmed: boolean) {
  if (isConfirmed) return changeMembers(deps, ctx, id, { action: 'delete' });
  throw new AppError('CONFIRMATION_REQUIRED', 'Send "confirm": true to delete all monitors of the group');
}
