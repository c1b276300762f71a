import { connect } from 'node:net';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { observeEvents } from '../../controller/wiring/metrics.ts';
import { publisherOn, type EventPublisher, type LiveEvent } from '../../controller/events/event.ts';
import { LINGER_MS, RING_EVENTS } from '../../controller/events/channel.ts';
import { type EventHub, KEEP_ALIVE_MS } from '../../controller/events/hub.ts';
import { RECHECK_INTERVAL_MS } from '../../controller/http/responses/stream-guards.ts';
import type { NatsBus } from '../../controller/platform/bus/bus.ts';
import { connectBus } from '../../controller/platform/bus/connect-bus.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { EventClient, type ReceivedEvent } from '../helpers/event-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

let nats: TestNats;
let bus: NatsBus;
let hub: EventHub;
let app: TestApp;
let clock: SimulatedClock;
let tenant: Tenant;
let publisher: EventPublisher;
let clients: EventClient[] = [];

beforeAll(async () => {
  nats = await startNats();
  bus = await connectBus({
    url: nats.url, creds: nats.controllerCreds, name: 'test', log: createLog('test', 'silent'),
  });
});
beforeEach(async () => {
  clock = new SimulatedClock(Date.now());
  app = await makeApp({ clock, bus });
  hub = app.controller.events.hub;
  hub.start();
  tenant = await newTenant(app);
  publisher = publisherOn(bus);
});
afterEach(async () => {
  clients.forEach((client) => client.close());
  clients = [];
  await hub.stop();
  // The server detects idle connections by the clock, which stands still here.
  let isClosed = false;
  const closing = app.close().then(() => (isClosed = true));
  await until(async () => {
    await clock.advance(100);
    return isClosed;
  }, { what: 'the app is closed' });
  await closing;
});
afterAll(async () => {
  await bus.close();
  await nats.stop();
});

const byKey = (of = tenant): Record<string, string> => ({ 'x-api-key': of.readKeyText });

async function open(headers = byKey(), lastEventId: string | null = null): Promise<EventClient> {
  const client = await EventClient.open(app.url, headers, lastEventId);
  clients.push(client);
  return client;
}

function event(change: Partial<LiveEvent> = {}): LiveEvent {
  const id = newId(clock.now());
  return {
    id, kind: 'incident', organization_id: tenant.organizationId, project_id: tenant.projectId,
    at: clock.now(), data: { id, status: 'open' }, ...change,
  };
}

function publishEvent(change: Partial<LiveEvent> = {}): LiveEvent {
  const published = event(change);
  publisher.publish(published);
  return published;
}

function result(seq: number): string {
  const [monitorId, probeId] = [newId(1), newId(2)];
  const subject = subjects.raw(tenant.organizationId, tenant.projectId, monitorId, 'eu');
  bus.publish(subject, JSON.stringify({
    v: 1, probe_id: probeId, epoch: 'e', seq, monitor_id: monitorId, organization_id: tenant.organizationId,
    project_id: tenant.projectId, region: 'eu', type: 'HTTP',
    engine: '1', assignment_rev: 1, attempt: 1, reason: 'schedule', scheduled_at: 1, started_at: 2,
    response_time_ms: 3.5, outcome: 'success', degraded: false,
    status_code: 200, error: null, timings: { dns: 1 }, remote_address: '203.0.113.9', tls: null, detail: {},
  }));
  return monitorId;
}

test('sends the events of its project, with the headers of a stream', async () => {
  const client = await open();
  expect([client.status, client.headers.get('content-type'), client.headers.get('x-accel-buffering')])
    .toEqual([200, 'text/event-stream; charset=utf-8', 'no']);
  expect(client.headers.get('cache-control')).toContain('no-transform');
  expect(client.headers.get('x-ratelimit-remaining')).toBeTruthy();
  const published = publishEvent();
  expect(await client.next('incident')).toEqual({ id: published.id, event: 'incident', data: published.data });
  const monitorId = result(7);
  const seen = await client.next('result');
  expect(seen.data).toEqual({
    monitor_id: monitorId, region: 'eu', probe_id: expect.any(String) as string, success: true,
    outcome: 'success', degraded: false, response_time_ms: 3.5,
    status_code: 200, error: null, timings: { dns: 1 }, checked_at: 2,
  });
});

test('sends nothing of another project or organization', async () => {
  const other = await newTenant(app);
  const client = await open();
  publishEvent({ organization_id: other.organizationId, project_id: other.projectId });
  publishEvent({ project_id: other.projectId });
  // An event that claims to be of this project, on the subject of another one.
  bus.publish(
    subjects.events(other.organizationId, other.projectId, 'incident'), JSON.stringify({ v: 1, ...event() }),
  );
  const own = publishEvent();
  await client.next('incident');
  expect(client.events.map(({ id }) => id)).toEqual([own.id]);
});

