import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DiagnosisDoc } from '../../controller/diagnosis/diagnosis.ts';
import type { IncidentOpening } from '../../controller/verdicts/effect.ts';
import { newId } from '../../shared/ids.ts';
import { monitorConfig } from '../helpers/delivery-rig.ts';
import { certificate, connection, failing, NOW, REFUSED, TARGET } from '../helpers/examinations.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await makeApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  tenant = await newTenant(app);
});

async function openIncident(): Promise<IncidentOpening> {
  const { organizationId: organization_id, projectId: project_id } = tenant;
  const opening: IncidentOpening = {
    id: newId(Date.now()), monitor: monitorConfig({ organization_id, project_id }), severity: 'major', type: 'timeout',
    error_message: 'No response', affected_regions: ['osaka'], failure_count: 2, started_at: Date.now(),
  };
  await app.controller.incidents.outbox.open(opening);
  return opening;
}

function diagnosisOf({ monitor: { monitor_id } }: IncidentOpening, change: Partial<DiagnosisDoc> = {}): DiagnosisDoc {
  const tls = certificate({ problem: 'CERT_HAS_EXPIRED', valid_to: NOW });
  const { region, probe_id, examination } = failing('Osaka', REFUSED, {
    connections: [connection('refused'), connection('open', '2001:db8::7', tls)],
  });
  return {
    _id: newId(Date.now()), organization_id: tenant.organizationId, project_id: tenant.projectId, monitor_id,
    classification: 'target', summary: 'The target refuses connections.', decided_by: ['Osaka: refused.'],
    failed_at: Date.now(), diagnosed_at: Date.now(), regions: [{ region, probe_id, examination }], ...change,
  };
}

describe('the diagnosis of an incident', () => {
  test('is found once there is one, by the project alone, with what the probes found out', async () => {
    const opening = await openIncident();
    const path = `/api/incidents/${opening.id}/diagnosis`;
    expect((await tenant.readKey.get(path)).code).toBe('RESOURCE_NOT_FOUND');
    expect((await tenant.readKey.get(`/api/incidents/${opening.id}`)).data.incident.diagnosis).toBeNull();
    const doc = diagnosisOf(opening);
    const { diagnoses, incidents } = app.controller.stores;
    await diagnoses.insert(doc);
    await incidents.setDiagnosis([opening.id], { id: doc._id, classification: doc.classification, summary: doc.summary });
    expect((await tenant.readKey.get(path)).data).toEqual({ diagnosis: {
      classification: 'target', summary: 'The target refuses connections.', decided_by: ['Osaka: refused.'],
      diagnosed_at: doc.diagnosed_at,
      regions: [{
        region: 'osaka', probe_id: 'probe-Osaka', sees: 'down', addresses: [TARGET],
        resolvers: [{ server: '192.0.2.53', answer: [TARGET], error: null }],
        path: doc.regions[0]?.examination.path.hops, families: { ipv4: 'down', ipv6: 'up' },
        tls: { protocol: 'TLSv1.3', issuer: 'CA', valid_to: NOW, problem: 'CERT_HAS_EXPIRED' },
      }],
    } });
    const [listed] = (await tenant.readKey.get('/api/incidents')).data.incidents;
    expect(listed.diagnosis).toEqual({ classification: 'target', summary: 'The target refuses connections.' });
    const stranger = await newTenant(app);
    expect((await stranger.readKey.get(path)).code).toBe('RESOURCE_NOT_FOUND');
  });

  test('is that of the monitor in the ten minutes before it opened, unless that was healthy', async () => {
    const { diagnoses } = app.controller.stores;
    const opening = await openIncident();
    const ofNext = async (doc: DiagnosisDoc) => {
      await diagnoses.insert(doc);
      const next = { ...opening, id: newId(Date.now()) };
      await app.controller.incidents.outbox.open(next);
      return (await tenant.readKey.get(`/api/incidents/${next.id}`)).data.incident.diagnosis?.classification;
    };
    expect(await ofNext(diagnosisOf(opening, { diagnosed_at: Date.now() - 600_000 }))).toBeUndefined();
    expect(await ofNext(diagnosisOf(opening, { diagnosed_at: Date.now() - 500_000 }))).toBe('target');
    expect(await ofNext(diagnosisOf(opening, { is_healthy: true }))).toBeUndefined();
  });

  test('is removed with the incidents that the plan no longer keeps', async () => {
    const { diagnoses, diagnosisTurns } = app.controller.stores;
    const doc = diagnosisOf(await openIncident());
    await diagnoses.insert(doc);
    const owner = { organizationId: tenant.organizationId, projectId: tenant.projectId };
    await diagnoses.removeOlder(owner.organizationId, doc.failed_at);
    expect(await diagnoses.find(owner, doc._id)).toEqual(doc);
    await diagnoses.removeOlder(owner.organizationId, doc.failed_at + 1);
    expect(await diagnoses.find(owner, doc._id)).toBeNull();
    expect(await diagnosisTurns.take(owner, doc.monitor_id, 1000)).toBe(true);
    expect(await diagnosisTurns.take(owner, doc.monitor_id, 600_999)).toBe(false);
    expect(await diagnosisTurns.take(owner, doc.monitor_id, 601_000)).toBe(true);
    await diagnosisTurns.giveBack(doc.monitor_id, 1000);
    expect(await diagnosisTurns.take(owner, doc.monitor_id, 601_001)).toBe(false);
    await diagnosisTurns.giveBack(doc.monitor_id, 601_000);
    expect(await diagnosisTurns.take(owner, doc.monitor_id, 601_001)).toBe(true);
  });
});

describe('a requested diagnosis', () => {
  const create = async (body: object) => (await tenant.owner.client.post('/api/monitors', {
    name: 'Shop', interval_seconds: 300, ...body,
  })).data.monitor.id as string;

  test('says so if no probe can examine the target, and is not kept', async () => {
    const id = await create({ type: 'HTTP', target: 'https://shop.example/' });
    const { status, data } = await tenant.writeKey.post(`/api/monitors/${id}/diagnose`);
    expect([status, data.diagnosis]).toMatchObject([200, {
      classification: 'unknown', summary: 'No probe could examine the target.', regions: [],
    }]);
    const owner = { organizationId: tenant.organizationId, projectId: tenant.projectId };
    expect(await app.controller.stores.diagnoses.latest(owner, id, Date.now())).toBeNull();
  });

  test('is the last one within ten minutes', async () => {
    const id = await create({ type: 'HTTP', target: 'https://shop.example/' });
    const opening = await openIncident();
    const doc = diagnosisOf(opening, { monitor_id: id });
    await app.controller.stores.diagnoses.insert(doc);
    const { data } = await tenant.writeKey.post(`/api/monitors/${id}/diagnose`);
    expect(data.diagnosis).toMatchObject({ classification: 'target', diagnosed_at: doc.diagnosed_at });
  });

  test('is for targets that are checked, of the own project', async () => {
    const heartbeat = await create({ type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 60, interval_seconds: undefined });
    expect((await tenant.writeKey.post(`/api/monitors/${heartbeat}/diagnose`)).code).toBe('VALIDATION_FAILED');
    const stranger = await newTenant(app);
    expect((await stranger.writeKey.post(`/api/monitors/${heartbeat}/diagnose`)).code).toBe('MONITOR_NOT_FOUND');
  });
});
