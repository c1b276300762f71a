import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evidenceOf } from '../../controller/evidence/evidence.ts';
import { EvidenceStore } from '../../controller/evidence/store.ts';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import type { EvidenceMessage } from '../../shared/contracts/evidence.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { evidenceMessage, goodResponse, noResponseEvidence } from '../helpers/evidence.ts';
import { incidentBody, makeIncidentApp, type IncidentApp } from '../helpers/incident-app.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
let rig: IncidentApp;
let tenant: Tenant;
let owner: ApiClient;

beforeAll(async () => {
  rig = await makeIncidentApp();
  tenant = await newTenant(rig.app);
  owner = tenant.owner.client;
});
afterAll(() => rig.app.close());

/** Stores evidence from probes of these regions about a monitor of the tenant. */
async function store(messages: EvidenceMessage[], region = 'eu', of = tenant): Promise<void> {
  const owned = { organization_id: of.organizationId, project_id: of.projectId } as MonitorDoc;
  const from = { region, probeId: `probe-${region}` };
  await new EvidenceStore(rig.app.db).add(messages.map((message) =>
    evidenceOf({ from, message, size: 1, at: message.checked_at, shiftMs: 0 }, owned)));
}

const read = async (path: string, client = owner): Promise<Loose[]> => (await client.get(path)).data.evidence;
const instants = (found: Loose[]): number[] => found.map((one) => one.checked_at);

describe('the evidence of a monitor', () => {
  test('shows the response to a failed check, next to the latest good one', async () => {
    const id = await rig.monitor(tenant);
    const at = rig.clock.now();
    await store([evidenceMessage(id, at)]);
    const facts = {
      subject: 'CN=shop.example', issuer: 'CN=CA', names: [], more_names: 0, valid_from: null,
      fingerprint_sha256: 'AA', is_trusted: true, problem: null, protocol: 'TLSv1.3', key: '',
    };
    const good = goodResponse(at - MINUTE_MS);
    expect(await read(`/api/monitors/${id}/evidence`)).toEqual([{
      region: 'eu', probe_id: 'probe-eu', checked_at: at,
      error: { type: 'status_code', layer: 'response', message: 'Expected 200, got 503' },
      remote_address: '192.0.2.7', addresses: ['192.0.2.7', '2001:db8::7'],
      status_line: 'HTTP/1.1 503 Service Unavailable',
      headers: [{ name: 'set-cookie', value: '***' }, { name: 'retry-after', value: '30' }],
      body_excerpt: 'Back soon', certificate: { valid_to: at + 86_400_000, ...facts }, timings: good.timings,
      last_good: { ...good, certificate: { valid_to: at - MINUTE_MS + 86_400_000, ...facts } },
    }]);
  });

  test('shows null for missing data', async () => {
    const id = await rig.monitor(tenant);
    await store([noResponseEvidence(id, 1)]);
    expect(await read(`/api/monitors/${id}/evidence`)).toEqual([{
      region: 'eu', probe_id: 'probe-eu', checked_at: 1,
      error: { type: 'connection_error', message: 'Connection refused' },
      remote_address: null, addresses: [], status_line: null, headers: [], body_excerpt: null,
      certificate: null, timings: null, last_good: null,
    }]);
  });

  test('is empty at first, then newest first over all regions, 20 by default and up to 50', async () => {
    const id = await rig.monitor(tenant);
    expect(await read(`/api/monitors/${id}/evidence`)).toEqual([]);
    const other = await rig.monitor(tenant);
    await store([evidenceMessage(other, 99)]);
    await store(Array.from({ length: 30 }, (_, at) => evidenceMessage(id, at * 2)));
    await store(Array.from({ length: 20 }, (_, at) => evidenceMessage(id, at * 2 + 1)), 'us');
    const all = instants(await read(`/api/monitors/${id}/evidence?limit=50`));
    expect(all).toHaveLength(50);
    expect(all).toEqual(all.toSorted((one, next) => next - one));
    expect(instants(await read(`/api/monitors/${id}/evidence`))).toEqual(all.slice(0, 20));
    expect(instants(await read(`/api/monitors/${id}/evidence?limit=1`))).toEqual([58]);
    for (const bad of ['limit=0', 'limit=51', 'limit=1.5', 'limit=x', 'page=1']) {
      expect((await owner.get(`/api/monitors/${id}/evidence?${bad}`)).code, bad).toBe('VALIDATION_ERROR');
    }
  });
});

