import { randomUUID } from 'node:crypto';
import { ResultColumns } from '../../controller/results/hours/result-columns.ts';
import { HourStore } from '../../controller/results/hours/hour-store.ts';
import { emptyRollup } from '../../controller/results/hours/rollup.ts';
import type { MonitorLive } from '../../controller/results/reading/recent/unwritten-monitor.ts';
import type { TestApp } from '../helpers/make-app.ts';
import { newTenant } from '../helpers/tenants.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const MONITORS = [
  ['Shop', null, 'up'], ['Warehouse of spare parts and accessories', null, 'degraded'],
  ['Payments', 'Services', 'down'], ['DonaudampfschifffahrtsgesellschaftskapitänsDatenbank', 'Services', 'up'],
] as const;

/** A published page with monitors in several states, past days, response times and posts. */
export async function publishPage(app: TestApp, branding: object = {}) {
  const { writeKey, projectId } = await newTenant(app);
  const client = writeKey.with({ 'x-project-id': projectId });
  const pages = `/api/projects/${projectId}/status-pages`;
  const subdomain = `page-${randomUUID()}`;
  const body = {
    name: 'Acme', description: 'How our services are', subdomain, timezone: 'Europe/Berlin',
    branding: { headerText: 'Questions? Ask us.', footerText: 'Acme Inc.', ...branding },
  };
  const { id } = (await client.post(pages, body)).data.status_page;
  const monitors: string[] = [];
  for (const [name, , status] of MONITORS) {
    const monitor = { name, type: 'HTTP', target: 'https://acme.example/', interval_seconds: 60 };
    monitors.push((await client.post('/api/monitors', monitor)).data.monitor.id);
    app.owners.live.set(monitors.at(-1) as string, liveState(status));
  }
  await writeDays(app, monitors);
  await client.put(`${pages}/${id}/monitors`, {
    monitors: monitors.map((monitor_id, at) => ({ monitor_id, group_name: MONITORS[at]?.[1] ?? null })),
  });
  const post = async (title: string, monitor: number) => (await client.post(`${pages}/${id}/incidents`, {
    title, message: 'We are looking into it.\nMore soon.', severity: 'major',
    affected_monitor_ids: [monitors[monitor]],
  })).data.incident.id as string;
  const resolvedPost = await post('Slow answers', 1);
  await client.post(`${pages}/${id}/incidents/${resolvedPost}/resolve`, { message: 'It was a disk.' });
  const incident = await post('Payments fail', 2);
  await client.post(`/api/projects/${projectId}/maintenance-windows`, {
    title: 'New switches', description: 'Some minutes without network.', status_page_ids: [id],
    monitor_ids: [monitors[3]], starts_at: new Date(Date.now() + HOUR_MS).toISOString(),
    ends_at: new Date(Date.now() + 2 * HOUR_MS).toISOString(),
  });
  await client.post(`${pages}/${id}/publish`);
  return { subdomain, monitors, incident, post };
}

function liveState(status: MonitorLive['status']): MonitorLive {
  return {
    status, since: 1, last_check_at: Date.now(), last_success_at: null, last_failure_at: null,
    open_incident: null, regions: [], in_maintenance: false,
  };
}

/** 60 days, each with an hour of checks; some with problems, and ten of them without data. */
async function writeDays(app: TestApp, monitors: string[]): Promise<void> {
  const hours = new HourStore(app.db);
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  for (const [index, monitor_id] of monitors.entries()) {
    const days = Array.from({ length: 60 }, (_, back) => today - (back + 1) * DAY_MS)
      .filter((_day, back) => back < 20 || back >= 30);
    await hours.write(days.map((day, at) => {
      const down = at % 11 === index ? HOUR_MS / 10 : 0;
      const counts = { total: 60, failed: down === 0 ? 0 : 6, missed: 0, time_sum: 60 * 1200, time_count: 60 };
      const region = { time_min: 900, time_max: 2000 + at * 10, histogram: [[70, 60]] as [number, number][] };
      return {
        monitor_id, hour: day, position: 1, rows: new ResultColumns(0), rollup: {
          ...emptyRollup(), ...counts, times: [HOUR_MS - down, 0, down], accounted: [HOUR_MS - down, 0, down],
          regions: { eu: { ...counts, ...region } },
        },
      };
    }));
    await hours.rollDays(days.map((day) => ({ monitor_id, day, position: 1 })));
  }
}
