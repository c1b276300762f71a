import { AppError, notFound } from '../../../shared/errors.ts';
import { hashSecret, newId, newSecret } from '../../../shared/ids.ts';
import { authorOf, type OrganizationContext } from '../../http/routing/route.ts';
import type { AccountDeps } from '../deps.ts';
import type { ApiKeyInput, ApiKeyListQuery } from '../schema.ts';
import type { ApiKeyDoc, ApiKeySecret } from './store.ts';

/** Keys of one organization, on any plan. */
const MAX_API_KEYS = 1000;

/** A key with its secret, which is not stored. */
export interface IssuedKey {
  doc: ApiKeyDoc;
  key: string;
}

/** Throws FAIR_USE_LIMIT_REACHED if the organization has 1,000 keys. */
export async function createApiKey(
  deps: AccountDeps, ctx: OrganizationContext, { name, scope }: ApiKeyInput,
): Promise<IssuedKey> {
  const { organizationId } = ctx.tenant;
  const usage = await deps.keys.countOfOrganization(organizationId);
  if (usage >= MAX_API_KEYS) {
    const message = `An organization can have at most ${MAX_API_KEYS} API keys`;
    throw new AppError('FAIR_USE_LIMIT_REACHED', message, { details: { limit: MAX_API_KEYS, usage } });
  }
  const { key, stored } = newSecretOf(ctx);
  const doc = { _id: newId(ctx.now), organization_id: organizationId, name, scope, ...stored };
  await deps.keys.insert(doc);
  return { doc, key };
}

export function listApiKeys(deps: AccountDeps, ctx: OrganizationContext, query: ApiKeyListQuery) {
  return deps.keys.list(ctx.tenant.organizationId, query);
}

/** Replaces the secret. A single write, so that exactly one of the secrets is valid at any time. */
export async function rotateApiKey(deps: AccountDeps, ctx: OrganizationContext, id: string) {
  const { key, stored } = newSecretOf(ctx);
  const doc = await deps.keys.replaceSecret(ctx.tenant.organizationId, id, stored);
  if (doc === null) throw notFound('API key');
  return { doc, key };
}

export async function revokeApiKey(deps: AccountDeps, ctx: OrganizationContext, id: string): Promise<void> {
  if (!(await deps.keys.delete(ctx.tenant.organizationId, id))) throw notFound('API key');
}

/** A key of 256 random bits, and the fields that are stored of it. */
function newSecretOf({ actor, now }: OrganizationContext): { key: string; stored: ApiKeySecret } {
  const secret = newSecret();
  const key = `fw_${secret}`;
  const preview = `fw_${secret.slice(0, 4)}...${secret.slice(-4)}`;
  const created_by = authorOf(actor);
  return { key, stored: { hash: hashSecret(key), preview, created_by, created_at: now, last_used_at: null } };
}
