import type { Operation } from './document.ts';
import type { Making } from './values.ts';

type Recipe = (making: Making, params: Record<string, string>) => unknown;

const name = ({ random }: Making) => `fuzz ${random.int(0, 10 ** 6)}`;

/**
 * Bodies whose fields depend on each other in ways the schema does not express; null uses the schema alone.
 */
const RECIPES: Record<string, Recipe> = {
  'POST /api/monitors': monitor,
  'POST /api/monitors/test': monitor,
  'PUT /api/monitors/{id}': (making) => monitorChange(making),
  'PATCH /api/monitors/{id}': (making) => monitorChange(making),
  'POST /api/import': (making) => ({
    groups: [{ name: 'Imported' }],
    monitors: Array.from(
      { length: making.random.int(1, 3) }, () => ({ ...monitor(making), status: 'paused' }),
    ),
  }),
  'POST /api/incidents': (making) => {
    const { random, pool } = making;
    const of = random.chance(0.5) ? pool.pick('monitors', random) : null;
    const facts = {
      severity: random.pick(['critical', 'major', 'minor', 'warning']), type: 'timeout',
      error_message: 'Fuzzed',
    };
    return { ...facts, ...(of === null ? { title: name(making) } : { check_id: of.id }) };
  },
  'PUT /api/incidents/{id}': ({ random }) => ({
    severity: random.pick(['critical', 'minor']), ...(random.chance(0.5) ? { description: 'Described' } : {}),
  }),
  'PUT /api/incidents/{id}/status': ({ random }) => ({
    status: random.pick(['acknowledged', 'resolved', 'closed']),
  }),
  'POST /api/auth/login': ({ account }) => account,
  'PATCH /api/organization': (making) => ({ name: name(making) }),
  'PUT /api/billing/plan': () => ({ plan: 'scale' }),
  'POST /api/projects/{projectId}/status-pages': (making) => ({
    name: name(making), subdomain: `fuzz-${making.random.int(0, 10 ** 6)}`,
  }),
  'PUT /api/projects/{projectId}/status-pages/{id}': (making) => ({ name: name(making), timezone: 'Asia/Tokyo' }),
  'PATCH /api/projects/{projectId}/status-pages/{id}': (making) => ({
    description: name(making), branding: { primaryColor: '#123456' }, color_scheme: 'dark',
  }),
  'PUT /api/projects/{projectId}/status-pages/{id}/branding': (making) => ({ headerText: name(making) }),
  'PUT /api/projects/{projectId}/status-pages/{id}/monitors': (making) => {
    const monitor = making.pool.pick('monitors', making.random);
    return { monitors: monitor === null ? [] : [{ monitor_id: monitor.id, group_name: 'Fuzzed' }] };
  },
  'POST /api/projects/{projectId}/status-pages/{id}/incidents': (making) => ({
    title: name(making), message: name(making), severity: making.random.pick(['minor', 'major', 'critical']),
    affected_monitor_ids: making.pool.ids('attached'),
  }),
  'PATCH /api/projects/{projectId}/status-pages/{id}/incidents/{incidentId}': (making) => ({
    title: name(making),
  }),
  'PUT /api/projects/{projectId}/status-pages/{id}/incidents/{incidentId}': (making) => ({
    severity: 'minor', message: name(making),
  }),
  'POST /api/projects/{projectId}/status-pages/{id}/incidents/{incidentId}/updates': (making) => ({
    status: making.random.pick(['identified', 'monitoring', 'resolved']), message: name(making),
  }),
  'POST /api/public/status-pages/{subdomain}/subscribers': ({ random }) => ({
    email: `fuzz-${random.int(0, 10 ** 6)}@subscriber.example`, preferences: { frequency: 'daily' },
  }),
  'PUT /api/projects/{projectId}/status-pages/{id}/subscribers/{subscriberId}': ({ random }) => ({
    preferences: { maintenance: random.chance(0.5) },
  }),
  'PATCH /api/projects/{projectId}/status-pages/{id}/subscribers/{subscriberId}': ({ random }) => ({
    preferences: { maintenance: random.chance(0.5) },
  }),
  'POST /api/projects/{projectId}/status-pages/{id}/subscribers/bulk-delete': (making) => ({
    subscriber_ids: making.pool.ids('subscribers').slice(0, 1),
  }),
  'POST /api/projects/{projectId}/maintenance-windows': (making) => maintenance(making),
  'POST /api/projects/{projectId}/maintenance-windows/preview': (making) => maintenanceTimes(making),
  'PUT /api/projects/{projectId}/maintenance-windows/{id}': (making) => maintenance(making),
  'PATCH /api/projects/{projectId}/maintenance-windows/{id}': (making) => ({ title: name(making) }),
  'POST /api/projects/{projectId}/status-pages/{id}/subscribers/bulk-notify': (making) => ({
    subscriber_ids: making.pool.ids('subscribers').slice(0, 1), subject: name(making), message: name(making),
  }),
  'PUT /api/projects/{id}/members': () => ({ members: [] }),
};

