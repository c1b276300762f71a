import { MongoClient, type Collection } from 'mongodb';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { DomainDoc } from '../../controller/domains/domain.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { passTime } from '../helpers/pass-time.ts';
import { QueryPlans } from '../helpers/query-plans.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { startRegistry, type Registry } from '../helpers/registry.ts';
import { until } from '../helpers/until.ts';

const DAY_MS = 86_400_000;
/** Registries return whole seconds. */
const inDays = (days: number): string =>
  new Date(Math.floor(Date.now() / 1000) * 1000 + days * DAY_MS).toISOString();

const plans = new QueryPlans();
let registry: Registry;
let hook: Receiver;
let rig: ControllerRig;
let client: MongoClient;
let domains: Collection<DomainDoc>;

beforeAll(async () => {
  [registry, hook] = await Promise.all([startRegistry(), startReceiver()]);
  const env = { ALLOW_PRIVATE_DESTINATIONS: 'true', DOMAIN_LOOKUPS: 'true' };
  rig = await startControllerRig(env, plans.take, undefined, { domainRoots: registry.roots });
  client = await MongoClient.connect(rig.store.url);
  domains = client.db().collection<DomainDoc>('domains');
  await rig.session.ok('POST', '/api/integrations', {
    name: 'Hook', type: 'webhook', is_default: true, config: { url: hook.url, method: 'POST' },
  });
});
afterAll(async () => {
  await client?.close();
  await rig?.stop();
  await Promise.all([registry, hook].map((each) => each?.close()));
});

const rigs: ControllerRig[] = [];
afterEach(async () => {
  for (const one of rigs.splice(0)) await one.stop();
});

async function createDomainMonitor(target: string, { session } = rig, more: object = { type: 'HTTP' }): Promise<string> {
  const { monitor } = await session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
    name: target, target, interval_seconds: 60, ...more,
    domain_monitoring: { enabled: true, expiry_warning_days: [30, 7] },
  });
  return monitor.id;
}

interface Seen {
  domain: string | null;
  expires_at: number | null;
  registrar: string | null;
  source: string | null;
  looked_up_at: number | null;
  status: string;
  message: string | null;
}

/** Null before the first lookup. */
async function seen(id: string, { session } = rig): Promise<Seen | null> {
  const { status, data, error } = await session.call('GET', `/api/monitors/${id}/domain`);
  if (status === 404) expect(error?.code).toBe('STATS_NOT_FOUND');
  return status === 200 ? (data?.['domain'] as unknown as Seen) : null;
}

const seenAs = (id: string, status: string, of = rig): Promise<Seen> => until(async () => {
  const found = await seen(id, of);
  return found?.status === status && found;
}, { what: `the status is ${status}` });

/** Number of warnings received for the monitor. */
const warningsOf = (id: string): number => hook.requests.map(({ body }) => JSON.parse(body.toString('utf8')))
  .filter(({ event, monitor }) => event === 'monitor.domain_expiring' && monitor.id === id).length;

/**
 * Makes a domain be looked up again; resolves when that is done. An only controller is not notified of changes
 * in the database, so one of the domain's monitors is changed too: then it polls within a second.
 */
async function lookUpAgain(domain: string, monitorId: string): Promise<void> {
  const before = registry.lookupsOf(domain);
  const was = await domains.findOne({ _id: domain });
  // A lookup in progress would set its due time afterwards.
  await until(async () => {
    const { matchedCount } = await domains.updateOne({ _id: domain, claim: { $exists: false } }, { $set: { due_at: 1 } });
    return matchedCount === 1;
  }, { what: 'no lookup is in progress' });
  await rig.session.ok('PATCH', `/api/monitors/${monitorId}`, { name: `${domain}, lookup ${before + 1}` });
  await until(() => registry.lookupsOf(domain) > before, { what: `a lookup of ${domain}` });
  await until(async () => {
    const doc = await domains.findOne({ _id: domain });
    const isSettled = doc?.published_expires_at === doc?.expires_at && (doc?.due_at ?? 0) > Date.now() + 600_000;
    const hasSucceeded = isSettled && doc?.looked_up_at !== was?.looked_up_at;
    return hasSucceeded || (doc?.failures ?? 0) > (was?.failures ?? 0);
  }, { what: 'its outcome is stored' });
}