test('continues after the last seen event, results included, without repeating any', async () => {
  const first = await open();
  const [one] = [publishEvent(), result(1)];
  await first.next('result');
  first.close();
  await until(() => hub.streams === 0, { what: 'the hub has no streams' });
  const two = publishEvent();
  const monitorId = result(2);
  publishEvent(one);
  const second = await open(byKey(), first.lastEventId);
  await second.next('result');
  expect(second.events.map(({ event: kind, data }) => [kind, data['monitor_id'] ?? data['id']])).toEqual([
    ['incident', two.id], ['result', monitorId],
  ]);
  const again = await open(byKey(), one.id);
  await until(() => again.events.length === 3, { what: 'all events after the first' });
  expect(again.events[1]?.id).toBe(two.id);
});

test('continues when no event was seen yet', async () => {
  const first = await open();
  expect(first.lastEventId).toBeTruthy();
  first.close();
  await until(() => hub.streams === 0, { what: 'the hub has no streams' });
  const published = publishEvent();
  const second = await open(byKey(), first.lastEventId);
  expect((await second.next('incident')).id).toBe(published.id);
});

test('sends a resync after an unknown or old id, missed results or a lost bus connection', async () => {
  const watcher = await open();
  const oldest = publishEvent();
  for (let at = 0; at < RING_EVENTS; at += 1) publishEvent();
  await until(() => watcher.events.length === RING_EVENTS + 1, { what: 'the watcher has all events' });
  for (const id of ['nonsense', oldest.id, newId(5)]) {
    expect((await (await open(byKey(), id)).next('resync')).id).toBe(watcher.lastEventId);
  }

  clients.forEach((client) => client.close());
  await until(() => hub.streams === 0, { what: 'the hub has no streams' });
  await clock.advance(LINGER_MS);
  const late = await open(byKey(), watcher.lastEventId);
  await late.next('resync');
  const published = publishEvent();
  expect((await late.next('incident')).id).toBe(published.id);

  await nats.restart();
  await until(
    () => late.events.filter(({ event: kind }) => kind === 'resync').length === 2,
    { what: 'a resync after the bus was disconnected' },
  );
  const after = new Set<string>();
  await until(() => {
    after.add(publishEvent().id);
    return late.events.some(({ id }) => after.has(id));
  }, { what: 'live events again', everyMs: 100 });
});

