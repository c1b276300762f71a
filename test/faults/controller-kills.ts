import { expect } from 'vitest';
import { passTime } from '../helpers/pass-time.ts';
import { randomOf } from '../helpers/random-of.ts';
import { until } from '../helpers/until.ts';
import { fault, longFault } from './fault.ts';
import type { Load } from './load.ts';
import { countResults, repeats, SEED, toOutcome } from './tally.ts';

/** The controller is killed under load and during incidents. */
export function controllerKills(on: { readonly load: Load }): void {
  const MONITORS = repeats(12, 100);

  /** Ms from the controller's restart until results are stored again. Checks must continue meanwhile. */
  async function comesBack(killed: number, steadyId: string): Promise<number> {
    const checked = on.load.countOf(steadyId);
    await on.load.farwatch.replaced('controller', killed, 5);
    const startedAt = performance.now();
    const stored = await until(() => on.load.checksOf(steadyId), { what: 'the API responds' });
    await until(async () => (await on.load.checksOf(steadyId)) > stored, { what: 'results are stored' });
    expect(on.load.countOf(steadyId)).toBeGreaterThan(checked);
    return performance.now() - startedAt;
  }

  /** Publishes a page to which monitors can be added; its posts can be read at any time. */
  async function publishPage() {
    const { projects } = await on.load.session.ok<{ projects: { id: string }[] }>('GET', '/api/projects');
    const pages = `/api/projects/${projects[0]?.id}/status-pages`;
    const { status_page: { id } } = await on.load.session.ok<{ status_page: { id: string } }>(
      'POST', pages, { name: 'Acme', subdomain: `acme-${Date.now()}` },
    );
    await on.load.session.ok('POST', `${pages}/${id}/publish`);
    interface Post { incident_id: string; status: string; updates: unknown[] }
    return {
      show: (monitorIds: string[]) => on.load.session.ok('PUT', `${pages}/${id}/monitors`, {
        monitors: monitorIds.map((monitor_id) => ({ monitor_id })),
      }),
      posts: async () => {
        const response = await on.load.session.ok<{ incidents: Post[] }>('GET', `${pages}/${id}/incidents?limit=100`);
        return response.incidents;
      },
    };
  }

  fault('F1', 'the controller is killed at random moments under load, with an outage each time', async () => {
    const kills = repeats(1, 20);
    const random = randomOf(SEED);
    const [steadyId] = await on.load.steady(MONITORS, 'kill');
    const recoveryMs: number[] = [];
    const outages: string[] = [];
    const page = await publishPage();
    for (let round = 0; round < kills; round += 1) {
      const path = `/outage/${round}`;
      const id = await on.load.createMonitor(path);
      outages.push(id);
      await page.show(outages);
      await until(async () => (await on.load.statusOf(id)) === 'up', { what: 'up' });
      on.load.target.respondWith({ status: 503 }, path);
      await passTime(random() * 3000);
      recoveryMs.push(await comesBack(await on.load.farwatch.kill9('controller'), steadyId as string));
      await until(() => on.load.alertsOf(id).some(({ event }) => event === 'monitor.down'), { what: 'monitor.down' });
      on.load.target.respondWith({ status: 200 }, path);
      await until(() => on.load.alertsOf(id).some(({ event }) => event === 'monitor.up'), { what: 'monitor.up' });
    }
    const incidents = await on.load.incidents();
    expect(incidents.map((incident) => incident.check_id).toSorted()).toEqual(outages.toSorted());
    const isPosted = async () => (await page.posts()).every(({ status }) => status === 'resolved');
    await until(isPosted, { what: 'posts are resolved' });
    const posts = await page.posts();
    expect(posts.map((post) => post.incident_id).toSorted()).toEqual(incidents.map(({ id }) => id).toSorted());
    expect(posts.map(({ updates }) => updates.length)).toEqual(incidents.map(() => 1));
    const alertKeys = outages.flatMap((id) => on.load.alertsOf(id).map(({ event, incident }) => `${event} ${incident.id}`));
    const repeated = alertKeys.length - new Set(alertKeys).size;
    expect(new Set(alertKeys).size).toBe(2 * kills);
    expect(repeated).toBeLessThanOrEqual(kills);
    const results = await countResults(on.load);
    const alerts = { expected: 2 * kills, delivered: new Set(alertKeys).size, repeated };
    return toOutcome({
      injected: kills, results, incidents: { expected: kills, opened: incidents.length }, alerts, recoveryMs,
      seed: SEED,
    });
  });

  fault('F1', 'the controller is killed after it has acknowledged a ping', async () => {
    const kills = repeats(1, 3);
    const { session, farwatch } = on.load;
    const body = { name: 'Backup', type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 60 };
    const { monitor: { id, heartbeat_token: token } } =
      await session.ok<{ monitor: { id: string; heartbeat_token: string } }>('POST', '/api/monitors', body);
    for (let round = 1; round <= kills; round += 1) {
      const ping = { method: 'POST', body: `round ${round}` };
      expect((await fetch(`${farwatch.url}/api/heartbeat/${token}`, ping)).status).toBe(200);
      await farwatch.replaced('controller', await farwatch.kill9('controller'));
      await until(async () => (await on.load.checksOf(id)) === round, { what: `${round} pings are counted` });
    }
    expect(await on.load.statusOf(id)).toBe('up');
    const { pings } = await session.ok<{ pings: { body: string }[] }>('GET', `/api/monitors/${id}/pings`);
    expect(pings.map(({ body: sent }) => sent)).toEqual(Array.from({ length: kills }, (_, at) => `round ${kills - at}`));
    await session.ok('DELETE', `/api/monitors/${id}`);
    return toOutcome({ injected: kills }, `${kills} pings counted, each once`);
  });

  longFault('F28', 'the controller is restarted during an incident, cleanly and by kill -9', async () => {
    const restarts = repeats(2, 6);
    const recoveryMs: number[] = [];
    const id = await on.load.createMonitor('/incident');
    await until(async () => (await on.load.statusOf(id)) === 'up', { what: 'up' });
    on.load.target.respondWith({ status: 503 }, '/incident');
    await until(() => on.load.alertsOf(id).length === 1, { what: 'monitor.down' });
    const [opened] = await on.load.incidents();
    for (let round = 0; round < restarts; round += 1) {
      const pid = await on.load.farwatch.endOne('controller', round % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
      recoveryMs.push(await comesBack(pid, id));
      expect(await on.load.statusOf(id)).toBe('down');
      expect(await on.load.incidents()).toMatchObject([{ id: opened?.id, status: 'open' }]);
    }
    on.load.target.respondWith({ status: 200 }, '/incident');
    await until(() => on.load.alertsOf(id).length >= 2, { what: 'monitor.up' });
    await until(async () => (await on.load.incidents())[0]?.status === 'resolved');
    const results = await countResults(on.load);
    expect(on.load.alertsOf(id).map((alert) => [alert.event, alert.incident.id])).toEqual([
      ['monitor.down', opened?.id], ['monitor.up', opened?.id],
    ]);
    expect(await on.load.incidents()).toHaveLength(1);
    return toOutcome({
      injected: restarts, results, incidents: { expected: 1, opened: 1 },
      alerts: { expected: 2, delivered: 2, repeated: 0 }, recoveryMs,
    });
  });
}