function maintenance(making: Making): object {
  const monitors = making.random.chance(0.5) ? making.pool.ids('attached') : [];
  return { title: name(making), ...maintenanceTimes(making), monitor_ids: monitors };
}

function maintenanceTimes({ random }: Making): object {
  const rules = ['FREQ=DAILY', 'FREQ=WEEKLY;BYDAY=MO,TH', 'FREQ=MONTHLY;BYDAY=-1SU;COUNT=9', null];
  const startsAt = Date.UTC(2026, 10, 23) + random.int(0, 10 ** 9);
  return {
    starts_at: new Date(startsAt).toISOString(),
    ends_at: new Date(startsAt + random.int(1, 10 ** 7)).toISOString(), recurrence: random.pick(rules),
    timezone: random.pick(['UTC', 'Europe/Berlin', 'America/New_York']),
  };
}

export function recipeFor(operation: Operation, making: Making, params: Record<string, string>): unknown {
  return making.random.chance(0.8) ? (RECIPES[operation.name]?.(making, params) ?? null) : null;
}

function monitor(making: Making): Record<string, unknown> {
  const { random, pool, sink } = making;
  const group = random.chance(0.3) ? pool.pick('groups', random) : null;
  const shared = {
    name: name(making), ...(group === null ? {} : { group_id: group.id }),
    ...(random.chance(0.2) ? { tags: ['fuzz'] } : {}),
  };
  const interval = { interval_seconds: random.int(60, 3600) };
  return random.pick<() => Record<string, unknown>>([
    () => ({
      ...shared, ...interval, type: 'HTTP', target: sink,
      http_config: {
        method: 'GET', expected_status_codes: [200], headers: { 'X-Fuzz': '1' },
        expected_status_ranges: ['200-299'], ip_family: 'ipv4', connect_to: '127.0.0.1:9',
        assertions: [{ source: 'json', property: '$.a', comparison: 'less_than', target: 5 }],
      },
    }),
    () => ({
      ...shared, ...interval, type: 'KEYWORD', target: sink,
      keyword_config: { keywords: [{ text: 'ok', should_contain: true }], match_mode: 'all' },
    }),
    () => ({ ...shared, ...interval, type: 'ICMP', target: '127.0.0.1', icmp_config: { packet_count: 1 } }),
    () => ({
      ...shared, ...interval, type: 'TCP', target: '127.0.0.1',
      tcp_config: { port: random.int(1, 65_535), protocol: 'generic' },
    }),
    () => ({
      ...shared, ...interval, type: 'DNS', target: 'example.com',
      dns_config: { record_entries: [{ type: 'A' }] },
    }),
    () => ({ ...shared, type: 'HEARTBEAT', heartbeat_interval: 60, grace_period: 60 }),
  ])();
}

function monitorChange(making: Making): Record<string, unknown> {
  const { random, pool } = making;
  const group = pool.pick('groups', random);
  const changes = {
    name: name(making), interval_seconds: random.int(60, 3600), group_id: group?.id ?? null,
    tags: ['changed'], confirmation_policy: { retries: random.int(0, 5) },
  };
  return Object.fromEntries(Object.entries(changes).filter(() => random.chance(0.5)));
}
