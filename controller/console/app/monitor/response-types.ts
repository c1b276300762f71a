import type { paths } from '../api/openapi.d.ts';

type Data<P extends keyof paths, M extends 'get' | 'post'> =
  paths[P] extends Record<M, { responses: { 200: { content: { 'application/json': { data: infer D } } } } }> ? D : never;

export type Monitor = Data<'/api/monitors/{id}', 'get'>['monitor'];
export type RegionsResponse = Data<'/api/monitors/{id}/regions', 'get'>;
export type RegionStatus = RegionsResponse['regions'][number];
export type Result = Data<'/api/monitors/{id}/results', 'get'>['results'][number];
export type Evidence = Data<'/api/monitors/{id}/evidence', 'get'>['evidence'][number];
export type Ping = Data<'/api/monitors/{id}/pings', 'get'>['pings'][number];
export type Series = Data<'/api/monitors/{id}/response-times', 'get'>['series'];
export type StatusSpan = Data<'/api/monitors/{id}/status-history', 'get'>['history'][number];
export type Simulation = Data<'/api/monitors/{id}/simulate', 'post'>;
