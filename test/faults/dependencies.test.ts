import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { until } from '../helpers/until.ts';
import { fault, longFault } from './fault.ts';
import { Load, type IncidentView } from './load.ts';
import { RoutedNetwork } from './routed-network.ts';
import { toOutcome } from './tally.ts';

const SERVICES = 30;
const INTERVAL_SECONDS = 3;
/** So long that the services notice first. */
const LONG_INTERVAL_SECONDS = 600;

interface HeldIncident extends IncidentView {
  held_by: { monitor_id: string; name: string } | null;
}

const isRoot = process.getuid?.() === 0;
let load: Load;
let network: RoutedNetwork;
let router: string;
let services: string[];

const create = (name: string, target: string, change: object = {}) => load.createMonitor(`/${name}`, {
  name, target, interval_seconds: INTERVAL_SECONDS, timeout_ms: 1000, confirmation_policy: { retries: 1 }, ...change,
});
const statusIs = (id: string, status: string) =>
  until(async () => (await load.statusOf(id)) === status, { what: `${id} is ${status}`, everyMs: 250 });
const eventsOf = (id: string) => load.alertsOf(id).map(({ event }) => event);
const incidentsOf = async (ids: string[]) => (await load.incidents(ids)) as HeldIncident[];

/** The incidents of all services, once the router holds all their alerts. */
const allHeld = () => until(async () => {
  const incidents = await incidentsOf(services);
  const open = incidents.filter(({ status, held_by }) => status === 'open' && held_by?.monitor_id === router);
  return open.length === SERVICES && open;
}, { what: 'the router holds all alerts' });

async function suppressedOf(incidentId: string): Promise<{ error_message: string }[]> {
  const { notifications } = await load.session.ok<{ notifications: { error_message: string }[] }>(
    'GET', `/api/incidents/${incidentId}/notifications?status=suppressed`,
  );
  return notifications;
}

async function begin(routerInterval: number): Promise<void> {
  router = await create('Router', network.router, { interval_seconds: routerInterval });
  services = await Promise.all(network.hosts.map((url, at) => create(`service-${at}`, url, { depends_on: [router] })));
  for (const id of [router, ...services]) await statusIs(id, 'up');
}

describe.runIf(isRoot)('services behind a router', () => {
  beforeAll(async () => {
    network = await RoutedNetwork.open(SERVICES);
    load = await Load.start({ PROBE_ALLOW_PRIVATE: 'true' });
  });
  beforeEach(() => {
    load.receiver.requests.length = 0;
  });
  afterEach(() => load.forget());
  afterAll(async () => {
    await load?.stop();
    network?.close();
  });

  fault('F67', 'a router dies with 30 services behind it, which notice first; one of them stays down', async () => {
    await begin(LONG_INTERVAL_SECONDS);
    network.die();
    const incidents = await allHeld();
    await until(() => load.receiver.requests.length > 0, { what: 'an alert arrives' });
    const logs = await Promise.all(incidents.map(({ id }) => until(async () => {
      const entries = await suppressedOf(id);
      return entries.length > 0 && entries;
    }, { what: 'the alert is logged as suppressed' })));
    expect(logs.map((entries) => entries.map(({ error_message }) => error_message))).toEqual(
      incidents.map(() => ['the monitor depends on Router, which is down']),
    );
    expect(eventsOf(router)).toEqual(['monitor.down']);
    expect(load.receiver.requests).toHaveLength(1);
    const [broken = ''] = services;
    network.destroy(0);
    await load.session.ok('PATCH', `/api/monitors/${router}`, { interval_seconds: INTERVAL_SECONDS });
    network.revive();
    await until(() => eventsOf(broken).length > 0, { what: 'the alert of the broken service arrives' });
    for (const id of services.slice(1)) await statusIs(id, 'up');
    expect(services.flatMap(eventsOf)).toEqual(['monitor.down']);
    expect((await incidentsOf([broken])).map(({ status, held_by }) => [status, held_by])).toEqual([['open', null]]);
    network.restore(0);
    await until(() => eventsOf(broken).length === 2, { what: 'its recovery arrives' });
    expect(eventsOf(broken)).toEqual(['monitor.down', 'monitor.up']);
    expect(eventsOf(router)).toEqual(['monitor.down', 'monitor.up']);
    expect(load.receiver.requests).toHaveLength(4);
    const opened = (await incidentsOf([router, ...services])).length;
    expect(opened).toBe(SERVICES + 1);
    return toOutcome({
      injected: 1, incidents: { expected: SERVICES + 1, opened }, alerts: { expected: 4, delivered: 4, repeated: 0 },
    }, `1 alert while the router was down, ${logs.length} logged as suppressed; then that of the broken service`);
  });

  // On a busy machine, services that recover too long after the router are alerted about.
  longFault('F67', 'the controller is killed while a dead router holds the alerts of 30 services', async () => {
    await begin(INTERVAL_SECONDS);
    network.die();
    await allHeld();
    await until(() => eventsOf(router).length > 0, { what: 'the alert of the router arrives' });
    const [broken = ''] = services;
    network.destroy(0);
    await load.farwatch.replaced('controller', await load.farwatch.kill9('controller'));
    network.revive();
    await until(() => eventsOf(broken).length > 0, { what: 'the alert of the broken service arrives' });
    for (const id of services.slice(1)) await statusIs(id, 'up');
    network.restore(0);
    await until(() => eventsOf(broken).length === 2, { what: 'its recovery arrives' });
    expect(services.flatMap(eventsOf)).toEqual(['monitor.down', 'monitor.up']);
    // The kill may repeat an alert that had just been sent.
    expect([...new Set(eventsOf(router))]).toEqual(['monitor.down', 'monitor.up']);
    const opened = (await incidentsOf([router, ...services])).length;
    expect(opened).toBe(SERVICES + 1);
    return toOutcome({
      injected: 1, incidents: { expected: SERVICES + 1, opened }, alerts: { expected: 4, delivered: 4, repeated: 0 },
    }, 'no alert of a service was lost or sent for nothing');
  });
});
