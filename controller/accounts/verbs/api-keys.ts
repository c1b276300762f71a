import { AppError, notFound } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import type { OrganizationContext } from '../../http/route.ts';
import type { ApiKeyDoc } from '../account.ts';
import { newApiKey } from '../api-keys.ts';
import type { AccountDeps } from '../deps.ts';
import type { ApiKeyInput, ApiKeyQuery } from '../schema.ts';

/** Keys of one organization, on any plan. */
const MOST_KEYS = 1000;

export interface IssuedKey {
  doc: ApiKeyDoc;
  key: string;
}

/** Throws FAIR_USE_LIMIT_REACHED when the organization has 1,000 keys. */
export async function createApiKey(deps: AccountDeps, ctx: OrganizationContext, input: ApiKeyInput): Promise<IssuedKey> {
  const usage = await deps.keys.countOfOrganization(ctx.tenant.organizationId);
  if (usage >= MOST_KEYS) {
    throw new AppError('FAIR_USE_LIMIT_REACHED', `An organization may have ${MOST_KEYS} API keys`, { details: { limit: MOST_KEYS, usage } });
  }
  const { key, hash, preview } = newApiKey();
  const doc: ApiKeyDoc = {
    _id: newId(ctx.now), organization_id: ctx.tenant.organizationId, name: input.name, scope: input.scope, hash, preview,
    created_by: creator(ctx), created_at: ctx.now, last_used_at: null,
  };
  await deps.keys.insert(doc);
  return { doc, key };
}

export function listApiKeys(deps: AccountDeps, ctx: OrganizationContext, query: ApiKeyQuery): Promise<{ keys: ApiKeyDoc[]; total: number }> {
  const { limit, offset, sort_by: sortBy, sort_order: order } = query;
  return deps.keys.list(ctx.tenant.organizationId, { limit, offset, sortBy, isDescending: order === 'desc' });
}

/** A new secret under the same id, name and scope. One write, so that never both and never none of the secrets is good. */
export async function rotateApiKey(deps: AccountDeps, ctx: OrganizationContext, id: string): Promise<IssuedKey> {
  const { key, hash, preview } = newApiKey();
  const doc = await deps.keys.replaceSecret(ctx.tenant.organizationId, id, { hash, preview, created_at: ctx.now, created_by: creator(ctx) });
  if (doc === null) throw notFound('API key');
  return { doc, key };
}

export async function revokeApiKey(deps: AccountDeps, ctx: OrganizationContext, id: string): Promise<void> {
  if (!(await deps.keys.delete(ctx.tenant.organizationId, id))) throw notFound('API key');
}

function creator(ctx: OrganizationContext): string {
  return ctx.actor.kind === 'session' ? ctx.actor.userId : ctx.actor.createdBy;
}
