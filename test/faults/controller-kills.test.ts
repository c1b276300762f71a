import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { passTime } from '../helpers/pass-time.ts';
import { randomOf } from '../helpers/random-of.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import { Load } from './load.ts';
import { countResults, repeats, SEED, toOutcome } from './tally.ts';

const MONITORS = 100;

let load: Load;
beforeAll(async () => {
  load = await Load.start();
});
afterEach(() => load.forget());
afterAll(() => load.stop());

/** Ms from the controller's restart until results are stored again. Checks must continue meanwhile. */
async function comesBack(killed: number, steadyId: string): Promise<number> {
  const checked = load.countOf(steadyId);
  await load.farwatch.replaced('controller', killed, 5);
  const startedAt = performance.now();
  const stored = await until(() => load.checksOf(steadyId), { what: 'the API answers' });
  await until(async () => (await load.checksOf(steadyId)) > stored, { what: 'results are stored' });
  expect(load.countOf(steadyId)).toBeGreaterThan(checked);
  return performance.now() - startedAt;
}

/** Publishes a page that shows monitors as they come; the posts on it are read at any time. */
async function publishPage() {
  const { projects } = await load.session.ok<{ projects: { id: string }[] }>('GET', '/api/projects');
  const pages = `/api/projects/${projects[0]?.id}/status-pages`;
  const { status_page: { id } } = await load.session.ok<{ status_page: { id: string } }>(
    'POST', pages, { name: 'Acme', subdomain: `acme-${Date.now()}` },
  );
  await load.session.ok('POST', `${pages}/${id}/publish`);
  interface Post { incident_id: string; status: string; updates: unknown[] }
  return {
    show: (monitorIds: string[]) => load.session.ok('PUT', `${pages}/${id}/monitors`, {
      monitors: monitorIds.map((monitor_id) => ({ monitor_id })),
    }),
    posts: async () => {
      const response = await load.session.ok<{ incidents: Post[] }>('GET', `${pages}/${id}/incidents?limit=100`);
      return response.incidents;
    },
  };
}

fault('F1', 'the controller is killed at random moments under load, with an outage each time', async () => {
  const kills = repeats(2, 20);
  const random = randomOf(SEED);
  const [steadyId] = await load.steady(MONITORS, 'kill');
  const recoveryMs: number[] = [];
  const outages: string[] = [];
  const page = await publishPage();
  for (let round = 0; round < kills; round += 1) {
    const path = `/outage/${round}`;
    const id = await load.createMonitor(path);
    outages.push(id);
    await page.show(outages);
    await until(async () => (await load.statusOf(id)) === 'up', { what: 'up' });
    load.target.respondWith({ status: 503 }, path);
    await passTime(random() * 3000);
    recoveryMs.push(await comesBack(await load.farwatch.kill9('controller'), steadyId as string));
    await until(() => load.alertsOf(id).some(({ event }) => event === 'monitor.down'), { what: 'monitor.down' });
    load.target.respondWith({ status: 200 }, path);
    await until(() => load.alertsOf(id).some(({ event }) => event === 'monitor.up'), { what: 'monitor.up' });
  }
  const incidents = await load.incidents();
  expect(incidents.map((incident) => incident.check_id).toSorted()).toEqual(outages.toSorted());
  const isPosted = async () => (await page.posts()).every(({ status }) => status === 'resolved');
  await until(isPosted, { what: 'posts are resolved' });
  const posts = await page.posts();
  expect(posts.map((post) => post.incident_id).toSorted()).toEqual(incidents.map(({ id }) => id).toSorted());
  expect(posts.map(({ updates }) => updates.length)).toEqual(incidents.map(() => 1));
  const alertKeys = outages.flatMap((id) => load.alertsOf(id).map(({ event, incident }) => `${event} ${incident.id}`));
  const repeated = alertKeys.length - new Set(alertKeys).size;
  expect(new Set(alertKeys).size).toBe(2 * kills);
  expect(repeated).toBeLessThanOrEqual(kills);
  const results = await countResults(load);
  const alerts = { expected: 2 * kills, delivered: new Set(alertKeys).size, repeated };
  return toOutcome({
    injected: kills, results, incidents: { expected: kills, opened: incidents.length }, alerts, recoveryMs,
    seed: SEED,
  });
});

fault('F28', 'the controller is restarted during an incident, cleanly and by kill -9', async () => {
  const restarts = repeats(2, 6);
  const recoveryMs: number[] = [];
  const id = await load.createMonitor('/incident');
  await until(async () => (await load.statusOf(id)) === 'up', { what: 'up' });
  load.target.respondWith({ status: 503 }, '/incident');
  await until(() => load.alertsOf(id).length === 1, { what: 'monitor.down' });
  const [opened] = await load.incidents();
  for (let round = 0; round < restarts; round += 1) {
    const pid = await load.farwatch.endOne('controller', round % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
    recoveryMs.push(await comesBack(pid, id));
    expect(await load.statusOf(id)).toBe('down');
    expect(await load.incidents()).toMatchObject([{ id: opened?.id, status: 'open' }]);
  }
  load.target.respondWith({ status: 200 }, '/incident');
  await until(() => load.alertsOf(id).length >= 2, { what: 'monitor.up' });
  await until(async () => (await load.incidents())[0]?.status === 'resolved');
  const results = await countResults(load);
  expect(load.alertsOf(id).map((alert) => [alert.event, alert.incident.id])).toEqual([
    ['monitor.down', opened?.id], ['monitor.up', opened?.id],
  ]);
  expect(await load.incidents()).toHaveLength(1);
  return toOutcome({
    injected: restarts, results, incidents: { expected: 1, opened: 1 },
    alerts: { expected: 2, delivered: 2, repeated: 0 }, recoveryMs,
  });
});
