import { z } from 'zod';
import { enrolResponse, enrolRequest } from '../../shared/contracts/enrolment.ts';
import { idParams } from '../http/input/validation.ts';
import { created, defineRoute, messageResponse, ok, okMessage, type Route } from '../http/routing/route.ts';
import { enrolmentKeyRoutes } from './enrolment-key-routes.ts';
import { probeView, regionView } from './responses.ts';
import { probeChange, probeInput, regionChange, regionInput, regionParams } from './schema.ts';
import { enrolProbe } from './verbs/enrol-probe.ts';
import type { EnrolmentDeps } from './verbs/enrolment.ts';
import {
  changeProbe, createProbe, deleteProbe, listProbes, readProbe, rotateProbeKeys, type FleetDeps,
} from './verbs/probes.ts';
import { viewProbeAddresses } from './views.ts';
import { changeRegion, createRegion, deleteRegion, listRegions } from './verbs/regions.ts';

const member = { access: 'account', organization: 'viewer' } as const;
const oneRegion = z.object({ region: regionView });
const oneProbe = z.object({ probe: probeView });

/** Routes for regions, their probes and enrolment. */
export function fleetRoutes(deps: FleetDeps & { enrolment: EnrolmentDeps }): Route[] {
  return [
    ...regionRoutes(deps), ...enrolmentKeyRoutes(deps), ...probeRoutes(deps),
    enrolRoute(deps.enrolment), addressesRoute(deps),
  ];
}

function regionRoutes(deps: FleetDeps): Route[] {
  const common = { tag: 'Regions', auth: member } as const;
  const change = (method: 'PATCH' | 'PUT') =>
    defineRoute({
      ...common, method, path: '/api/regions/:id', summary: 'Change a region', audit: 'region.changed',
      params: regionParams, body: regionChange,
      errors: ['RESOURCE_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS'],
      responses: { 200: oneRegion },
      handle: async (ctx, { params, body }) => ok({ region: await changeRegion(deps, ctx, params.id, body) }),
    });
  return [
    defineRoute({
      ...common, method: 'GET', path: '/api/regions', summary: 'List the regions that checks can run in',
      auth: { ...member, keys: true },
      responses: { 200: z.object({ regions: z.array(regionView) }) },
      handle: async (ctx) => ok({ regions: await listRegions(deps, ctx) }),
    }),
    defineRoute({
      ...common, method: 'POST', path: '/api/regions', summary: 'Create a region', audit: 'region.created',
      body: regionInput,
      errors: ['RESOURCE_ALREADY_EXISTS', 'INSUFFICIENT_PERMISSIONS', 'FAIR_USE_LIMIT_REACHED'],
      responses: { 201: oneRegion },
      handle: async (ctx, { body }) => created({ region: await createRegion(deps, ctx, body) }),
    }),
    change('PATCH'),
    change('PUT'),
    defineRoute({
      ...common, method: 'DELETE', path: '/api/regions/:id', summary: 'Delete a region without probes',
      audit: 'region.deleted',
      params: regionParams,
      errors: ['RESOURCE_NOT_FOUND', 'CONFLICT', 'INSUFFICIENT_PERMISSIONS'],
      responses: { 200: messageResponse },
      handle: (ctx, { params }) => okMessage(deleteRegion(deps, ctx, params.id), 'Region deleted'),
    }),
  ];
}

