import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programFile } from '../bundle.mjs';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { until } from '../helpers/until.ts';
import { startNameServer, type TestNameServer } from '../unit/probe/checks/dns/name-server.ts';
import { TYPE_NUMBERS } from '../../probe/checks/dns/record-data.ts';
import { wireMessage, wireRecord } from '../unit/probe/checks/dns/wire.ts';
import { issue } from '../unit/probe/checks/certificates.ts';
import { ProbeProcess } from './probe/probe-process.ts';

interface Change {
  at: number;
  regions: string[];
  kind: string;
  before: string[];
  after: string[];
}

const NAME = 'shop.example.com';
const SECRET = 'hidden-edge-7';
const dir = mkdtempSync(join(tmpdir(), 'farwatch-changes-'));
let rig: ControllerRig;
let probe: ProbeProcess;
let names: TestNameServer;
let server: Server;
/** What the target is like now. */
const now = { addresses: ['127.0.0.1'], server: 'one', path: '/home', status: 200, via: null as string | null };

beforeAll(async () => {
  server = createServer(certificate(), (request, response) => {
    const { status, path } = now;
    if (request.url === '/') return void response.writeHead(302, { location: `${path}?session=${Math.random()}` }).end();
    const via = now.via === null ? {} : { via: now.via };
    response.writeHead(status, { server: now.server, ...via, date: new Date().toUTCString() }).end('ok');
  }).listen(0, '0.0.0.0');
  await once(server, 'listening');
  names = await startNameServer(({ id, section, type, send }) => {
    const data = (address: string) => Buffer.from(address.split('.').map(Number));
    const records = type === 'A' ? now.addresses.map((one) => wireRecord({ type: TYPE_NUMBERS.A, data: data(one) })) : [];
    send(wireMessage({ id, question: section, records }));
  });
  rig = await startControllerRig();
  const { enrolment_token: token } =
    await rig.session.ok<{ enrolment_token: string }>('POST', '/api/probes', { region_id: 'local', name: 'p' });
  probe = new ProbeProcess(
    await programFile('probe'), dir, ['--controller', rig.controller.url, '--token', token],
    { PROBE_DNS_SERVERS: `127.0.0.1:${names.port}` },
  );
  await probe.connected();
});
afterAll(async () => {
  await probe?.end('SIGKILL');
  await rig?.stop();
  await names?.close();
  server?.close();
  rmSync(dir, { recursive: true, force: true });
});

function certificate() {
  const { cert, key } = issue({ name: NAME, hosts: [NAME] });
  return { cert, key };
}

async function createMonitor(more: object = {}): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const { monitor } = await rig.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
    name: 'Shop', type: 'HTTP', target: `https://${NAME}:${port}/`, interval_seconds: 1,
    http_config: { verify_ssl: false }, confirmation_policy: { retries: 0 }, ...more,
  });
  await until(async () => await checksOf(monitor.id) >= 2, { what: 'two checks' });
  return monitor.id;
}

async function checksOf(id: string): Promise<number> {
  return (await rig.session.ok<{ results: unknown[] }>('GET', `/api/monitors/${id}/results?limit=100`)).results.length;
}

async function changesOf(id: string): Promise<Change[]> {
  return (await rig.session.ok<{ changes: Change[] }>('GET', `/api/monitors/${id}/changes`)).changes;
}

/** Changes the target, and waits for what is found. */
async function changed(id: string, to: Partial<typeof now>): Promise<Pick<Change, 'kind' | 'before' | 'after'>> {
  const count = (await changesOf(id)).length;
  Object.assign(now, to);
  const found = await until(async () => {
    const changes = await changesOf(id);
    return changes.length > count && changes;
  }, { what: `a change to ${JSON.stringify(to)}` });
  expect(found).toHaveLength(count + 1);
  const [{ kind, before, after, regions }] = found as [Change];
  expect(regions).toEqual(['local']);
  return { kind, before, after };
}

test('what changes at a target is found once by its checks, and listed with the incident that follows', async () => {
  const { port } = server.address() as AddressInfo;
  const id = await createMonitor();
  expect(await changesOf(id)).toEqual([]);
  expect(await changed(id, { addresses: ['127.0.0.2', '127.0.0.3'] })).toEqual(
    { kind: 'addresses', before: ['127.0.0.1'], after: ['127.0.0.2', '127.0.0.3'] },
  );
  expect(await changed(id, { server: 'two' })).toEqual({ kind: 'header', before: ['server: one'], after: ['server: two'] });
  expect(await changed(id, { path: '/new' })).toEqual({
    kind: 'redirects', before: [`https://${NAME}:${port}/home`], after: [`https://${NAME}:${port}/new`],
  });
  server.setSecureContext(certificate());
  expect((await changed(id, {})).kind).toBe('certificate');
  Object.assign(now, { addresses: ['127.0.0.3', '127.0.0.2'], server: 'one', path: '/home' });
  await rig.session.ok('POST', '/api/markers', { text: 'v1.2', monitor_ids: [id] });
  Object.assign(now, { status: 503, server: 'balancer' });
  const incident = await until(async () => {
    const { incidents } = await rig.session.ok<{ incidents: { id: string }[] }>('GET', `/api/incidents?check_id=${id}`);
    return incidents[0];
  }, { what: 'the incident' });
  const { incident: { changes } } =
    await rig.session.ok<{ incident: { changes: Change[] } }>('GET', `/api/incidents/${incident.id}`);
  expect(changes.map(({ kind }) => kind)).toEqual(['marker', 'certificate', 'redirects', 'header', 'addresses']);
  expect(changes).toEqual(await changesOf(id));
});

test('a header does not show the value of a secret variable', async () => {
  Object.assign(now, { status: 200, server: 'one', via: `1.1 ${SECRET}` });
  const { projects } = await rig.session.ok<{ projects: { id: string }[] }>('GET', '/api/projects');
  await rig.session.ok('POST', `/api/projects/${projects[0]?.id}/variables`, { name: 'edge', value: SECRET, is_secret: true });
  const id = await createMonitor({ http_config: { verify_ssl: false, headers: { 'X-Edge': '{{edge}}' } } });
  expect(await changed(id, { via: `2 ${SECRET}` })).toEqual({ kind: 'header', before: ['via: 1.1 ***'], after: ['via: 2 ***'] });
});
