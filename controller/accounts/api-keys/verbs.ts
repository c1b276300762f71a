import { hashSecret, newId, newSecret } from '../../../shared/ids.ts';
import { AppError, notFound } from '../../errors/app-error.ts';
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

/** Throws FAIR_USE_LIMIT_REACHED if the organization already has 1,000 keys. */
export async function createApiKey(
  deps: AccountDeps, ctx: OrganizationContext, { name, scope }: ApiKeyInput,
): Promise<IssuedKey> {
  const { organizationId } = ctx.tenant;
  const usage = await deps.keys.countOfOrganization(organizationId);
  if (usage >= MAX_API_KEYS) {
    const message = `An organization can have at most ${MAX_API_KEYS} API keys`;
    throw new AppError('FAIR_USE_LIMIT_REACHED', message, { details: { limit: MAX_API_KEYS, usage } });
  }
  const { key, stored } = generateKey(ctx);
  const doc = { _id: newId(ctx.now), organization_id: organizationId, name, scope, ...stored };
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
