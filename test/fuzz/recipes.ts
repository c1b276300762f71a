import type { Operation } from './document.ts';
import type { FuzzContext } from './values.ts';

type Recipe = (context: FuzzContext, params: Record<string, string>) => unknown;

const name = ({ random }: FuzzContext) => `fuzz ${random.int(0, 10 ** 6)}`;

/**
 * Bodies whose fields depend on each other in ways the schema does not express; null uses the schema alone.
 */
const RECIPES: Record<string, Recipe> = {
  'POST /api/monitors': monitor,
  'POST /api/monitors/test': monitor,
  'PUT /api/monitors/{id}': (context) => monitorChange(context),
  'PATCH /api/monitors/{id}': (context) => monitorChange(context),
  'POST /api/import': (context) => ({
    groups: [{ name: 'Imported' }],
    monitors: Array.from(
      { length: context.random.int(1, 3) }, () => ({ ...monitor(context), status: 'paused' }),
    ),
  }),
  'POST /api/incidents': (context) => {
    const { random, pool } = context;
    const of = random.chance(0.5) ? pool.pick('monitors', random) : null;
    const facts = {
      severity: random.pick(['critical', 'major', 'minor', 'warning']), type: 'timeout',
      error_message: 'Fuzzed',
    };
    return { ...facts, ...(of === null ? { title: name(context) } : { check_id: of.id }) };
  },
  'PUT /api/incidents/{id}': ({ random }) => ({
    severity: random.pick(['critical', 'minor']), ...(random.chance(0.5) ? { description: 'Described' } : {}),
  }),
  'PUT /api/incidents/{id}/status': ({ random }) => ({
    status: random.pick(['acknowledged', 'resolved', 'closed']),
  }),
  'POST /api/auth/login': ({ account }) => account,
  'PATCH /api/organization': (context) => ({ name: name(context) }),
  'PUT /api/billing/plan': () => ({ plan: 'scale' }),
  'POST /api/projects/{projectId}/status-pages': (context) => ({
    name: name(context), subdomain: `fuzz-${context.random.int(0, 10 ** 6)}`,
  }),
  'PUT /api/projects/{projectId}/status-pages/{id}': (context) => ({ name: name(context), timezone: 'Asia/Tokyo' }),
  'PATCH /api/projects/{projectId}/status-pages/{id}': (context) => ({
    description: name(context), branding: { primaryColor: '#123456' }, color_scheme: 'dark',
  }),
  'PUT /api/projects/{projectId}/status-pages/{id}/branding': (context) => ({ headerText: name(context) }),
  'PUT /api/projects/{projectId}/status-pages/{id}/monitors': (context) => {
    const monitor = context.pool.pick('monitors', context.random);
    return { monitors: monitor === null ? [] : [{ monitor_id: monitor.id, group_name: 'Fuzzed' }] };
  },
  'POST /api/projects/{projectId}/status-pages/{id}/incidents': (context) => ({
    title: name(context), message: name(context), severity: context.random.pick(['minor', 'major', 'critical']),
    affected_monitor_ids: context.pool.ids('attached'),
  }),
  'PATCH /api/projects/{projectId}/status-pages/{id}/incidents/{incidentId}': (context) => ({
    title: name(context),
  }),
  'PUT /api/projects/{projectId}/status-pages/{id}/incidents/{incidentId}': (context) => ({
    severity: 'minor', message: name(context),
  }),
  'POST /api/projects/{projectId}/status-pages/{id}/incidents/{incidentId}/updates': (context) => ({
    status: context.random.pick(['identified', 'monitoring', 'resolved']), message: name(context),
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
  'POST /api/projects/{projectId}/status-pages/{id}/subscribers/bulk-delete': (context) => ({
    subscriber_ids: context.pool.ids('subscribers').slice(0, 1),
  }),
  'POST /api/projects/{projectId}/variables': ({ random }) => ({
    name: `v_${random.int(0, 10 ** 6)}`, value: 'x', is_secret: random.chance(0.5),
  }),
  'PATCH /api/projects/{projectId}/variables/{id}': ({ random }) => ({ value: `${random.int(0, 10 ** 6)}` }),
  'PUT /api/projects/{projectId}/variables/{id}': ({ random }) => ({ value: `${random.int(0, 10 ** 6)}` }),
  'POST /api/projects/{projectId}/maintenance-windows': (context) => maintenance(context),
  'POST /api/projects/{projectId}/maintenance-windows/preview': (context) => maintenanceTimes(context),
  'PUT /api/projects/{projectId}/maintenance-windows/{id}': (context) => maintenance(context),
  'PATCH /api/projects/{projectId}/maintenance-windows/{id}': (context) => ({ title: name(context) }),
  'POST /api/projects/{projectId}/status-pages/{id}/subscribers/bulk-notify': (context) => ({
    subscriber_ids: context.pool.ids('subscribers').slice(0, 1), subject: name(context), message: name(context),
  }),
  'PUT /api/projects/{id}/members': () => ({ members: [] }),
};

function maintenance(context: FuzzContext): object {
  const monitors = context.random.chance(0.5) ? context.pool.ids('attached') : [];
  return { title: name(context), ...maintenanceTimes(context), monitor_ids: monitors };
}

function maintenanceTimes({ random }: FuzzContext): object {
  const rules = ['FREQ=DAILY', 'FREQ=WEEKLY;BYDAY=MO,TH', 'FREQ=MONTHLY;BYDAY=-1SU;COUNT=9', null];
  const startsAt = Date.UTC(2026, 10, 23) + random.int(0, 10 ** 9);
  return {
    starts_at: new Date(startsAt).toISOString(),
    ends_at: new Date(startsAt + random.int(1, 10 ** 7)).toISOString(), recurrence: random.pick(rules),
    timezone: random.pick(['UTC', 'Europe/Berlin', 'America/New_York']),
  };
}

export function recipeFor(operation: Operation, context: FuzzContext, params: Record<string, string>): unknown {
  return context.random.chance(0.8) ? (RECIPES[operation.name]?.(context, params) ?? null) : null;
}

function monitor(context: FuzzContext): Record<string, unknown> {
  const { random, pool, sink } = context;
  const group = random.chance(0.3) ? pool.pick('groups', random) : null;
  const shared = {
    name: name(context), ...(group === null ? {} : { group_id: group.id }),
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
    () => ({ ...shared, type: 'HEARTBEAT', heartbeat_schedule: '30 3 * * 1-5', grace_period: 60, max_runtime_seconds: 60 }),
  ])();
}

function monitorChange(context: FuzzContext): Record<string, unknown> {
  const { random, pool } = context;
  const group = pool.pick('groups', random);
  const changes = {
    name: name(context), interval_seconds: random.int(60, 3600), group_id: group?.id ?? null,
    tags: ['changed'], confirmation_policy: { retries: random.int(0, 5) },
  };
  return Object.fromEntries(Object.entries(changes).filter(() => random.chance(0.5)));
}
