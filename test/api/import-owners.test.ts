import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';

const SECRETS = /hidden-[a-z]+/;
/** Monitors of the smallest plan. */
const FEW = 3;
const LISTS = ['groups', 'integrations', 'variables', 'monitors', 'status_pages', 'maintenance_windows'] as const;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await makeApp({ plansJson: `{"free":{"monitors":${FEW}}}` });
  tenant = await newTenant(app);
});
afterAll(() => app.close());

interface Project {
  id: string;
  /** With an API key. */
  client: ApiClient;
  /** With the owner's session. */
  session: ApiClient;
}

async function newProject(): Promise<Project> {
  const { id } = (await tenant.owner.client.post('/api/projects', { name: `p${randomUUID()}` })).data.project;
  const header = { 'x-project-id': id };
  return { id, client: tenant.writeKey.with(header), session: tenant.owner.client.with(header) };
}

const shop = { type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
const wholeDocument = (subdomain = `s-${randomUUID()}`) => ({
  groups: [{ name: 'Shop', parent: 'All' }, { name: 'All' }],
  integrations: [
    {
      name: 'On call', type: 'pagerduty', config: { routing_key: 'hidden-key' }, is_default: true, delay_minutes: 5,
      filter: { monitors: ['Front', 'Router'], groups: ['Shop'], severities: ['critical'] },
    },
    { name: 'Chat', type: 'slack', config: { webhook_url: 'https://hooks.slack.com/hidden-path' } },
    { name: 'Hook', type: 'webhook', config: {
      url: 'https://hook.example/in', headers: { 'X-Key': 'hidden-header', Accept: 'application/json' },
    }, events: ['monitor.down'], hours: { timezone: 'Europe/Berlin', days: [1, 2], from: '08:00', to: '18:00', outside: 'hold' } },
    { name: 'Urls', type: 'apprise', config: { base_url: 'https://apprise.example', urls: ['hidden-a', 'hidden-b'] }, grouping: 'off' },
  ],
  variables: [{ name: 'shop_host', value: 'shop.example' }, { name: 'token', value: 'hidden-token', is_secret: true }],
  monitors: [
    { ...shop, name: 'Front', headers: { 'X-Token': '{{token}}' }, group: 'Shop', depends_on: ['Router', 'Backup'], destinations: ['On call', 'Chat'], tags: ['a', 'b'] },
    { name: 'Router', type: 'ICMP', target: '192.0.2.1', interval_seconds: 60, destinations: ['Hook'] },
    { name: 'Backup', type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 60, group: 'All' },
    { name: 'Backup', type: 'HEARTBEAT', heartbeat_interval: 7200, grace_period: 60 },
    { ...shop, name: 'Twin', interval_seconds: 300 },
    { ...shop, name: 'Twin', tags: ['second'] },
  ],
  status_pages: [{ name: 'Status', subdomain, status: 'published', monitors: [{ monitor: 'Front' }, { monitor: 'Twin' }] }],
  maintenance_windows: [
    {
      title: 'Restart', starts_at: '2024-01-01T23:00:00.000Z', ends_at: '2024-01-02T00:00:00.000Z', recurrence: 'FREQ=DAILY',
      timezone: 'Europe/Berlin', monitors: ['Front', 'Backup', 'Backup'], status_pages: [subdomain], suppress_alerts: false,
    },
    { title: 'Move', starts_at: '2099-01-01T23:00:00.000Z', ends_at: '2099-01-02T00:00:00.000Z', description: 'Once' },
  ],
});
type Document = ReturnType<typeof wholeDocument>;
const COUNT = Object.values(wholeDocument()).flat().length;

async function send(client: ApiClient, document: object, query = ''): Promise<Loose> {
  const { status, data, text } = await client.post(`/api/import${query}`, document);
  expect(status, text).toBe(200);
  return data;
}
const exportOf = async ({ client }: Project): Promise<Loose> => (await client.get('/api/export')).data;
const actionsOf = (data: Loose) => LISTS.flatMap((list) => data[list].map((item: Loose) => `${item['action']} ${item['name']}`));

/** What the API reads of who manages each item, by name. */
async function ownersOf({ client, session, id }: Project): Promise<Record<string, unknown>> {
  const path = `/api/projects/${id}`;
  const reads: Loose[] = [
    ...(await client.get('/api/groups')).data.groups, ...(await session.get('/api/integrations')).data.integrations,
    ...(await client.get('/api/monitors')).data.monitors, ...(await session.get(`${path}/status-pages`)).data.status_pages,
    ...(await session.get(`${path}/maintenance-windows`)).data.maintenance_windows,
    ...(await session.get(`${path}/variables`)).data.variables,
  ];
  return Object.fromEntries(reads.map((one) => [one['name'] ?? one['title'], one['managed_by']]));
}

/** An export without what the order of the document decides. */
const unordered = (document: Loose) => Object.fromEntries(LISTS.map((list) => [
  list, document[list].map((item: Loose) => JSON.stringify(item)).sort(),
]));

test('a document holds a whole project; importing it or its export again changes nothing', async () => {
  const [project, document] = [await newProject(), wholeDocument()];
  expect(actionsOf(await send(project.client, document, '?dry_run=true'))).toHaveLength(COUNT);
  expect(Object.keys(await ownersOf(project))).toEqual([]);
  expect((await send(project.client, document)).summary).toEqual({ created: COUNT, updated: 0, unchanged: 0 });

  const exported = await exportOf(project);
  const { text } = await project.client.get('/api/export?format=yaml');
  expect(parse(text)).toEqual(exported);
  expect(text).not.toMatch(SECRETS);
  expect(exported['integrations']).toMatchObject([
    { ...document.integrations[0], config: { routing_key: '***' } },
    { name: 'Chat', config: { webhook_url: 'https://hooks.slack.com/***' } },
    { ...document.integrations[2], config: { url: 'https://hook.example/in', headers: { 'X-Key': '***', Accept: 'application/json' } } },
    { name: 'Urls', config: { urls: ['***', '***'] }, grouping: 'off' },
  ]);
  expect(exported['monitors'][0]).toMatchObject({ depends_on: ['Router', 'Backup'], destinations: ['On call', 'Chat'] });
  expect(exported['monitors'][0]).not.toHaveProperty('notification_target_ids');
  expect(exported['maintenance_windows']).toMatchObject(document.maintenance_windows.map((window) => ({ ...window })));
  for (const again of [document, exported, { success: true, data: exported }]) {
    expect((await send(project.client, again)).summary).toEqual({ created: 0, updated: 0, unchanged: COUNT });
  }
  const { integrations } = (await project.session.get('/api/integrations')).data;
  const hook = integrations.find((one: Loose) => one['name'] === 'Hook');
  expect(hook.config.headers['X-Key']).toBe('hidden-header');

  const elsewhere = await newProject();
  const moved = wholeDocument();
  await send(elsewhere.client, moved);
  const subdomainOf = ({ status_pages: [page] }: Document) => page?.subdomain ?? '';
  const renamed = JSON.stringify(exported).replaceAll(subdomainOf(document), subdomainOf(moved));
  expect(await exportOf(elsewhere)).toEqual(JSON.parse(renamed));
  expect((await exportOf({ ...project, client: tenant.readKey.with({ 'x-project-id': project.id }) })))
    .not.toHaveProperty('integrations');
});

test('*** keeps the stored secrets while other fields change, and never sends them to another address', async () => {
  const { client } = await newProject();
  await send(client, wholeDocument());
  const change = (name: string, type: string, config: object) => ({ integrations: [{ name, type, config }] });
  const hook = change('Hook', 'webhook', { url: 'https://hook.example/out', headers: { 'x-key': '***', Other: 'o' } });
  const { integrations: [item] } = await send(client, hook);
  expect(item.differences).toContainEqual({ field: 'config.url', before: 'https://hook.example/in', after: 'https://hook.example/out' });
  expect(JSON.stringify(item)).not.toMatch(SECRETS);
  expect((await send(client, hook)).summary.unchanged).toBe(1);
  const refused = async (document: object) => {
    const { status, error } = await client.post('/api/import', document);
    return [status, error?.details?.[0]?.path?.join('.'), error?.details?.[0]?.message];
  };
  expect(await refused(change('Hook', 'webhook', { url: 'https://other.example/', headers: { 'X-Key': '***' } })))
    .toEqual([400, 'integrations.0.config.headers', 'Enter this again, because the address has changed']);
  expect(await refused(change('New', 'slack', { webhook_url: 'https://hooks.slack.com/***' })))
    .toEqual([400, 'integrations.0.config.webhook_url', '*** keeps a stored value, but there is none']);
});

test('an import marks what it creates and takes over; an item of another owner is a conflict', async () => {
  const project = await newProject();
  const { client, session } = project;
  const document = wholeDocument();
  await send(client, { groups: [{ name: 'All' }], monitors: [document.monitors[1], { ...shop, name: 'By hand' }].map((one) => ({ ...one, destinations: [] })) });
  expect(await ownersOf(project)).toEqual({ All: null, Router: null, 'By hand': null });
  const plan = await send(client, document, '?owner=shop.yaml&dry_run=true');
  expect(plan['groups'][1]).toMatchObject({
    action: 'update', changes: ['managed_by'], differences: [{ field: 'managed_by', before: null, after: 'shop.yaml' }],
  });
  await send(client, document, '?owner=shop.yaml');
  const marked = await ownersOf(project);
  expect(marked).toEqual({ ...Object.fromEntries(Object.keys(marked).map((name) => [name, 'shop.yaml'])), 'By hand': null });
  expect((await send(client, document, '?owner=shop.yaml')).summary).toEqual({ created: 0, updated: 0, unchanged: COUNT });

  const other = {
    groups: [{ name: 'Shop', description: 'Mine' }, { name: 'New' }], monitors: [{ ...shop, name: 'By hand', tags: ['x'] }],
    integrations: [{ name: 'Chat', type: 'slack' }], status_pages: [{ name: 'Status' }],
    maintenance_windows: [document.maintenance_windows[1]],
  };
  const before = await exportOf(project);
  const dry = await send(client, other, '?owner=other&dry_run=true');
  expect(dry['summary']).toEqual({ created: 1, updated: 1, unchanged: 0, conflicts: 4 });
  expect(dry['groups'][0]).toMatchObject({ action: 'conflict', managed_by: 'shop.yaml', changes: ['description', 'managed_by'] });
  const refused = await client.post('/api/import?owner=other', other);
  expect([refused.status, refused.code]).toEqual([409, 'CONFLICT']);
  expect(refused.error.details.conflicts).toMatchObject([
    { section: 'groups', name: 'Shop', managed_by: 'shop.yaml' }, { section: 'integrations', name: 'Chat' },
    { section: 'status_pages', name: 'Status' }, { section: 'maintenance_windows', name: 'Move' },
  ]);
  expect(await exportOf(project)).toEqual(before);
  expect(await ownersOf(project)).toEqual(marked);

  // Of two with the same name, it takes its own, else the one of nobody.
  const twin = { ...shop, name: 'Router', target: '192.0.2.1', type: 'ICMP' };
  await client.post('/api/monitors', { ...twin, target: '192.0.2.9' });
  expect((await send(client, { monitors: [twin] }, '?owner=other&dry_run=true'))['monitors']).toMatchObject([
    { action: 'update', changes: ['target', 'managed_by'] },
  ]);

  // Without an owner, an import changes items as before, and leaves their owner.
  expect((await send(client, { groups: other.groups.slice(0, 1) })).summary.updated).toBe(1);
  expect(await ownersOf(project)).toEqual(marked);
  const group = (await client.get('/api/groups?limit=100')).data.groups.find((one: Loose) => one['name'] === 'Shop');
  expect((await session.patch(`/api/groups/${group.id}`, { ...group, description: 'By hand' })).status).toBe(200);
  expect((await ownersOf(project))['Shop']).toBe('shop.yaml');
});

test('prune deletes what the owner manages and the document lacks, of every list, and nothing else', async () => {
  const project = await newProject();
  const { client } = project;
  const document = wholeDocument();
  const kept = { ...shop, name: 'By hand', group: 'Shop', depends_on: ['Router'], destinations: ['Hook'] };
  await send(client, document, '?owner=a');
  await send(client, { monitors: [kept] });
  await send(client, { groups: [{ name: 'Of b' }] }, '?owner=b');
  expect((await client.post('/api/import?prune=true', {})).error.details).toMatchObject([{ path: ['prune'] }]);
  const alone = { group: null, depends_on: [], destinations: [], headers: {} };
  const rest = { monitors: document.monitors.slice(0, 1).map((monitor) => ({ ...monitor, ...alone })) };
  const plan = await send(client, rest, '?owner=a&prune=true&dry_run=true');
  expect(plan['summary']).toEqual({ created: 0, updated: 1, deleted: COUNT - 1, unchanged: 0 });
  expect((await client.post('/api/import?owner=a&prune=true', { monitors: document.monitors.slice(0, 1) })).error.details)
    .toMatchObject([
      { path: ['monitors', 0, 'group'], message: 'Unknown group' }, { path: ['monitors', 0, 'depends_on'], message: 'Unknown monitor: Router' },
      { path: ['monitors', 0, 'depends_on'] }, { path: ['monitors', 0, 'destinations'], message: 'Unknown destination: On call' },
      { path: ['monitors', 0, 'destinations'] },
      { path: ['monitors', 0, 'headers', 'X-Token'], message: 'Unknown variable: {{token}}. Write \\{{ for a literal {{' },
    ]);
  expect(Object.keys(await ownersOf(project))).toHaveLength(COUNT);
  const done = await send(client, rest, '?owner=a&prune=true');
  expect(actionsOf(done).filter((action) => action.startsWith('delete'))).toHaveLength(COUNT - 1);
  expect(await ownersOf(project)).toEqual({ Front: 'a', 'By hand': null, 'Of b': 'b' });
  expect((await exportOf(project))['monitors']).toMatchObject([{ name: 'Front' }, { name: 'By hand', group: null, depends_on: [] }]);
  expect((await send(client, rest, '?owner=a&prune=true')).summary).toEqual({ created: 0, updated: 0, deleted: 0, unchanged: 1 });
  const editor = (await newMember(app, tenant, 'member', { [project.id]: 'editor' })).client.with({ 'x-project-id': project.id });
  const mine = { integrations: [{ name: 'Mail', type: 'email', config: { to: ['a@shop.example'] } }] };
  expect((await editor.post('/api/import?owner=a', mine)).code).toBe('INSUFFICIENT_PERMISSIONS');
  await send(client, { ...rest, ...mine }, '?owner=a');
  expect((await editor.post('/api/import?owner=a&prune=true', rest)).code).toBe('INSUFFICIENT_PERMISSIONS');
  expect((await send(editor, rest, '?owner=a')).summary.unchanged).toBe(1);
});

test('prune makes room before new items are created', async () => {
  const small = await newTenant(app);
  await small.owner.client.put('/api/billing/plan', { plan: 'free' });
  const many = (prefix: string) => ({
    monitors: Array.from({ length: FEW }, (_, at) => ({ ...shop, interval_seconds: 300, name: `${prefix}${at}` })),
  });
  expect((await send(small.writeKey, many('a'), '?owner=x')).summary.created).toBe(FEW);
  expect((await small.writeKey.post('/api/import?owner=x', many('b'))).code).toBe('MONITOR_LIMIT_REACHED');
  expect((await send(small.writeKey, many('b'), '?owner=x&prune=true')).summary).toMatchObject({ created: FEW, deleted: FEW });
  expect((await small.writeKey.get('/api/monitors')).data.pagination.total_count).toBe(FEW);
});

test('the order of a document has no meaning', async () => {
  const project = await newProject();
  const document = wholeDocument();
  await send(project.client, document, '?owner=a');
  const expected = unordered(await exportOf(project));
  const shuffled = <T>(list: readonly T[]) => fc.shuffledSubarray([...list], { minLength: list.length });
  const shuffledLists = fc.record(Object.fromEntries(Object.entries(document).map(([name, list]) => [
    name, shuffled<Loose>(list).chain((items) => fc.tuple(...items.map((item) => fc.record({
      ...Object.fromEntries(Object.entries(item).map(([field, value]) => [
        field, Array.isArray(value) && value.every((one) => typeof one === 'string') ? shuffled<unknown>(value) : fc.constant(value),
      ])),
    })))),
  ])) as Record<keyof Document, fc.Arbitrary<Loose[]>>);
  let isFresh = true;
  await fc.assert(fc.asyncProperty(shuffledLists, async (other) => {
    expect((await send(project.client, other, '?owner=a&prune=true')).summary)
      .toEqual({ created: 0, updated: 0, deleted: 0, unchanged: COUNT });
    if (!isFresh) return;
    isFresh = false;
    await send(project.client, {}, '?owner=a&prune=true');
    await send(project.client, other, '?owner=a');
    // Lists without a meaning of their order are stored as sent at first.
    const sorted = JSON.parse(JSON.stringify(other), (_key, value: unknown) => (
      Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.toSorted() : value
    )) as Document;
    expect((await send(project.client, sorted, '?owner=a')).summary.unchanged).toBe(COUNT);
    await send(project.client, {}, '?owner=a&prune=true');
    await send(project.client, document, '?owner=a');
    expect(unordered(await exportOf(project))).toEqual(expected);
  }), { numRuns: fewOrAll(3, 50) });
});

test('of two imports at once, one follows the other, and never mixes with it', async () => {
  const project = await newProject();
  const versions = ['one', 'two'].map((text, at) => {
    const document = wholeDocument(`s-${project.id}`);
    return {
      ...document,
      groups: [...document.groups, { name: `Only ${text}` }].map((group) => ({ ...group, description: text })),
      monitors: [...document.monitors, { ...shop, name: `Only ${text}` }].map((monitor) => ({ ...monitor, tags: [text] })),
      integrations: document.integrations.map((one) => ({ ...one, enabled: at === 0 })),
      maintenance_windows: document.maintenance_windows.map((window) => ({ ...window, description: text })),
    };
  });
  const outcomes = [];
  for (const version of versions) {
    await send(project.client, version, '?owner=a&prune=true');
    outcomes.push(unordered(await exportOf(project)));
  }
  for (let round = 0; round < fewOrAll(2, 20); round += 1) {
    const responses = await Promise.all(versions.map((version) => project.client.post('/api/import?owner=a&prune=true', version)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(outcomes).toContainEqual(unordered(await exportOf(project)));
  }
});

const NOBODY = randomUUID();
const times = { starts_at: '2099-01-01T00:00:00Z', ends_at: '2099-01-01T01:00:00Z' };
test.each<[string, object, string[]]>([
  ['unknown names', {
    monitors: [
      { ...shop, name: 'A', destinations: ['Nobody'], depends_on: ['Nothing'], group: 'None' },
      { ...shop, name: 'B', notification_target_ids: [NOBODY] },
    ],
    integrations: [{ name: 'N', type: 'ntfy', config: { topic: 't' }, filter: { monitors: ['Nothing'] } }],
    maintenance_windows: [{ title: 'W', ...times, monitors: ['Nothing'], status_pages: ['none'] }],
  }, [
    'integrations.0.filter.monitors: Unknown monitor: Nothing', 'monitors.0.group: Unknown group',
    'monitors.0.depends_on: Unknown monitor: Nothing', 'monitors.0.destinations: Unknown destination: Nobody',
    `monitors.1.notification_target_ids: Unknown destination: ${NOBODY}`,
    'maintenance_windows.0.monitors: Unknown monitor: Nothing', 'maintenance_windows.0.status_pages: Unknown status page: none',
  ]],
  ['a cycle', { monitors: [{ ...shop, name: 'A', depends_on: ['B'] }, { ...shop, name: 'B', depends_on: ['A'] }] }, [
    'monitors.0.depends_on: Would form a cycle: A → B → A',
  ]],
  ['bad settings', {
    integrations: [
      { name: 'N', type: 'ntfy', config: {} }, { name: 'S', type: 'slack', config: { webhook_url: 'https://discord.com/x' } },
      { name: 'P', type: 'gotify', config: { base_url: 'http://192.168.0.1', token: 't' } }, { name: 'W', type: 'webhook', config: { topic: 't' } },
    ],
    maintenance_windows: [{ title: 'W', starts_at: times.ends_at, ends_at: times.starts_at }],
  }, [
    'integrations.0.config.topic: Required', expect.stringMatching(/^integrations.1.config.webhook_url: .*Discord/),
    expect.stringMatching(/^integrations.2.config.base_url: .*publicly/), 'integrations.3.config.url: Required',
    'integrations.3.config.topic: Unrecognized key', 'maintenance_windows.0.ends_at: Must be after starts_at',
  ]],
  ['a monitor in too many windows', {
    monitors: [{ ...shop, name: 'A' }],
    maintenance_windows: Array.from({ length: 11 }, (_, at) => ({ title: `W${at}`, ...times, monitors: ['A'] })),
  }, ['maintenance_windows.10.monitors: A monitor can be in at most 10 upcoming windows']],
])('a document with %s is refused with the paths of the faults, and stores nothing', async (_what, document, faults) => {
  const project = await newProject();
  const { code, error } = await project.client.post('/api/import', { groups: [{ name: 'G' }], ...document });
  expect(code).toBe('VALIDATION_ERROR');
  expect(error.details.map(({ path, message }: Loose) => `${path.join('.')}: ${message}`)).toEqual(faults);
  expect(await ownersOf(project)).toEqual({});
});

test.each<[string, object, string]>([
  ['integrations', { integrations: Array.from({ length: 101 }, (_, at) => ({ name: `N${at}`, type: 'ntfy', config: { topic: 't' } })) }, 'at most 100 integrations'],
  ['groups', { groups: Array.from({ length: 999 }, (_, at) => ({ name: `G${at}` })) }, 'at most 1000 groups'],
])('more %s than a project can have are refused before anything is stored', async (_what, document, message) => {
  const project = await newProject();
  await send(project.client, { groups: [{ name: 'A' }, { name: 'B' }] });
  const { code, error } = await project.client.post('/api/import', { monitors: [{ ...shop, name: 'M' }], ...document });
  expect([code, error.message]).toEqual(['FAIR_USE_LIMIT_REACHED', expect.stringContaining(message)]);
  expect(Object.keys(await ownersOf(project))).toEqual(['A', 'B'].toReversed());
});
