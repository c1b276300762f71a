import { z } from 'zod';
import { created, defineRoute, messageResponse, ok, okMessage, type Route } from '../http/routing/route.ts';
import { enrolmentKeyView } from './responses.ts';
import { enrolmentKeyInput, enrolmentKeyParams, regionParams } from './schema.ts';
import { createEnrolmentKey, deleteEnrolmentKey, listEnrolmentKeys } from './verbs/enrolment-keys.ts';
import type { FleetDeps } from './verbs/probes.ts';
import { viewEnrolmentKey } from './views.ts';

export function enrolmentKeyRoutes(deps: FleetDeps): Route[] {
  const path = '/api/regions/:id/enrolment-keys';
  const common = { tag: 'Enrolment keys', auth: { access: 'account', organization: 'viewer' } } as const;
  return [
    defineRoute({
      ...common, method: 'POST', path, summary: 'Create a key that enrols probes in the region',
      description: 'Only this response contains the key.', audit: 'enrolment_key.created',
      params: regionParams, body: enrolmentKeyInput,
      errors: ['RESOURCE_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS', 'FAIR_USE_LIMIT_REACHED'],
      responses: { 201: z.object({ enrolment_key: enrolmentKeyView, key: z.string() }) },
      handle: async (ctx, { params, body }) => {
        const { doc, key } = await createEnrolmentKey(deps, ctx, params.id, body);
        return created({ enrolment_key: viewEnrolmentKey(doc), key });
      },
    }),
    defineRoute({
      ...common, method: 'GET', path, summary: 'List the enrolment keys of a region', params: regionParams,
      errors: ['RESOURCE_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS'],
      responses: { 200: z.object({ enrolment_keys: z.array(enrolmentKeyView) }) },
      handle: async (ctx, { params }) =>
        ok({ enrolment_keys: (await listEnrolmentKeys(deps, ctx, params.id)).map(viewEnrolmentKey) }),
    }),
    defineRoute({
      ...common, method: 'DELETE', path: `${path}/:keyId`, summary: 'Delete an enrolment key',
      description: 'It enrols no more probes. Those that it has enrolled stay.', audit: 'enrolment_key.deleted',
      params: enrolmentKeyParams,
      errors: ['RESOURCE_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS'],
      responses: { 200: messageResponse },
      handle: (ctx, { params }) =>
        okMessage(deleteEnrolmentKey(deps, ctx, params.id, params.keyId), 'Enrolment key deleted'),
    }),
  ];
}
