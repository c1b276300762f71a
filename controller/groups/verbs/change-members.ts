import { AppError } from '../../../shared/errors.ts';
import type { ProjectContext } from '../../http/route.ts';
import { fieldError } from '../../http/validation.ts';
import type { GroupDeps } from '../deps.ts';
import type { MemberChange } from '../ports.ts';
import { loadGroup } from './write-group.ts';

/** Puts monitors into the group; the ids of those that were not in it. Throws RESOURCE_NOT_FOUND, VALIDATION_ERROR for unknown monitors. */
export async function assignMonitors(deps: GroupDeps, ctx: ProjectContext, id: string, monitorIds: string[]): Promise<string[]> {
  await loadGroup(deps, ctx, id);
  return deps.monitors.assign(ctx, monitorIds, id);
}

/** Pauses the group's active monitors, or resumes its paused ones; the ids of those that changed. Throws RESOURCE_NOT_FOUND. */
export async function changeMembers(deps: GroupDeps, ctx: ProjectContext, id: string, change: MemberChange): Promise<string[]> {
  await loadGroup(deps, ctx, id);
  return deps.monitors.changeAll(ctx, id, change);
}

/** Moves the group's monitors to another group. Throws RESOURCE_NOT_FOUND, VALIDATION_ERROR for an unknown target. */
export async function moveMembers(deps: GroupDeps, ctx: ProjectContext, id: string, target: string): Promise<string[]> {
  await loadGroup(deps, ctx, id);
  if ((await deps.groups.find(ctx.tenant, target)) === null) throw fieldError('target_group_id', 'Unknown group');
  return id === target ? [] : deps.monitors.changeAll(ctx, id, { kind: 'move', to: target });
}

/** Deletes the group's monitors and keeps the group. Throws CONFIRMATION_REQUIRED unless confirmed, RESOURCE_NOT_FOUND. */
export async function deleteMembers(deps: GroupDeps, ctx: ProjectContext, id: string, isConfirmed: boolean): Promise<string[]> {
  if (!isConfirmed) throw new AppError('CONFIRMATION_REQUIRED', 'Send "confirm": true to delete all monitors of the group');
  return changeMembers(deps, ctx, id, { kind: 'delete' });
}
