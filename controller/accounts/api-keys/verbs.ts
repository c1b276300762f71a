import { hashSecret, newId, newSecret } from '../../../shared/ids.ts';
import { AppError, notFound } from '../../errors/app-error.ts';
import { fieldError } from '../../http/input/validation.ts';
import type { OrganizationContext } from '../../http/routing/route.ts';
import { authorOf } from '../../http/routing/authorize.ts';
import type { AccountDeps } from '../deps.ts';
import type { ApiKeyInput, ApiKeyListQuery } from '../schema.ts';
import type { ApiKeyDoc, ApiKeySecret } from './store.ts';

/** Per organization, on any plan. */
const MAX_API_KEYS = 1000;

export interface IssuedKey {
  doc: ApiKeyDoc;
  /** The secret itself; only its hash is stored. */
  key: string;
}

/** Throws FAIR_USE_LIMIT_REACHED if there are already 1,000 keys, and PROJECT_NOT_FOUND. */
export async function createApiKey(
  deps: AccountDeps, ctx: OrganizationContext, { name, scope, expires_at, project_ids }: ApiKeyInput,
): Promise<IssuedKey> {
  const { organizationId } = ctx.tenant;
  if (expires_at !== null && expires_at <= ctx.now) throw fieldError('expires_at', 'Must be in the future');
  if (project_ids !== null) {
    const own = new Set((await deps.projects.listOf([organizationId])).map(({ _id }) => _id));
    const unknown = project_ids.find((id) => !own.has(id));
    if (unknown !== undefined) throw new AppError('PROJECT_NOT_FOUND', `Project not found: ${unknown}`);
  }
  const usage = await deps.keys.countOfOrganization(organizationId);
  if (usage >= MAX_API_KEYS) {
    const message = `An organization can have at most ${MAX_API_KEYS} API keys`;
    throw new AppError('FAIR_USE_LIMIT_REACHED', message, { details: { limit: MAX_API_KEYS, usage } });
  }
  const { key, stored } = generateKey(ctx);
  const doc = {
    _id: newId(ctx.now), organization_id: organizationId, name, scope, expires_at,
    project_ids: project_ids && [...new Set(project_ids)], ...stored,
  };
  await deps.keys.insert(doc);
  return { doc, key };
}

export function listApiKeys(deps: AccountDeps, ctx: OrganizationContext, query: ApiKeyListQuery) {
  return deps.keys.list(ctx.tenant.organizationId, query);
}

/**
 * Replaces the secret in one write, so exactly one secret is valid at any time. Throws RESOURCE_NOT_FOUND.
 */
export async function rotateApiKey(deps: AccountDeps, ctx: OrganizationContext, id: string) {
  const { key, stored } = generateKey(ctx);
  const doc = await deps.keys.replaceSecret(ctx.tenant.organizationId, id, stored);
  if (doc === null) throw notFound('API key');
  return { doc, key };
}

export async function revokeApiKey(deps: AccountDeps, ctx: OrganizationContext, id: string): Promise<void> {
  if (!(await deps.keys.delete(ctx.tenant.organizationId, id))) throw notFound('API key');
}

/** A key with 256 random bits, and the fields to store for it. */
function generateKey({ actor, now }: OrganizationContext): { key: string; stored: ApiKeySecret } {
  const secret = newSecret();
  const key = `fw_${secret}`;
  const preview = `fw_${secret.slice(0, 4)}...${secret.slice(-4)}`;
  const created_by = authorOf(actor);
  return { key, stored: { hash: hashSecret(key), preview, created_by, created_at: now, last_used_at: null } };
}
