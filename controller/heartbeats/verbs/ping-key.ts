import { newSecret } from '../../../shared/ids.ts';
import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { authorOf } from '../../http/routing/authorize.ts';

/** The secret in ping URLs by name, and who made it. */
export interface PingKey {
  ping_key?: string;
  ping_key_by?: string;
}

export interface PingKeyDeps {
  projects: {
    /** Null if the project is gone. */
    find(id: string): Promise<PingKey | null>;
    /** Null if the project is gone, or has a key and `isReplaced` is false. */
    setPingKey(id: string, key: string, by: string, isReplaced: boolean): Promise<PingKey | null>;
  };
}

const KEY_LENGTH = 32;

/** The key of the project, which gets one when it is first read. Throws PROJECT_NOT_FOUND. */
export async function readPingKey(deps: PingKeyDeps, ctx: ProjectContext): Promise<string> {
  const find = () => deps.projects.find(ctx.tenant.projectId);
  const found = await find();
  if (found?.ping_key !== undefined) return found.ping_key;
  // Of two first readers, the second one finds the key of the first.
  return keyOf(await setKey(deps, ctx, false) ?? await find());
}

/** A new key, which replaces the current one at once. Throws PROJECT_NOT_FOUND. */
export async function rotatePingKey(deps: PingKeyDeps, ctx: ProjectContext): Promise<string> {
  return keyOf(await setKey(deps, ctx, true));
}

function setKey({ projects }: PingKeyDeps, { tenant, actor }: ProjectContext, isReplaced: boolean) {
  return projects.setPingKey(tenant.projectId, newSecret().slice(0, KEY_LENGTH), authorOf(actor), isReplaced);
}

function keyOf(project: PingKey | null): string {
  if (project?.ping_key === undefined) throw new AppError('PROJECT_NOT_FOUND', 'Project not found');
  return project.ping_key;
}