test('disconnects a client that never reads without delaying others, and resyncs it on return', async () => {
  const [watcher, idle] = [await open(), connect(Number(new URL(app.url).port))];
  let seen = '';
  idle.on('data', (chunk: Buffer) => {
    seen += chunk.toString('utf8');
    if (isReading) return;
    idle.pause();
  });
  let isReading = false;
  let isClosed = false;
  idle.on('error', () => undefined).on('close', () => (isClosed = true));
  idle.write(`GET /api/events HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${tenant.readKeyText}\r\n\r\n`);
  await until(() => seen.includes('retry:'), { what: 'the idle client is connected' });
  const filling = 'x'.repeat(16 * 1024);
  // The sockets of both sides buffer some megabytes before events queue up in the server.
  let iterations = 0;
  for (; hub.streams === 2 && iterations < 500; iterations += 1) {
    const [last] = Array.from({ length: 8 }, () => publishEvent({ data: { filling } })).slice(-1) as [LiveEvent];
    await until(() => watcher.lastEventId === last.id, { what: 'the reading client has all events' });
  }
  expect(hub.streams).toBe(1);
  const registry = new Registry();
  observeEvents(registry, hub);
  const metrics = await registry.metrics();
  expect(metrics).toMatch(/^farwatch_event_streams 1$/m);
  expect(metrics).toMatch(/^# TYPE farwatch_events_refused_total counter$/m);
  expect(watcher.events).toHaveLength(iterations * 8);
  isReading = true;
  idle.resume();
  await until(() => isClosed, { what: 'the connection is cut off' });
  const ids = [...seen.matchAll(/id: ([0-9a-f-]{36})\n/g)].map(([, id]) => id as string);
  expect(ids.length).toBeLessThan(iterations * 8);
  const back = await open(byKey(), ids.at(-1) as string);
  expect((await back.next('resync')).id).toBe(watcher.lastEventId);
  const published = publishEvent();
  expect((await back.next('incident')).id).toBe(published.id);
});

test('continues or sends a resync when about as many events were missed as are kept', async () => {
  const watcher = await open();
  const before = publishEvent({ data: { at: 'before' } });
  for (const [sign, first] of [['x', 'incident'], ['\u8a9e', 'resync'], ['\u{1f600}', 'resync']] as const) {
    for (let at = 0; at < 30; at += 1) {
      const { id } = publishEvent({ data: { text: sign.repeat(12 * 1024) } });
      await until(() => watcher.lastEventId === id, { what: 'the watcher has the event' });
    }
    const back = await open(byKey(), before.id);
    expect((await back.next('resync')).id).toBe(watcher.lastEventId);
    const near = await open(byKey(), (watcher.events.at(-20) as ReceivedEvent).id);
    await until(() => near.lastEventId === watcher.lastEventId, { what: 'the second client has caught up' });
    expect([near.isEnded, near.events[0]?.event]).toEqual([false, first]);
    near.close();
  }
});

test('sends only keep-alives while nothing changes', async () => {
  const client = await open();
  const received = client.raw;
  await clock.advance(KEEP_ALIVE_MS - 1);
  expect(client.raw).toBe(received);
  await clock.advance(1);
  await until(() => client.raw.length > received.length, { what: 'a keep-alive comment' });
  expect(client.raw.slice(received.length)).toBe(': keep-alive\n\n');
});

test.each([
  ['a session that logs out', async () => (await tenant.owner.client.post('/api/auth/logout')).status],
  ['a session of a former member', async () => {
    const { members } = app.accounts.deps;
    for (const one of await members.listOfUser(tenant.owner.userId)) await members.delete(one._id);
    return 200;
  }],
])('ends for %s', async (_what, revoke) => {
  const client = await open({ authorization: `Bearer ${tenant.owner.token}` });
  await clock.advance(RECHECK_INTERVAL_MS);
  publishEvent();
  await client.next('incident');
  expect(client.isEnded).toBe(false);
  expect(await revoke()).toBe(200);
  await clock.advance(RECHECK_INTERVAL_MS);
  await until(() => client.isEnded, { what: 'the stream ends' });
  await until(() => hub.streams === 0, { what: 'the hub has no streams' });
});

test('ends for a key that is revoked', async () => {
  const client = await open();
  const keys =
    (await tenant.owner.client.get('/api/auth/api-keys')).data.keys as { id: string; name: string }[];
  await tenant.owner.client.delete(`/api/auth/api-keys/${keys.find(({ name }) => name === 'reader')?.id}`);
  await clock.advance(RECHECK_INTERVAL_MS);
  await until(() => client.isEnded, { what: 'the stream ends' });
});

test('is open to viewers of the project, with a limit per caller', async () => {
  expect((await open({})).raw).toContain('MISSING_AUTH');
  const viewer = await newMember(app, tenant, 'viewer');
  const headers = { authorization: `Bearer ${viewer.token}` };
  for (let at = 0; at < 20; at += 1) expect((await open(headers)).status).toBe(200);
  const refused = await open(headers);
  expect([refused.status, refused.raw.includes('FAIR_USE_LIMIT_REACHED')]).toEqual([403, true]);
  expect((await open()).status).toBe(200);
  clients[1]?.close();
  await until(() => hub.streams === 20, { what: 'a free place' });
  expect((await open(headers)).status).toBe(200);
});

test('ends when the controller stops', async () => {
  const client = await open();
  await hub.stop();
  await until(() => client.isEnded, { what: 'the stream ends' });
  expect((await open()).status).toBe(503);
});

test('ignores unreadable messages', async () => {
  const client = await open();
  bus.publish(`events.${tenant.organizationId}.${tenant.projectId}.incident`, 'no json');
  bus.publish(`raw.${tenant.organizationId}.${tenant.projectId}.m.eu`, '{}');
  publishEvent();
  await client.next('incident');
  await until(() => hub.refused === 2, { what: 'both are counted' });
});

test('responds to HEAD without keeping a stream', async () => {
  const response = await fetch(`${app.url}/api/events`, { method: 'HEAD', headers: byKey() });
  expect(response.status).toBe(200);
  await until(() => hub.streams === 0, { what: 'no open streams' });
});

test('reaches a client that connects after a thousand others have left', async () => {
  const visit = (project: string) => {
    const received: string[] = [];
    let go = (): void => undefined;
    const sink = {
      send: (text: string) => received.push(text) > 0, finish: () => undefined,
      onClose: (listener: () => void) => void (go = listener),
    };
    expect(
      hub.connect({ organizationId: tenant.organizationId, projectId: project }, { user: project, maxStreams: 100 }, sink, null),
    ).toBeNull();
    return { received, leave: () => go() };
  };
  for (let at = 0; at < 1000; at += 1) visit(`project-${at}`).leave();
  const { received, leave } = visit(tenant.projectId);
  const published = publishEvent();
  await until(() => received.some((text) => text.includes(published.id)), { what: 'the event' });
  leave();
});
