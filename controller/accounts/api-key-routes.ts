import { idParams } from '../http/params.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { AccountDeps } from './deps.ts';
import { apiKeyInput, apiKeyQuery, apiKeysAnswer, freshApiKeyView, messageAnswer } from './schema.ts';
import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './verbs/api-keys.ts';
import { viewApiKey, viewFreshApiKey } from './views.ts';

export function apiKeyRoutes(deps: AccountDeps): Route[] {
  const common = { tag: 'API keys', auth: { access: 'account', organization: 'admin' } } as const;
  return [
    defineRoute({
      ...common,
      method: 'POST',
      path: '/api/auth/api-keys',
      audit: 'api_key.created',
      summary: 'Create an API key',
      description: 'Only this response contains the key.',
      body: apiKeyInput,
      errors: ['FAIR_USE_LIMIT_REACHED'],
      answers: { 201: freshApiKeyView },
      handle: async (ctx, { body }) => {
        const { doc, key } = await createApiKey(deps, ctx, body);
        return { status: 201, data: viewFreshApiKey(doc, key) };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/api/auth/api-keys',
      summary: 'List API keys',
      query: apiKeyQuery,
      answers: { 200: apiKeysAnswer },
      handle: async (ctx, { query }) => {
        const { limit, offset } = query;
        const { keys, total } = await listApiKeys(deps, ctx, query);
        return { status: 200, data: { keys: keys.map(viewApiKey), total_count: total, limit, offset, has_more: offset + keys.length < total } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/api/auth/api-keys/:id/rotate',
      audit: 'api_key.rotated',
      summary: 'Replace the secret of an API key',
      description: 'Name, scope and id stay the same; the old secret stops working at once.',
      params: idParams,
      errors: ['RESOURCE_NOT_FOUND'],
      answers: { 201: freshApiKeyView },
      handle: async (ctx, { params }) => {
        const { doc, key } = await rotateApiKey(deps, ctx, params.id);
        return { status: 201, data: viewFreshApiKey(doc, key) };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/api/auth/api-keys/:id',
      audit: 'api_key.revoked',
      summary: 'Revoke an API key',
      params: idParams,
      errors: ['RESOURCE_NOT_FOUND'],
      answers: { 200: messageAnswer },
      handle: async (ctx, { params }) => {
        await revokeApiKey(deps, ctx, params.id);
        return { status: 200, data: { message: 'API key revoked' } };
      },
    }),
  ];
}