test('monitors of one domain share a lookup, and each warns once per threshold and expiry', async () => {
  const expiry = inDays(20);
  registry.expiries.set('shop.com', expiry);
  const ids = await Promise.all([
    createDomainMonitor('https://www.shop.com/'), createDomainMonitor('mail.shop.com:25', rig, { type: 'TCP' }),
  ]);
  await until(() => ids.every((id) => warningsOf(id) === 1), { what: 'both warnings' });
  expect(registry.lookupsOf('shop.com')).toBe(1);
  const { looked_up_at: at, ...facts } = (await seen(ids[0] as string)) as Seen;
  expect(facts).toEqual({
    domain: 'shop.com', expires_at: Date.parse(expiry), registrar: 'Example Registrar',
    source: 'rdap', status: 'ok', message: null,
  });
  expect(Math.abs((at as number) - Date.now())).toBeLessThan(600_000);

  await lookUpAgain('shop.com', ids[0] as string);
  await rig.restart(async () => undefined);
  await lookUpAgain('shop.com', ids[0] as string);
  const third = await createDomainMonitor('https://shop.com/third');
  await until(() => warningsOf(third) === 1, { what: 'the warning of a monitor that came later' });
  expect(ids.map(warningsOf)).toEqual([1, 1]);
  expect(registry.lookupsOf('shop.com')).toBe(3);

  registry.expiries.set('shop.com', inDays(400));
  await lookUpAgain('shop.com', ids[0] as string);
  registry.expiries.set('shop.com', inDays(5));
  await lookUpAgain('shop.com', ids[0] as string);
  await until(() => [...ids, third].every((id) => warningsOf(id) === 2), { what: 'warnings of the new expiry' });
});

test('a failed lookup keeps the last good response and reports the reason', async () => {
  registry.expiries.set('keep.com', inDays(200));
  const id = await createDomainMonitor('https://keep.com/');
  const good = await seenAs(id, 'ok');
  registry.expiries.delete('keep.com');
  await lookUpAgain('keep.com', id);
  const { host } = new URL(registry.http.url);
  expect(await seen(id)).toEqual({
    ...good, status: 'failed', message: `keep.com is not registered, according to ${host}`,
  });
  expect(warningsOf(id)).toBe(0);
  registry.expiries.set('keep.com', inDays(201));
  await lookUpAgain('keep.com', id);
  expect(await seenAs(id, 'ok')).toMatchObject({ message: null });
});

test('WHOIS is queried if there is no RDAP server, with one referral if the registry has no expiry', async () => {
  registry.whois.set('net', 'domain: NET\n\nwhois: 127.0.0.1\n');
  registry.whois.set('thing.net', `Domain: thing.net\r\nRegistrar: Names\r\nExpires: ${inDays(100)}\r\n`);
  const id = await createDomainMonitor('https://thing.net/');
  expect(await seenAs(id, 'ok')).toMatchObject({ source: 'whois', registrar: 'Names', domain: 'thing.net' });
  expect(registry.queries).toEqual(['net', 'thing.net']);
  registry.whois.set('pair.net', (socket) => {
    registry.whois.set('pair.net', `Registrar: Other\r\nExpiry date: ${inDays(90)}\r\n`);
    socket.end('Registrar: Names\r\nRegistrar WHOIS Server: localhost\r\n');
  });
  const pair = await createDomainMonitor('https://pair.net/');
  expect(await seenAs(pair, 'ok')).toMatchObject({ source: 'whois', registrar: 'Names' });
  expect(registry.queries).toEqual(['net', 'thing.net', 'pair.net', 'pair.net']);
});

test('a domain without any server to query is unsupported, and reported once', async () => {
  expect(await seen(await createDomainMonitor('192.0.2.7:80', rig, { type: 'TCP' }))).toEqual({
    domain: null, expires_at: null, registrar: null, source: null, looked_up_at: null,
    status: 'unsupported', message: 'The target is an IP address',
  });
  registry.whois.set('pl', 'domain: PL\nstatus: ACTIVE\n');
  const id = await createDomainMonitor('https://farwatch-test.pl/');
  expect(await seenAs(id, 'unsupported')).toMatchObject({
    domain: 'farwatch-test.pl', message: 'Expiry of .pl domains is not available: the registry has no RDAP or WHOIS server',
  });
  const doc = await domains.findOne({ _id: 'farwatch-test.pl' });
  expect(doc?.due_at).toBeGreaterThan(Date.now() + 6 * DAY_MS);
});

