import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { publisherOn } from '../../controller/events/event.ts';
import type { NatsBus } from '../../controller/platform/bus/bus.ts';
import { connectBus } from '../../controller/platform/bus/connect-bus.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import type { ApiResponse, ApiClient } from '../helpers/api-client.ts';
import { EventClient } from '../helpers/event-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { newTenant, PASSWORD, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

/** The controllers' time stands still, so no stream is rechecked by a timer. */
const clock = new SimulatedClock(Date.now());
const buses: NatsBus[] = [];
let nats: TestNats;
let here: TestApp;
let there: TestApp;
let isolated: TestApp;
let clients: EventClient[] = [];

async function startApp(mongoUrl?: string): Promise<TestApp> {
  const log = createLog('test', 'silent');
  const bus = await connectBus({ url: nats.url, creds: nats.controllerCreds, name: 'test', log });
  buses.push(bus);
  const app = await makeApp({ clock, bus, ...(mongoUrl === undefined ? {} : { mongoUrl }) });
  app.controller.accounts.sessionEnds.start();
  app.controller.events.hub.start();
  return app;
}

beforeAll(async () => {
  nats = await startNats();
  here = await startApp();
  there = await startApp(here.mongoUrl);
  isolated = await makeApp({ clock, mongoUrl: here.mongoUrl });
});
afterEach(() => {
  clients.forEach((client) => client.close());
  clients = [];
});
afterAll(async () => {
  let isClosed = false;
  const closing = (async () => {
    await Promise.all([isolated.close(), there.close()]);
    await here.close();
    isClosed = true;
  })();
  // The servers detect idle connections by the clock.
  await until(async () => {
    await clock.advance(100);
    return isClosed;
  }, { what: 'all controllers are closed' });
  await closing;
  await Promise.all(buses.map((bus) => bus.close()));
  await nats.stop();
});

async function watch(app: TestApp, token: string): Promise<EventClient> {
  const client = await EventClient.open(app.url, { authorization: `Bearer ${token}` });
  expect(client.status).toBe(200);
  clients.push(client);
  return client;
}

async function anotherToken({ owner }: Tenant): Promise<string> {
  return (await here.client.post('/api/auth/login', { email: owner.email, password: owner.password })).data.token;
}

/** Resolves once the stream has delivered a new event. */
async function goesOn(client: EventClient, { organizationId, projectId }: Tenant): Promise<void> {
  const id = newId(clock.now());
  publisherOn(buses[0] as NatsBus).publish({
    id, kind: 'incident', organization_id: organizationId, project_id: projectId, at: clock.now(), data: { id },
  });
  await client.next('incident', (data) => data['id'] === id);
}

const newPassword = { current_password: PASSWORD, new_password: 'a quite new password' };

test.each<[what: string, end: (client: ApiClient) => Promise<ApiResponse>]>([
  ['sign out everywhere', (client) => client.post('/api/auth/logout-everywhere')],
  ['change the password', (client) => client.post('/api/auth/change-password', newPassword)],
])('streams end on every controller as soon as their users %s, and only theirs', async (_what, end) => {
  const [tenant, neighbour] = [await newTenant(here), await newTenant(here)];
  const others = await watch(there, neighbour.owner.token);
  const own = [
    await watch(here, tenant.owner.token), await watch(there, tenant.owner.token),
    await watch(there, await anotherToken(tenant)),
  ];
  expect((await end(tenant.owner.client)).status).toBe(200);
  await until(() => own.every(({ isEnded }) => isEnded), { what: 'all of them end' });
  await goesOn(others, neighbour);
});

test.each<[what: string, end: (client: ApiClient) => Promise<ApiResponse>]>([
  ['signs out', (client) => client.post('/api/auth/logout')],
  ['is ended by its id', async (client) => {
    const { sessions } = (await client.get('/api/auth/sessions')).data;
    const current = sessions.find((one: { is_current: boolean }) => one.is_current);
    return client.delete(`/api/auth/sessions/${current.id}`);
  }],
])('when a session %s, the streams of other sessions stay open', async (_what, end) => {
  const tenant = await newTenant(here);
  const other = await watch(there, await anotherToken(tenant));
  const own = await watch(there, tenant.owner.token);
  expect((await end(tenant.owner.client)).status).toBe(200);
  await until(() => own.isEnded, { what: 'its own stream ends' });
  await goesOn(other, tenant);
});

test('a controller whose bus carries nothing ends its own streams', async () => {
  const tenant = await newTenant(isolated);
  const own = await watch(isolated, tenant.owner.token);
  await tenant.owner.client.post('/api/auth/logout');
  await until(() => own.isEnded, { what: 'the stream ends' });
});

test('an unreadable message ends no stream', async () => {
  const tenant = await newTenant(here);
  const own = await watch(here, tenant.owner.token);
  for (const text of ['', '{}', 'no json']) buses[0]?.publish(subjects.notifySessions, text);
  await goesOn(own, tenant);
  expect(own.isEnded).toBe(false);
});
