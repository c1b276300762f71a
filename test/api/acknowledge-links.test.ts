import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AcknowledgeTokens } from '../../controller/access/link-tokens.ts';
import { newId } from '../../shared/ids.ts';
import type { Loose } from '../helpers/api-client.ts';
import { monitorConfig } from '../helpers/delivery-rig.ts';
import { makeIncidentApp, type IncidentApp } from '../helpers/incident-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

let rig: IncidentApp;
let tokens: AcknowledgeTokens;
let tenant: Tenant;
/** An open incident of the tenant, and a destination that was alerted of it. */
let incidentId: string;
let destinationId: string;
const ADDRESS = 'ops@example.com';

beforeAll(async () => {
  rig = await makeIncidentApp();
  tokens = new AcknowledgeTokens(rig.app.accounts.acknowledgeKeys);
});
afterAll(() => rig.app.close());
beforeEach(async () => {
  tenant = await newTenant(rig.app);
  incidentId = await openIncident();
  const body = { name: 'Night shift', type: 'email', config: { to: [ADDRESS, 'second@example.com'] } };
  destinationId = ((await tenant.owner.client.post('/api/integrations', body)).data as Loose).integration.id;
});

async function openIncident(): Promise<string> {
  const { organizationId: organization_id, projectId: project_id } = tenant;
  const monitor = monitorConfig({ organization_id, project_id, name: 'Shop <1>' });
  const id = newId(Date.now());
  await rig.incidents.outbox.open({
    id, monitor, severity: 'critical', type: 'timeout', error_message: 'No response in 10 s',
    affected_regions: ['eu'], failure_count: 2, started_at: rig.clock.now(),
  });
  return id;
}
const tokenOf = (recipient = ADDRESS, id = incidentId) => tokens.issue({ incidentId: id, destinationId, recipient });
const acknowledge = (token: string) => rig.app.client.post('/api/public/incidents/acknowledge', { token });
const pageOf = (token: string, method = 'GET', headers = {}) =>
  rig.app.client.send(method, `/acknowledge?token=${token}`, { headers });
const incident = async () => ((await tenant.owner.client.get(`/api/incidents/${incidentId}`)).data as Loose).incident;
const setStatus = (status: string) => tenant.owner.client.put(`/api/incidents/${incidentId}/status`, { status });

describe('the link in an alert', () => {
  test('acknowledges its incident once, and the history says who did', async () => {
    const done = await acknowledge(tokenOf());
    expect([done.status, done.data]).toEqual([200, { incident: { id: incidentId, status: 'acknowledged' } }]);
    expect((await acknowledge(tokenOf())).data).toEqual(done.data);
    expect((await acknowledge(tokenOf('second@example.com'))).data).toEqual(done.data);
    const name = `Night shift (${ADDRESS})`;
    expect(await incident()).toMatchObject({ status: 'acknowledged', acknowledged_by_name: name, assignee_id: null });
    const { data } = await tenant.owner.client.get(`/api/incidents/${incidentId}/updates`);
    expect((data as Loose).updates.slice(1)).toMatchObject([
      { kind: 'status_change', to: 'acknowledged', actor: { type: 'destination', id: destinationId, name } },
    ]);
    const audit = await tenant.owner.client.get('/api/audit-log?action=incident.acknowledged');
    expect((audit.data as Loose).entries).toMatchObject([
      { actor: { type: 'none', id: null, name }, resource: { id: incidentId } },
    ]);
  });

  test('opens a page that changes nothing, and whose form acknowledges without a script', async () => {
    const token = tokenOf();
    for (const method of ['HEAD', 'GET']) await pageOf(token, method);
    const page = await pageOf(token);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.text).toContain('Shop &#60;1&#62; is down');
    expect(page.text).toContain('No response in 10 s');
    expect(page.text).toContain('prefers-color-scheme: dark');
    expect(page.text).not.toMatch(/<script|https?:/);
    expect((await incident()).status).toBe('open');

    const action = /<form method="post" action="([^"]+)">/.exec(page.text)?.[1] ?? '';
    const { pathname, search } = new URL(action, `${rig.app.url}/acknowledge`);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const done = await rig.app.client.send('POST', `${pathname}${search}`, { rawBody: '', headers });
    expect([done.status, done.text.includes('<form')], done.text).toEqual([200, false]);
    expect(done.text).toContain(`Acknowledged by Night shift (${ADDRESS}).`);
    expect((await incident()).status).toBe('acknowledged');
    expect((await pageOf(token)).text).toContain('Acknowledged by');
  });

  test('opens a German page for a reader who prefers German', async () => {
    const page = await pageOf(tokenOf(), 'GET', { 'accept-language': 'de' });
    expect(page.headers.get('content-language')).toBe('de');
    expect(page.text).toContain('Diesen Vorfall bestätigen?');
  });

  test.each(['resolved', 'closed'])('ends with its incident, once it is %s', async (status) => {
    await setStatus('resolved');
    if (status === 'closed') await setStatus('closed');
    const refused = await acknowledge(tokenOf());
    expect([refused.status, refused.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(refused.error.message).toContain('has ended');
    for (const method of ['GET', 'POST']) {
      const page = await pageOf(tokenOf(), method);
      expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    }
    expect((await incident()).status).toBe(status);
  });

  test('is refused if it is incomplete, forged or for an unknown incident', async () => {
    const token = tokenOf();
    const [payload, signature] = [token.split('.')[0], tokenOf(ADDRESS, newId(1)).split('.')[1]];
    for (const wrong of ['', token.slice(0, -2), `${payload}.${signature}`, tokenOf(ADDRESS, newId(1)), 'x'.repeat(900)]) {
      expect([(await acknowledge(wrong)).code, (await pageOf(wrong)).status], wrong).toEqual(['VALIDATION_ERROR', 400]);
    }
    expect((await incident()).status).toBe('open');
  });

  test('ends for an address that was removed, and with the destination', async () => {
    const client = tenant.owner.client;
    await client.patch(`/api/integrations/${destinationId}`, { config: { to: ['second@example.com'] } });
    expect((await acknowledge(tokenOf())).code).toBe('VALIDATION_ERROR');
    expect((await pageOf(tokenOf('second@example.com'))).status).toBe(200);
    await client.delete(`/api/integrations/${destinationId}`);
    expect((await acknowledge(tokenOf('second@example.com'))).code).toBe('VALIDATION_ERROR');
    expect((await incident()).status).toBe('open');
  });
});
