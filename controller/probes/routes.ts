import { z } from 'zod';
import { enrolAnswer, enrolRequest } from '../../shared/contracts/enrolment.ts';
import { idParams } from '../http/params.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { enrolProbe, type EnrolmentDeps } from './enrolment.ts';
import { changeRegion, createRegion, deleteRegion, listRegions } from './verbs/regions.ts';
import { probeChange, probeInput, probeView, regionChange, regionInput, regionParams, regionView } from './schema.ts';
import { changeProbe, createProbe, deleteProbe, listProbes, readProbe, type FleetDeps } from './verbs/probes.ts';

const member = { access: 'account', organization: 'viewer' } as const;
const message = z.object({ message: z.string() });
const oneRegion = z.object({ region: regionView });
const oneProbe = z.object({ probe: probeView });

/** Regions, their probes, and how a probe enrols. */
export function fleetRoutes(deps: FleetDeps & { enrolment: EnrolmentDeps }): Route[] {
  return [...regionRoutes(deps), ...probeRoutes(deps), enrolRoute(deps.enrolment)];
}

/** The same partial change by either method. */
const changes = ['PATCH', 'PUT'] as const;

function regionRoutes(deps: FleetDeps): Route[] {
  const tag = 'Regions';
  return [
    defineRoute({
      method: 'GET', path: '/api/regions', summary: 'List the regions that can run checks', tag,
      auth: { ...member, keys: true },
      answers: { 200: z.object({ regions: z.array(regionView) }) },
      handle: async (ctx) => ({ status: 200, data: { regions: await listRegions(deps, ctx) } }),
    }),
    defineRoute({
      method: 'POST', path: '/api/regions', audit: 'region.created', summary: 'Create a region', tag, auth: member, body: regionInput,
      answers: { 201: oneRegion }, errors: ['RESOURCE_ALREADY_EXISTS', 'INSUFFICIENT_PERMISSIONS'],
      handle: async (ctx, { body }) => ({ status: 201, data: { region: await createRegion(deps, ctx, body) } }),
    }),
    ...changes.map((method) => changeRegionRoute(deps, method)),
    defineRoute({
      method: 'DELETE', path: '/api/regions/:id', audit: 'region.deleted', summary: 'Delete a region without probes', tag, auth: member, params: regionParams,
      answers: { 200: message }, errors: ['RESOURCE_NOT_FOUND', 'CONFLICT', 'INSUFFICIENT_PERMISSIONS'],
      handle: async (ctx, { params }) => {
        await deleteRegion(deps, ctx, params.id);
        return { status: 200, data: { message: 'Region deleted' } };
      },
    }),
  ];
}

function probeRoutes(deps: FleetDeps): Route[] {
  const tag = 'Probes';
  return [
    defineRoute({
      method: 'GET', path: '/api/probes', summary: 'List probes', tag, auth: member,
      answers: { 200: z.object({ probes: z.array(probeView) }) },
      handle: async (ctx) => ({ status: 200, data: { probes: await listProbes(deps, ctx) } }),
    }),
    defineRoute({
      method: 'POST', path: '/api/probes', audit: 'probe.created', summary: 'Register a probe and get its enrolment token', tag, auth: member, body: probeInput,
      answers: { 201: oneProbe.extend({ enrolment_token: z.string() }) },
      errors: ['RESOURCE_NOT_FOUND', 'RESOURCE_ALREADY_EXISTS', 'INSUFFICIENT_PERMISSIONS'],
      handle: async (ctx, { body }) => {
        const { probe, token } = await createProbe(deps, ctx, body);
        return { status: 201, data: { probe, enrolment_token: token } };
      },
    }),
    defineRoute({
      method: 'GET', path: '/api/probes/:id', summary: 'Read a probe', tag, auth: member, params: idParams,
      answers: { 200: oneProbe }, errors: ['RESOURCE_NOT_FOUND'],
      handle: async (ctx, { params }) => ({ status: 200, data: { probe: await readProbe(deps, ctx, params.id) } }),
    }),
    ...changes.map((method) => changeProbeRoute(deps, method)),
    defineRoute({
      method: 'DELETE', path: '/api/probes/:id', audit: 'probe.deleted', summary: 'Delete a probe and revoke its identity at once', tag, auth: member, params: idParams,
      answers: { 200: message }, errors: ['RESOURCE_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS'],
      handle: async (ctx, { params }) => {
        await deleteProbe(deps, ctx, params.id);
        return { status: 200, data: { message: 'Probe deleted' } };
      },
    }),
  ];
}

function changeRegionRoute(deps: FleetDeps, method: 'PATCH' | 'PUT'): Route {
  return defineRoute({
    method, path: '/api/regions/:id', audit: 'region.changed', summary: 'Change a region', tag: 'Regions', auth: member, params: regionParams, body: regionChange,
    answers: { 200: oneRegion }, errors: ['RESOURCE_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS'],
    handle: async (ctx, { params, body }) => ({ status: 200, data: { region: await changeRegion(deps, ctx, params.id, body) } }),
  });
}

function changeProbeRoute(deps: FleetDeps, method: 'PATCH' | 'PUT'): Route {
  return defineRoute({
    method, path: '/api/probes/:id', audit: 'probe.changed', summary: 'Rename or drain a probe', tag: 'Probes', auth: member, params: idParams, body: probeChange,
    answers: { 200: oneProbe }, errors: ['RESOURCE_NOT_FOUND', 'RESOURCE_ALREADY_EXISTS', 'INSUFFICIENT_PERMISSIONS'],
    handle: async (ctx, { params, body }) => ({ status: 200, data: { probe: await changeProbe(deps, ctx, params.id, body) } }),
  });
}

function enrolRoute(deps: EnrolmentDeps): Route {
  return defineRoute({
    method: 'POST', path: '/api/probes/enrol', summary: 'Exchange an enrolment token for an identity', tag: 'Probes',
    description: 'Called by a probe. The token is the only credential; it is valid once, for 15 minutes.',
    auth: { access: 'public' }, body: enrolRequest,
    answers: { 200: enrolAnswer }, errors: ['INVALID_TOKEN', 'TOKEN_EXPIRED', 'CONFLICT'],
    handle: async (ctx, { body }) => ({ status: 200, data: await enrolProbe(deps, ctx, body) }),
  });
}