describe('the evidence of an incident', () => {
  async function incident(monitorId: string | null, startedAt: number): Promise<string> {
    const of = monitorId === null ? {} : { check_id: monitorId };
    const started = { started_at: new Date(startedAt).toISOString() };
    const response = await owner.post('/api/incidents', incidentBody({ ...of, ...started }));
    return response.data.incident.id;
  }

  test('begins one interval before it, because regions differ, and ends when it is resolved', async () => {
    const id = await rig.monitor(tenant);
    const start = rig.clock.now();
    const incidentId = await incident(id, start);
    const resolved = start + 10 * MINUTE_MS;
    await store([
      start - MINUTE_MS - 1, start - MINUTE_MS, start, start + MINUTE_MS, resolved, resolved + SECOND_MS,
    ].map((at) => evidenceMessage(id, at)));
    await rig.clock.advance(9 * MINUTE_MS);
    const path = `/api/incidents/${incidentId}/evidence`;
    expect(instants(await read(path))).toEqual([start + MINUTE_MS, start, start - MINUTE_MS]);
    await rig.clock.advance(MINUTE_MS);
    await owner.put(`/api/incidents/${incidentId}/status`, { status: 'resolved' });
    await rig.clock.advance(MINUTE_MS);
    const throughout = [resolved, start + MINUTE_MS, start, start - MINUTE_MS];
    expect(instants(await read(path))).toEqual(throughout);
    await owner.delete(`/api/monitors/${id}`);
    expect((await owner.get(`/api/monitors/${id}/evidence`)).code).toBe('MONITOR_NOT_FOUND');
    expect(instants(await read(path)), 'after the monitor is deleted').toEqual(throughout);
    expect((await owner.get(`${path}?limit=1`)).code).toBe('VALIDATION_ERROR');
  });

  test('is empty if it has no monitor', async () => {
    const id = await rig.monitor(tenant);
    await store([evidenceMessage(id, rig.clock.now())]);
    const manual = await incident(null, rig.clock.now());
    expect(await read(`/api/incidents/${manual}/evidence`)).toEqual([]);
  });
});

test('only editors can read evidence, because targets may echo what was sent to them', async () => {
  const id = await rig.monitor(tenant);
  await store([evidenceMessage(id, rig.clock.now(), { body_excerpt: 'canary' })]);
  const of = incidentBody({ check_id: id, started_at: new Date(rig.clock.now()).toISOString() });
  const { incident } = (await owner.post('/api/incidents', of)).data;
  const paths = [`/api/monitors/${id}/evidence`, `/api/incidents/${incident.id}/evidence`];
  const viewer = (await newMember(rig.app, tenant, 'viewer')).client;
  const member = (await newMember(rig.app, tenant, 'member')).client;
  const outsider = await newTenant(rig.app);
  for (const path of paths) {
    for (const client of [tenant.writeKey, member, owner]) {
      expect((await read(path, client))[0]).toMatchObject({ body_excerpt: 'canary' });
    }
    for (const client of [tenant.readKey, viewer]) {
      const response = await client.get(path);
      expect(response.code).toBe('INSUFFICIENT_PERMISSIONS');
      expect(response.text).not.toContain('canary');
    }
    for (const client of [outsider.writeKey, outsider.owner.client]) {
      const response = await client.get(path);
      expect(response.code).toBe(path.includes('monitors') ? 'MONITOR_NOT_FOUND' : 'RESOURCE_NOT_FOUND');
    }
  }
  // Both have the same id, unlike real monitors: the owner of the evidence decides, not just the id.
  await store([evidenceMessage(id, rig.clock.now() - 1, { body_excerpt: 'of another tenant' })], 'eu', outsider);
  for (const path of paths) expect(await read(path)).toHaveLength(1);
});
