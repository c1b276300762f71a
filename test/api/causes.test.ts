import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { IncidentOpening } from '../../controller/verdicts/effect.ts';
import { newId } from '../../shared/ids.ts';
import { isoTime } from '../../shared/time.ts';
import type { Loose } from '../helpers/api-client.ts';
import { monitorConfig } from '../helpers/delivery-rig.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

const T0 = Date.UTC(2026, 5, 1, 12);
const MINUTE_MS = 60_000;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await makeApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await newTenant(app);
});

/** Outages that begin a second apart, of monitors with nothing but this feature, in these projects. */
async function outagesOf(
  feature: string, from: number, projects = Array.from({ length: 3 }, () => tenant.projectId),
): Promise<IncidentOpening[]> {
  const { organizationId: organization_id } = tenant;
  const openings = projects.map((project_id, at): IncidentOpening => ({
    id: newId(from), monitor: monitorConfig({ organization_id, project_id }), severity: 'major', type: 'timeout',
    error_message: 'No response', affected_regions: ['eu'], failure_count: 2, started_at: from + at * 1000,
    features: [feature],
  }));
  const { features } = app.controller.stores;
  for (const { monitor: { monitor_id } } of openings) {
    await features.save({ monitor_id, organization_id, features: [feature], position: 1 });
  }
  for (const one of openings) await app.controller.incidents.outbox.open(one);
  return openings;
}

async function end(openings: IncidentOpening[], resolved_at: number): Promise<void> {
  for (const { id, monitor } of openings) {
    await app.controller.incidents.outbox.resolve({ id, monitor, resolved_at, failure_count: 2 });
  }
}

const idsOf = (openings: IncidentOpening[]) => ({
  monitor_ids: openings.map(({ monitor }) => monitor.monitor_id), incident_ids: openings.map(({ id }) => id),
});
const list = async (query = '', by = tenant.readKey): Promise<Loose> => (await by.get(`/api/causes${query}`)).data;

describe('causes', () => {
  test('are listed with their monitors and incidents, newest first, by status and by page', async () => {
    const earlier = await outagesOf('address:192.0.2.7', T0);
    const later = await outagesOf('name_server:192.0.2.53', T0 + 10 * MINUTE_MS);
    await outagesOf('network:192.0.2.0/24', T0 + 20 * MINUTE_MS, [tenant.projectId]);
    await end(earlier, T0 + 5 * MINUTE_MS);
    const { causes, pagination } = await list();
    expect(causes).toEqual([
      {
        id: expect.any(String), kind: 'name_server', value: '192.0.2.53', ...idsOf(later),
        started_at: isoTime(T0 + 10 * MINUTE_MS), ended_at: null,
      },
      {
        id: expect.any(String), kind: 'address', value: '192.0.2.7', ...idsOf(earlier),
        started_at: isoTime(T0), ended_at: isoTime(T0 + 5 * MINUTE_MS),
      },
    ]);
    expect(pagination).toEqual({ page: 1, limit: 20, total_count: 2, has_more: false });
    const [open, ended] = causes;
    expect((await list('?status=open')).causes).toEqual([open]);
    expect((await list('?status=ended')).causes).toEqual([ended]);
    expect(await list('?limit=1')).toEqual({ causes: [open], pagination: { page: 1, limit: 1, total_count: 2, has_more: true } });
    expect((await list('?limit=1&page=2')).causes).toEqual([ended]);
    expect((await tenant.readKey.get('/api/causes?status=over')).code).toBe('VALIDATION_ERROR');
  });

  test('end with the last of their incidents', async () => {
    const [first, ...others] = await outagesOf('address:192.0.2.7', T0) as [IncidentOpening, ...IncidentOpening[]];
    await end(others, T0 + 5 * MINUTE_MS);
    expect((await list('?status=ended')).causes).toEqual([]);
    const { status } = await tenant.owner.client.put(`/api/incidents/${first.id}/status`, { status: 'resolved' });
    expect(status).toBe(200);
    expect((await list('?status=ended')).causes).toMatchObject([idsOf([first, ...others])]);
    expect((await list('?status=open')).causes).toEqual([]);
  });

  test('have the id that their incidents name, under which they are read', async () => {
    const openings = await outagesOf('address:192.0.2.7', T0);
    const { causes: [cause] } = await list();
    expect((await tenant.readKey.get(`/api/causes/${cause.id}`)).data.cause).toEqual(cause);
    for (const { id } of openings) {
      expect((await tenant.readKey.get(`/api/incidents/${id}`)).data.incident.cause_id).toBe(cause.id);
    }
  });

  test('of another organization do not exist', async () => {
    await outagesOf('address:192.0.2.7', T0);
    const { causes: [cause] } = await list();
    const stranger = await newTenant(app);
    expect((await list('', stranger.readKey)).causes).toEqual([]);
    for (const id of [cause.id, randomUUID()]) {
      const { status, code } = await stranger.readKey.get(`/api/causes/${id}`);
      expect([status, code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    }
  });

  test('that several projects share show each only its own monitors and incidents', async () => {
    const project = async (name: string): Promise<string> =>
      (await tenant.owner.client.post('/api/projects', { name })).data.project.id;
    const [second, third] = [await project('Second'), await project('Third')];
    const all = await outagesOf('address:192.0.2.7', T0, [tenant.projectId, second, second]);
    const from = (id: string) => tenant.readKey.with({ 'x-project-id': id });
    const { causes: [cause] } = await list('', from(tenant.projectId));
    expect(cause).toMatchObject(idsOf(all.slice(0, 1)));
    expect((await list('', from(second))).causes).toEqual([{ ...cause, ...idsOf(all.slice(1)) }]);
    expect((await list('', from(third))).causes).toEqual([]);
    expect((await from(third).get(`/api/causes/${cause.id}`)).status).toBe(404);
  });
});
