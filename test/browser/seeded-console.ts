import { newId } from '../../shared/ids.ts';
import { VoteStore } from '../../controller/incidents/history-store.ts';
import type { Tenant } from '../helpers/tenants.ts';
import type { ConsoleRig } from './console-rig.ts';
import { seedDiagnosis } from '../helpers/seeded-diagnosis.ts';
import { seedMonitor, writeResults, type SeededMonitor } from './seeded-monitor.ts';

const HOUR_MS = 3_600_000;

/** Paths of the views without a session, by name. */
export const SIGNED_OUT_VIEWS = {
  'sign-in': '/sign-in', 'sign-up': '/sign-up', 'forgot-password': '/forgot-password',
  'accept-invitation': '/accept-invitation?token=none',
};

/** Fills every view with data. Returns the paths of the views by name. */
export async function seedConsole(rig: ConsoleRig, tenant: Tenant): Promise<Record<string, string>> {
  const { app } = rig;
  const client = tenant.owner.client.with({ 'x-project-id': tenant.projectId });
  const now = Date.now();
  const shop = await seedMonitor(app, tenant, now);
  const ids = await addMonitors(rig, tenant);
  const group = (await client.post('/api/groups', { name: 'Office' })).data;
  await client.patch(`/api/monitors/${ids.get('Mail')}`, { group_id: group.id, depends_on: [ids.get('Gateway'), ids.get('Names')] });
  await client.patch(`/api/monitors/${ids.get('Nightly backup')}`, { group_id: group.id });
  await addVotes(rig, tenant, shop);
  await seedDiagnosis(app, tenant, { id: shop.incident, monitorId: shop.id });
  const { probe } = (await client.post('/api/probes', { region_id: 'paris', name: 'rack 4' })).data;
  const { integration } = (await client.post('/api/integrations', {
    name: 'On call', type: 'email', is_default: true, config: { to: ['on-call@example.com'] },
  })).data;
  const pages = `/api/projects/${tenant.projectId}/status-pages`;
  const { status_page: page } = (await client.post(pages, { name: 'Acme', subdomain: 'acme' })).data;
  await client.put(`${pages}/${page.id}/monitors`, { monitors: [{ monitor_id: shop.id }] });
  await client.post(`${pages}/${page.id}/publish`);
  const variables = `/api/projects/${tenant.projectId}/variables`;
  await client.post(variables, { name: 'shop_host', value: 'shop.example' });
  await client.post(variables, { name: 'api_token', value: 'seeded-secret', is_secret: true });
  const { maintenance_window: window } = (await client.post(`/api/projects/${tenant.projectId}/maintenance-windows`, {
    title: 'New switches', starts_at: new Date(now + HOUR_MS).toISOString(), ends_at: new Date(now + 2 * HOUR_MS).toISOString(),
    recurrence: 'FREQ=WEEKLY', monitor_ids: [shop.id], status_page_ids: [page.id],
  })).data;
  return {
    overview: '/', 'overview-groups': '/monitors?group=tag', wall: '/wall', welcome: '/welcome', monitor: `/monitors/${shop.id}`,
    'monitor-edit': `/monitors/${shop.id}/edit`, 'monitor-new': '/monitors/new', 'monitor-import': '/monitors/import',
    'monitor-checks': `/monitors/${shop.id}/checks`, 'monitor-history': `/monitors/${shop.id}/history`,
    'monitor-expiry': `/monitors/${shop.id}/expiry`, 'monitor-policy': `/monitors/${shop.id}/policy`,
    'monitor-settings': `/monitors/${shop.id}/settings`,
    'monitor-port': '/monitors/new?type=tcp', 'monitor-job': '/monitors/new?type=heartbeat', group: `/groups/${group.id}`, incidents: '/incidents', incident: `/incidents/${shop.incident}`, fleet: '/fleet', regions: '/fleet/regions',
    probe: `/fleet/probes/${probe.id}`, destinations: '/destinations', destination: `/destinations/${integration.id}`,
    'destination-new': '/destinations/new', 'status-pages': '/pages', 'status-page': `/pages/${page.id}`,
    ...Object.fromEntries(['monitors', 'posts', 'subscribers', 'branding', 'settings', 'domain']
      .map((view) => [`status-page-${view}`, `/pages/${page.id}/${view}`])),
    'maintenance-new': '/maintenance/new', settings: '/settings', 'not-found': '/monitors/not/one/of/ours', maintenance: '/maintenance',
    calendar: '/maintenance?view=calendar', 'maintenance-window': `/maintenance/${window.id}`,
    ...Object.fromEntries(['organization', 'people', 'projects', 'variables', 'keys', 'plan', 'audit', 'account']
      .map((view) => [`settings-${view}`, `/settings/${view}`])),
  };
}

/** Returns their ids by name. */
async function addMonitors({ app }: ConsoleRig, { writeKey }: Tenant): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const others = [
    { name: 'Checkout API', type: 'HTTP', target: 'https://api.example/health', tags: ['checkout'] },
    { name: 'Mail', type: 'TCP', target: 'mx.example:25', tags: ['office'] },
    { name: 'Names', type: 'DNS', target: 'example.com', dns_config: { record_entries: [{ type: 'A' }] }, tags: ['network'] },
    { name: 'Gateway', type: 'ICMP', target: 'gw.example', tags: ['network'] },
    { name: 'Nightly backup', type: 'HEARTBEAT', heartbeat_interval: 86_400, grace_period: 3600, tags: ['office'] },
  ];
  for (const [at, body] of others.entries()) {
    const response = await writeKey.post('/api/monitors', { interval_seconds: 60, ...body });
    if (response.status !== 201) throw new Error(response.text);
    const status = at === 1 ? 'degraded' : 'up';
    const { id, name } = response.data.monitor;
    ids.set(name, id);
    await writeResults(app, id, Date.now(), Infinity);
    app.owners.live.set(id, {
      status, since: Date.now() - (at + 3) * 9 * HOUR_MS, last_check_at: Date.now() - 9000, last_success_at: null,
      last_failure_at: null, open_incident: null, in_maintenance: false,
      regions: [{
        region: 'paris', status, reason: null, last_check_at: Date.now() - 9000, response_time_ms: 40 + at * 61,
        probe_id: null,
      }],
    });
  }
  return ids;
}

async function addVotes({ app }: ConsoleRig, tenant: Tenant, shop: SeededMonitor): Promise<void> {
  const vote = { probe_id: 'p', at: shop.downAt, engine: '0.1.0', weight: 'counted' as const, attempt: 2 };
  const error = { type: 'status_code' as const, message: 'Expected 200 to 299, got 503' };
  await new VoteStore(app.db).insertIfAbsent({
    id: newId(shop.downAt), monitor_id: shop.id, organization_id: tenant.organizationId, project_id: tenant.projectId,
    incident_id: shop.incident, at: shop.downAt, verdict: 'down', policy: { regions: 'majority', retries: 1 },
    votes: [
      { ...vote, region: 'paris', vote: 'down', error }, { ...vote, region: 'dallas', vote: 'down', error },
      { ...vote, region: 'osaka', vote: 'up', attempt: 0 },
    ],
  });
}
