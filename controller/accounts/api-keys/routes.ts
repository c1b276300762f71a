import { idParams } from '../../http/input/validation.ts';
import { created, defineRoute, messageResponse, okMessage, ok, type Route } from '../../http/routing/route.ts';
import { apiKeysResponse, freshApiKeyView } from '../responses.ts';
import type { AccountDeps } from '../deps.ts';
import { apiKeyInput, apiKeyQuery } from '../schema.ts';
import { viewApiKey, viewFreshApiKey } from '../views.ts';
import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './verbs.ts';

export function apiKeyRoutes(deps: AccountDeps): Route[] {
  const path = '/api/auth/api-keys';
  const all = { path, tag: 'API keys', auth: { access: 'account', organization: 'admin' } } as const;
  const one = { ...all, path: `${path}/:id`, params: idParams, errors: ['RESOURCE_NOT_FOUND'] } as const;
  return [
    defineRoute({
      ...all, method: 'POST', summary: 'Create an API key',
      description: 'Only this response contains the key.', audit: 'api_key.created',
      body: apiKeyInput, errors: ['FAIR_USE_LIMIT_REACHED', 'PROJECT_NOT_FOUND'], responses: { 201: freshApiKeyView },
      handle: async (ctx, { body }) => created(viewFreshApiKey(await createApiKey(deps, ctx, body))),
    }),
    defineRoute({
      ...all, method: 'GET', summary: 'List API keys', query: apiKeyQuery, responses: { 200: apiKeysResponse },
      handle: async (ctx, { query }) => {
        const { limit, offset } = query;
        const { keys, total } = await listApiKeys(deps, ctx, query);
        const page = { total_count: total, limit, offset, has_more: offset + keys.length < total };
        return ok({ keys: keys.map(viewApiKey), ...page });
      },
    }),
    defineRoute({
      ...one, method: 'POST', path: `${path}/:id/rotate`, summary: 'Rotate an API key',
      description: 'Name, scope, expiry, projects and id stay the same. The old secret stops working immediately.',
      audit: 'api_key.rotated', responses: { 201: freshApiKeyView },
      handle: async (ctx, { params }) => created(viewFreshApiKey(await rotateApiKey(deps, ctx, params.id))),
    }),
    defineRoute({
      ...one, method: 'DELETE', summary: 'Revoke an API key',
      audit: 'api_key.revoked', responses: { 200: messageResponse },
      handle: (ctx, { params }) => okMessage(revokeApiKey(deps, ctx, params.id), 'API key revoked'),
    }),
  ];
}
