import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Load } from '../faults/load.ts';
import type { ApiSession } from '../helpers/api-session.ts';
import type { ReceivedRequest } from '../helpers/receiver.ts';
import type { ScriptedResponse } from '../helpers/scripted-response.ts';
import { until } from '../helpers/until.ts';

interface Incident {
  status: string;
  in_maintenance: boolean;
}

const PATH = '/in-maintenance';

/** Outages within maintenance windows. */
export function maintenance(on: { readonly load: Load }): void {
  let session: ApiSession;
  let windows: string;
  let pages: string;
  let monitor: string;
  let subdomain: string;

  beforeAll(async () => {
    ({ session } = on.load);
    const { projects: [project] } = await session.ok<{ projects: [{ id: string }] }>('GET', '/api/projects');
    windows = `/api/projects/${project.id}/maintenance-windows`;
    pages = `/api/projects/${project.id}/status-pages`;
    ({ monitor: { id: monitor } } = await session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
      name: 'Shop', type: 'HTTP', target: `${on.load.target.url}${PATH}`, interval_seconds: 1,
    }));
    subdomain = `page-${randomUUID()}`;
    const { status_page: { id } } = await session.ok<{ status_page: { id: string } }>(
      'POST', pages, { name: 'Acme', subdomain },
    );
    await session.ok('PUT', `${pages}/${id}/monitors`, { monitors: [{ monitor_id: monitor }] });
    await session.ok('POST', `${pages}/${id}/publish`);
    await shows('up');
  });

  /** Also whether a maintenance window covers it. */
  const status = async (): Promise<string> => {
    const { monitor: { runtimeStatus, in_maintenance: isCovered } } = await session.ok<{
      monitor: { runtimeStatus: string; in_maintenance: boolean };
    }>('GET', `/api/monitors/${monitor}`);
    return `${runtimeStatus}${isCovered ? ' in maintenance' : ''}`;
  };
  const shows = (wanted: string) => until(async () => (await status()) === wanted, { what: `it is ${wanted}` });
  const incidents = async (): Promise<Incident[]> => (await session.ok<{ incidents: Incident[] }>(
    'GET', `/api/incidents?check_id=${monitor}`,
  )).incidents;
  const latest = (wanted: string) => until(async () => {
    const [incident] = await incidents();
    return incident?.status === wanted && incident;
  }, { what: `the incident is ${wanted}` });
  const respondWith = (response: ScriptedResponse) => on.load.target.respondWith(response, PATH);
  const alerts = (): ReceivedRequest[] => on.load.receiver.requests.filter(({ body }) => String(body).includes(monitor));
  const events = (): unknown[] => alerts().map(({ headers }) => headers['x-service-event']);

  async function open(): Promise<string> {
    const now = Date.now();
    const { maintenance_window: { id } } = await session.ok<{ maintenance_window: { id: string } }>('POST', windows, {
      title: 'Move', monitor_ids: [monitor], starts_at: new Date(now - 1000).toISOString(),
      ends_at: new Date(now + 3_600_000).toISOString(),
    });
    await shows('up in maintenance');
    return id;
  }

  test('an outage within a window sends no alert and is not downtime on the page', async () => {
    const id = await open();
    respondWith({ status: 503 });
    expect(await latest('open')).toMatchObject({ in_maintenance: true });
    const shown = await session.ok<{ status_page: { components: object[]; overall: string } }>(
      'GET', `/api/public/status-pages/${subdomain}`,
    );
    expect(shown.status_page).toMatchObject({ overall: 'maintenance', components: [{ status: 'maintenance' }] });
    respondWith({ status: 200 });
    await latest('resolved');
    await session.ok('DELETE', `${windows}/${id}`);
    await shows('up');
    expect(events()).toEqual([]);
    const { uptime_percentage } = await session.ok<{ uptime_percentage: number }>('GET', `/api/monitors/${monitor}/stats`);
    expect(uptime_percentage).toBeLessThan(100);
    await until(async () => {
      const { status_page: { components: [shop] } } = await session.ok<{
        status_page: { components: [{ uptime: Record<string, number> }] };
      }>('GET', `/api/public/status-pages/${subdomain}`);
      return shop.uptime['24h'] === 100;
    }, { what: 'the page shows the uptime without maintenance' });
  });

  test('an outage that outlasts its window is alerted once, at the end', async () => {
    const id = await open();
    respondWith({ status: 503 });
    await latest('open');
    expect(events()).toEqual([]);
    const ends_at = new Date(Date.now() + 3000).toISOString();
    await session.ok('PATCH', `${windows}/${id}`, { ends_at });
    await until(() => events().length > 0, { what: 'an alert' });
    expect(alerts()[0]?.at).toBeGreaterThanOrEqual(Date.parse(ends_at));
    await shows('down');
    respondWith({ status: 200 });
    await until(() => events().length > 1, { what: 'the recovery' });
    expect(events()).toEqual(['monitor.down', 'monitor.up']);
  });
}