test('a domain is removed when no monitor uses it any longer', async () => {
  registry.expiries.set('gone.com', inDays(300));
  const id = await createDomainMonitor('https://gone.com/');
  await seenAs(id, 'ok');
  await rig.session.ok('DELETE', `/api/monitors/${id}`);
  await domains.updateOne({ _id: 'gone.com' }, { $set: { due_at: 1 } });
  await until(async () => (await domains.findOne({ _id: 'gone.com' })) === null, { what: 'it is forgotten' });
  expect(registry.lookupsOf('gone.com')).toBe(1);
});

test('a monitor without domain monitoring has no domain, and changes domain with its target', async () => {
  registry.expiries.set('first.com', inDays(300)).set('second.org', inDays(300));
  const id = await createDomainMonitor('https://first.com/');
  expect(await seenAs(id, 'ok')).toMatchObject({ domain: 'first.com' });
  await rig.session.ok('PATCH', `/api/monitors/${id}`, { target: 'https://second.org/' });
  await until(async () => (await seen(id))?.domain === 'second.org', { what: 'the new domain' });
  await rig.session.ok('PATCH', `/api/monitors/${id}`, { domain_monitoring: { enabled: false } });
  expect(await seen(id)).toBeNull();
});

test('hostile responses are failures', async () => {
  registry.whois.set('info', 'domain: INFO\nwhois: 127.0.0.1\n');
  registry.whois.set('big.info', 'x'.repeat(10 * 1024 * 1024));
  registry.whois.set('junk.info', '\0\u0001\u0002');
  registry.whois.set('inside.info', 'Registrar WHOIS Server: 169.254.169.254\n');
  const ids = await Promise.all(['big', 'junk', 'inside'].map((name) => createDomainMonitor(`https://${name}.info/`)));
  const failed = await Promise.all(ids.map((id) => seenAs(id, 'failed')));
  expect(failed.map(({ message }) => message)).toEqual([
    '127.0.0.1: the response is larger than 64 kB', 'The response of 127.0.0.1 cannot be parsed',
    expect.stringContaining('169.254.169.254'),
  ]);
});

test('controllers share the domains, and none is looked up twice', async () => {
  await rig.another();
  const names = Array.from({ length: 4 }, (_, index) => `shared-${index}.org`);
  for (const name of names) registry.expiries.set(name, inDays(300));
  const ids = await Promise.all(names.map((name) => createDomainMonitor(`https://${name}/`)));
  await Promise.all(ids.map((id) => seenAs(id, 'ok')));
  expect(names.map((name) => registry.lookupsOf(name))).toEqual([1, 1, 1, 1]);
});

test('no private address is queried by default', async () => {
  const lookups = registry.http.requests.length;
  const guarded = await startControllerRig(
    { DOMAIN_LOOKUPS: 'true' }, undefined, undefined, { domainRoots: registry.roots },
  );
  rigs.push(guarded);
  const refused = await seenAs(await createDomainMonitor('https://shop.com/', guarded), 'failed', guarded);
  expect(refused.message).toMatch(/^The list of RDAP servers is not available: .*127\.0\.0\.1/);
  expect(registry.http.requests).toHaveLength(lookups);
});

test('no server is queried when lookups are off', async () => {
  const rigWithoutLookups = await startControllerRig({}, undefined, undefined, { domainRoots: registry.roots });
  rigs.push(rigWithoutLookups);
  const requestCount = registry.http.requests.length;
  const id = await createDomainMonitor('https://shop.com/', rigWithoutLookups);
  const client = await MongoClient.connect(rigWithoutLookups.store.url);
  const isDue = () => client.db().collection<DomainDoc>('domains').findOne({ _id: 'shop.com' });
  await until(isDue, { what: 'the domain is known' });
  await passTime(2500);
  await client.close();
  expect(await seen(id, rigWithoutLookups)).toBeNull();
  expect(registry.http.requests).toHaveLength(requestCount);
});

test('no lookup scans a whole collection', () => {
  const ofDomains = plans.collectionScans().filter((shape) => /domain/.test(shape));
  expect(ofDomains).toEqual([]);
  expect(plans.collections).toContain('domain_sources');
});
