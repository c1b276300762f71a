import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Loose } from '../helpers/api-client.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { QueryPlans } from '../helpers/query-plans.ts';
import { until } from '../helpers/until.ts';

/**
 * Read in full: as many as there are probes, subscribers, regions, shards, or groups being deleted; of
 * users and projects, one or a page in order of id.
 */
const READ_WHOLE = [
  'assignment_heads', 'group_removals', 'leases', 'probes', 'projects', 'regions', 'subscriptions', 'users',
];

const plans = new QueryPlans();
let rig: ControllerRig;

beforeAll(async () => {
  rig = await startControllerRig({ ALLOW_PRIVATE_DESTINATIONS: 'true' }, plans.take);
});
afterAll(async () => {
  await rig?.stop();
});

const read = (path: string) => rig.session.ok<Loose>('GET', path);
const send = (method: string, path: string, body?: object) => rig.session.ok<Loose>(method, path, body);

/** A few of every listed resource. */
async function fill(): Promise<Record<'monitor' | 'incident' | 'group' | 'project', string>> {
  const probe = await rig.probe('one');
  probe.beat();
  const destination = {
    name: 'Hook', type: 'webhook', is_default: true,
    config: { url: 'http://127.0.0.1:4999/', method: 'POST' },
  };
  await send('POST', '/api/integrations', destination);
  const { id: groupId } = await send('POST', '/api/groups', { name: 'Group' });
  const wish = {
    name: 'Shop', type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 60, group_id: groupId,
    tags: ['prod'],
  };
  const { monitor } = await send('POST', '/api/monitors', wish);
  const { monitor: job } = await send(
    'POST', '/api/monitors', { name: 'Job', type: 'HEARTBEAT', heartbeat_interval: 60, grace_period: 60 },
  );
  await send('GET', `/api/heartbeat/${job.heartbeat_token}`);
  await send('PATCH', `/api/monitors/${monitor.id}`, { interval_seconds: 120 });
  await send('POST', '/api/monitors/bulk', { action: 'pause', monitor_ids: [job.id] });
  const broken = {
    title: 'Broken', severity: 'major', type: 'timeout', error_message: 'No answer', check_id: monitor.id,
  };
  const { incident } = await send('POST', '/api/incidents', broken);
  await send('POST', `/api/incidents/${incident.id}/acknowledge`, {});
  await send('POST', `/api/incidents/${incident.id}/comments`, { comment_text: 'Looking' });
  const { projects } = await read('/api/projects');
  return { monitor: monitor.id, incident: incident.id, group: groupId, project: projects[0].id };
}

test('no list, statistics, timeline or background work scans a whole collection', async () => {
  const { monitor, incident, group, project } = await fill();
  const lists: [path: string, queries: string[]][] = [
    ['/api/monitors', [
      '', '?sort_by=name&sort_order=asc', '?sort_by=updated_at', '?status=active',
      '?status=paused&sort_by=name', '?type=HTTP', '?types=HTTP,HEARTBEAT&status=active',
      `?group_id=${group}`,
      `?group_id=${group}&type=HTTP&sort_by=name`, '?tags=prod', '?tags=prod,dev&status=active',
      '?search=sho', '?search=sho&type=HTTP&status=active&sort_by=name', '?offset=1&limit=1',
    ]],
    ['/api/incidents', [
      '', '?status=open', '?severity=major', '?source=manual', `?check_id=${monitor}`, '?search=brok',
      '?status=acknowledged&severity=major&from=2020-01-01T00:00:00Z', '?page=2',
    ]],
    ['/api/groups', ['', '?limit=1&offset=1']],
    ['/api/audit-log', ['']],
  ];
  for (const [path, queries] of lists) {
    for (const query of queries) await rig.session.call('GET', path + query);
  }
  const singles = [
    '/api/auth/me', '/api/monitors/stats', `/api/monitors/${monitor}`, `/api/monitors/${monitor}/stats`,
    `/api/monitors/${monitor}/results`, `/api/monitors/${monitor}/status-history`,
    `/api/monitors/${monitor}/regions`, `/api/monitors/${monitor}/response-times?period=90d`, `/api/monitors/${monitor}/evidence`,
    `/api/incidents/${incident}/evidence`, '/api/export',
    '/api/groups/hierarchy', '/api/groups/health-summary', `/api/groups/${group}`,
    `/api/groups/${group}/stats`, `/api/incidents/${incident}`, `/api/incidents/${incident}/updates`,
    `/api/incidents/${incident}/timeline`, `/api/incidents/${incident}/comments`,
    `/api/incidents/${incident}/notifications`, '/api/integrations', '/api/projects',
    `/api/projects/${project}/members`, '/api/organization/members', '/api/organization/invitations',
    '/api/auth/api-keys', '/api/billing', '/api/regions', '/api/probes', '/api/dashboard/overview',
  ];
  for (const path of singles) {
    const { status, error } = await rig.session.call('GET', path);
    expect(error?.code ?? status, path).toBe(path.endsWith(`${monitor}/stats`) ? 'STATS_NOT_FOUND' : 200);
  }
  await until(
    () => plans.collections.has('deliveries') && plans.collections.has('journal'),
    { what: 'background work has run' },
  );
  await send('DELETE', `/api/monitors/${monitor}`);
  await send('DELETE', `/api/groups/${group}`);
  expect(plans.size).toBeGreaterThan(60);
  const scans = plans.collectionScans();
  expect(
    scans.filter((shape) => !READ_WHOLE.some((name) => shape.startsWith(`${name} {"filter":{}`))),
  ).toEqual([]);
  expect(plans.collections).toContain('monitor_counts');
});
