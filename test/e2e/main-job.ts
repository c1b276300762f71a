import { createHmac } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Load } from '../faults/load.ts';
import type { ApiSession } from '../helpers/api-session.ts';
import type { ReceivedRequest, Receiver } from '../helpers/receiver.ts';
import type { Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import { passTime } from '../helpers/pass-time.ts';

interface MonitorView {
  id: string;
  runtimeStatus: string;
}

interface IncidentView {
  id: string;
  status: string;
  started_at: string;
  resolved_at: string | null;
  recovery_time_seconds?: number;
}

const KEY = 'canary-of-the-shop';

/** From an account without monitors to an alert and back. */
export function mainJob(on: { readonly load: Load }): void {
  let target: Target;
  let receiver: Receiver;
  let session: ApiSession;
  let monitor: MonitorView;
  let secret = '';

  beforeAll(() => {
    ({ target, receiver, session } = on.load);
  });

  const read = async (): Promise<MonitorView> =>
    (await session.ok<{ monitor: MonitorView }>('GET', `/api/monitors/${monitor.id}`)).monitor;
  const incidents = async (): Promise<IncidentView[]> =>
    (await session.ok<{ incidents: IncidentView[] }>(
      'GET', `/api/incidents?check_id=${monitor.id}`,
    )).incidents;
  const received = (event: string): ReceivedRequest[] =>
    receiver.requests.filter((request) => request.headers['x-service-event'] === event);

  test('a new monitor is checked immediately and is up', async () => {
    const { integrations: [integration] } =
      await session.ok<{ integrations: { id: string }[] }>('GET', '/api/integrations');
    secret = (await session.ok<{ secret: string }>(
      'GET', `/api/integrations/${integration?.id}/secret`,
    )).secret;
    ({ monitor } = await session.ok<{ monitor: MonitorView }>('POST', '/api/monitors',
      { name: 'Shop', type: 'HTTP', target: target.url, interval_seconds: 2, headers: { 'X-Api-Key': KEY } }));
    await until(async () => (await read()).runtimeStatus === 'up', { what: 'the monitor is up' });
  });

  test('a failing target opens one incident and the receiver gets a signed monitor.down', async () => {
    const headers = { 'set-cookie': 'session=of-the-visitor', 'retry-after': '30' };
    target.respondWith({ status: 503, headers, body: `<h1>Back soon</h1> We got the key ${KEY}` });
    const [down] = await until(
      () => received('monitor.down').length > 0 && received('monitor.down'), { what: 'monitor.down' },
    );
    expectSigned(down as ReceivedRequest, secret);
    const [incident] = await incidents();
    expect(JSON.parse(String(down?.body))).toMatchObject({
      version: '1', event: 'monitor.down',
      monitor: { id: monitor.id, name: 'Shop', url: `${target.url}`, type: 'HTTP' },
      incident: { id: incident?.id, started_at: Date.parse(String(incident?.started_at)), resolved_at: null },
    });
    expect(incident).toMatchObject({
      status: 'open', type: 'status_code', error_message: expect.stringContaining('503'),
      affected_regions: ['local'],
    });
    expect((await read()).runtimeStatus).toBe('down');
  });

  test('the evidence of the incident shows the response next to the latest good one, without secrets', async () => {
    const [incident] = await incidents();
    const { evidence } = await until(async () => {
      const found = await session.ok<{ evidence: object[] }>('GET', `/api/incidents/${incident?.id}/evidence`);
      return found.evidence.length > 0 && found;
    }, { what: 'evidence' });
    expect(evidence.at(-1)).toMatchObject({
      region: 'local', checked_at: Date.parse(String(incident?.started_at)),
      error: { type: 'status_code', message: expect.stringContaining('503') },
      remote_address: '127.0.0.1', status_line: 'HTTP/1.1 503 Service Unavailable',
      headers: expect.arrayContaining([
        { name: 'set-cookie', value: '***' }, { name: 'retry-after', value: '30' },
      ]),
      body_excerpt: '<h1>Back soon</h1> We got the key ***',
      certificate: null,
      last_good: { status_line: 'HTTP/1.1 200 OK', remote_address: '127.0.0.1' },
    });
    expect(JSON.stringify(evidence)).not.toMatch(new RegExp(`${KEY}|of-the-visitor`));
    const { evidence: ofMonitor } = await session.ok('GET', `/api/monitors/${monitor.id}/evidence`);
    expect(ofMonitor).toEqual(expect.arrayContaining(evidence));
  });

  test('recovery resolves the incident with its time and sends monitor.up', async () => {
    target.respondWith({ status: 200 });
    const [up] =
      await until(() => received('monitor.up').length > 0 && received('monitor.up'), { what: 'monitor.up' });
    expectSigned(up as ReceivedRequest, secret);
    const all = await incidents();
    expect(all).toHaveLength(1);
    const incident = all[0] as IncidentView;
    expect(incident.status).toBe('resolved');
    const tookMs = Date.parse(String(incident.resolved_at)) - Date.parse(incident.started_at);
    expect(incident.recovery_time_seconds).toBe(Math.round(tookMs / 1000));
    expect(received('monitor.down')).toHaveLength(1);
    expect(received('monitor.up')).toHaveLength(1);
  });

  test('uptime reflects the duration of the outage', async () => {
    const stats = await session.ok<{
      uptime_percentage: number;
      total_checks: number;
      failed_checks: number;
    }>('GET', `/api/monitors/${monitor.id}/stats`);
    expect(stats.uptime_percentage).toBeGreaterThan(0);
    expect(stats.uptime_percentage).toBeLessThan(100);
    expect(stats.failed_checks).toBeGreaterThanOrEqual(2);
    expect(stats.total_checks).toBeGreaterThan(stats.failed_checks);
  });

  test('a paused monitor is not checked; a resumed one is checked immediately', async () => {
    await session.ok('POST', `/api/monitors/${monitor.id}/pause`);
    await until(async () => (await read()).runtimeStatus === 'paused');
    const settled = await until(async () => {
      const before = target.count;
      await passTime(2500);
      return target.count === before && { count: before };
    }, { what: 'checks have stopped' });
    await session.ok('POST', `/api/monitors/${monitor.id}/resume`);
    await until(() => target.count > settled.count, { what: 'a check after resuming' });
  });

  test('a TCP monitor goes down and up with the response of the service', async () => {
    target.respondWith({ status: 200, body: 'PONG' }, '/ping');
    const { monitor: { id } } = await session.ok<{ monitor: MonitorView }>('POST', '/api/monitors', {
      name: 'Service', type: 'TCP', target: `127.0.0.1:${target.port}`, interval_seconds: 1,
      tcp_config: { send: 'GET /ping HTTP/1.0\\r\\n\\r\\n', expect: '\\r\\nPONG' },
    });
    const becomes = (status: string) => until(async () =>
      (await session.ok<{ monitor: MonitorView }>('GET', `/api/monitors/${id}`)).monitor.runtimeStatus === status,
    { what: `the monitor is ${status}` });
    await becomes('up');
    target.respondWith({ status: 200, body: 'BUSY' }, '/ping');
    await becomes('down');
    const opened = await until(async () => {
      const found =
        (await session.ok<{ incidents: IncidentView[] }>('GET', `/api/incidents?check_id=${id}`)).incidents;
      return found.length > 0 && found;
    }, { what: 'an incident is open' });
    expect(opened).toMatchObject([{
      status: 'open', type: 'keyword_missing',
      error_message: expect.stringContaining('got "HTTP/1.1 200 OK') as string,
    }]);
    target.respondWith({ status: 200, body: 'PONG' }, '/ping');
    await becomes('up');
  });

  test('a KEYWORD monitor goes down and up with the content of the page', async () => {
    const page = (body: string) => target.respondWith({ status: 200, body, headers: { 'content-type': 'text/html' } }, '/words');
    page('<p>Welcome</p>');
    const { monitor: { id } } = await session.ok<{ monitor: MonitorView }>('POST', '/api/monitors', {
      name: 'Words', type: 'KEYWORD', target: `${target.url}/words`, interval_seconds: 1,
      keyword_config: {
        keywords: [{ text: 'welcome' }, { text: 'fatal error', should_contain: false }],
        assertions: [{ source: 'header', property: 'Content-Type', comparison: 'equals', target: 'text/html' }],
      },
    });
    const becomes = (status: string) => until(async () =>
      (await session.ok<{ monitor: MonitorView }>('GET', `/api/monitors/${id}`)).monitor.runtimeStatus === status,
    { what: `the monitor is ${status}` });
    await becomes('up');
    page('<h1>Welcome</h1>Fatal error: out of memory');
    await becomes('down');
    const opened = await until(async () => {
      const found = await session.ok<{ incidents: IncidentView[] }>('GET', `/api/incidents?check_id=${id}`);
      return found.incidents.length > 0 && found.incidents;
    }, { what: 'its incident' });
    expect(opened).toMatchObject([{
      status: 'open', type: 'keyword_missing',
      error_message: expect.stringContaining('the body contains "fatal error"') as string,
    }]);
    page('<p>Welcome back</p>');
    await becomes('up');
  });
}

function expectSigned(request: ReceivedRequest, secret: string): void {
  const timestamp = String(request.headers['x-service-timestamp']);
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(request.body).digest('hex');
  expect(request.headers['x-service-signature']).toBe(`sha256=${expected}`);
  expect(String(JSON.parse(String(request.body)).timestamp)).toBe(timestamp);
}