function probeRoutes(deps: FleetDeps): Route[] {
  const common = { tag: 'Probes', auth: member } as const;
  const change = (method: 'PATCH' | 'PUT') =>
    defineRoute({
      ...common, method, path: '/api/probes/:id', summary: 'Rename or drain a probe, or set its network', audit: 'probe.changed',
      params: idParams, body: probeChange,
      errors: ['RESOURCE_NOT_FOUND', 'RESOURCE_ALREADY_EXISTS', 'INSUFFICIENT_PERMISSIONS'],
      responses: { 200: oneProbe },
      handle: async (ctx, { params, body }) => ok({ probe: await changeProbe(deps, ctx, params.id, body) }),
    });
  return [
    defineRoute({
      ...common, method: 'GET', path: '/api/probes', summary: 'List probes',
      responses: { 200: z.object({ probes: z.array(probeView) }) },
      handle: async (ctx) => ok({ probes: await listProbes(deps, ctx) }),
    }),
    defineRoute({
      ...common, method: 'POST', path: '/api/probes', summary: 'Create a probe and get its enrolment token',
      audit: 'probe.created',
      body: probeInput,
      errors: [
        'RESOURCE_NOT_FOUND', 'RESOURCE_ALREADY_EXISTS', 'INSUFFICIENT_PERMISSIONS', 'FAIR_USE_LIMIT_REACHED',
      ],
      responses: { 201: oneProbe.extend({ enrolment_token: z.string() }) },
      handle: async (ctx, { body }) => {
        const { probe, token } = await createProbe(deps, ctx, body);
        return created({ probe, enrolment_token: token });
      },
    }),
    defineRoute({
      ...common, method: 'GET', path: '/api/probes/:id', summary: 'Read a probe',
      params: idParams,
      errors: ['RESOURCE_NOT_FOUND'],
      responses: { 200: oneProbe },
      handle: async (ctx, { params }) => ok({ probe: await readProbe(deps, ctx, params.id) }),
    }),
    change('PATCH'),
    change('PUT'),
    defineRoute({
      ...common, method: 'POST', path: '/api/probes/:id/rotate-keys', audit: 'probe.keys_rotated',
      summary: 'Replace the keys of a probe while it runs',
      description: 'The probe stays connected. `rotation_asked_at` becomes null again when it uses '
        + 'the new keys and NATS refuses the old ones. An offline probe replaces them when it reconnects.',
      params: idParams,
      errors: ['RESOURCE_NOT_FOUND', 'CONFLICT', 'INSUFFICIENT_PERMISSIONS'],
      responses: { 200: oneProbe },
      handle: async (ctx, { params }) => ok({ probe: await rotateProbeKeys(deps, ctx, params.id) }),
    }),
    defineRoute({
      ...common, method: 'DELETE', path: '/api/probes/:id', audit: 'probe.deleted',
      summary: 'Delete a probe and revoke its identity immediately',
      params: idParams,
      errors: ['RESOURCE_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS'],
      responses: { 200: messageResponse },
      handle: (ctx, { params }) => okMessage(deleteProbe(deps, ctx, params.id), 'Probe deleted'),
    }),
  ];
}

function addressesRoute({ directory }: Pick<FleetDeps, 'directory'>): Route {
  return defineRoute({
    method: 'GET', path: '/.well-known/probes.json', tag: 'Probes', auth: { access: 'public' },
    summary: 'List the addresses that checks come from, for firewalls',
    description: 'The addresses and ranges of the probes of each shared region, as plain JSON.',
    responses: { 200: { contentType: 'application/json; charset=utf-8' } },
    handle: async () => ({ status: 200, raw: JSON.stringify(viewProbeAddresses(directory)) }),
  });
}

function enrolRoute(deps: EnrolmentDeps): Route {
  return defineRoute({
    method: 'POST', path: '/api/probes/enrol', tag: 'Probes', auth: { access: 'public' },
    summary: 'Exchange an enrolment token or key for an identity', audit: 'probe.enrolled',
    description: 'Called by a probe. Requires only the token, which works once and expires after 15 minutes, '
      + 'or an enrolment key, which creates the probe. Requests with the same `public_key` get the same probe.',
    body: enrolRequest,
    errors: ['INVALID_TOKEN', 'TOKEN_EXPIRED', 'CONFLICT', 'FAIR_USE_LIMIT_REACHED'],
    responses: { 200: enrolResponse },
    handle: async (ctx, { body }) => {
      const { response, audit } = await enrolProbe(deps, ctx, body);
      return { ...ok(response), audit };
    },
  });
}
