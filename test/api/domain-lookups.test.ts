import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Lookup } from '../../controller/domains/domain.ts';
import { lookUp } from '../../controller/domains/look-up.ts';
import { WEEK_MS } from '../../controller/domains/lookup-rules.ts';
import { SourceStore } from '../../controller/domains/source-store.ts';
import { DomainSources } from '../../controller/domains/sources.ts';
import { QUERY_INTERVAL_MS, TurnStore } from '../../controller/domains/turn-store.ts';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import { createAddressVetting } from '../../controller/platform/outbound/address-vetting.ts';
import { GuardedReader } from '../../controller/platform/outbound/reader.ts';
import { WorkClaims } from '../../controller/work/claimed-work.ts';
import { newId } from '../../shared/ids.ts';
import { systemClock, type Clock } from '../../shared/time.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { rdapResponse, startRegistry, type Registry } from '../helpers/registry.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';

const EXPIRY = '2031-02-03T04:05:06Z';

let server: TestMongo;
let mongo: Mongo;
let registry: Registry;
let reader: GuardedReader;

beforeAll(async () => {
  server = await testMongo();
  mongo = checkedMongo(server.url);
  const vetting = createAddressVetting({ resolve: async () => [], allowPrivate: true, clock: systemClock });
  reader = new GuardedReader({ clock: systemClock, vetting });
});
afterAll(async () => {
  await reader?.close();
  await registry?.close();
  await mongo?.close();
  await server?.stop();
});
beforeEach(async () => {
  await registry?.close();
  registry = await startRegistry();
  await mongo.db.collection('domain_sources').deleteMany({});
});

interface ControllerLookups {
  query(domain: string): Promise<Lookup>;
  advance(ms: number): void;
}

/** One controller's lookups. The test advances time. */
function controller(takeTurn: (server: string) => Promise<boolean> = async () => true): ControllerLookups {
  let elapsedMs = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + elapsedMs };
  const { roots } = registry;
  const sources = new DomainSources({
    store: new SourceStore(mongo.db), reader, clock, roots, takeTurn, holder: newId(clock.now()),
  });
  return {
    query: (domain) => lookUp({ reader, sources, roots, takeTurn }, domain),
    advance: (ms) => (elapsedMs += ms),
  };
}

/** Makes each path redirect to the next, and the last one respond. */
function redirect(...locations: string[]): void {
  registry.http.choose(({ path }) => (response) => {
    if (path === '/dns.json') {
      const services = [[['com'], [`${registry.http.url}/0/`]]];
      return void response.end(JSON.stringify({ services }));
    }
    const location = locations[Number(path.split('/')[1])];
    if (location === undefined) return void response.end(rdapResponse(EXPIRY));
    response.writeHead(302, { location }).end();
  });
}

describe('an RDAP server', () => {
  const found = { kind: 'found', source: 'rdap', expires_at: Date.parse(EXPIRY), registrar: 'Example Registrar' };

  test('may redirect three times, including to a relative URL', async () => {
    redirect('/1/', '../2/', '/3/x?y=z');
    expect(await controller().query('a.com')).toEqual(found);
    expect(registry.http.requests.map(({ path }) => path)).toEqual([
      '/dns.json', '/0/domain/a.com', '/1/', '/2/', '/3/x?y=z',
    ]);
  });

  test('fails the lookup when it redirects forever', async () => {
    redirect('/0/', '/0/');
    expect(await controller().query('a.com')).toEqual({
      kind: 'failed', message: 'The RDAP servers redirected more than 3 times',
    });
    expect(registry.http.requests).toHaveLength(5);
  });

  test.each([
    ['http://169.254.169.254/latest/meta-data/', /^169\.254\.169\.254: /],
    ['http://[fe80::1]/', /^\[fe80::1\]: /],
    ['file:///etc/passwd', /invalid address/],
    ['http://user:password@127.0.0.1/', /invalid address/],
    ['http://127.0.0.1:22/', /invalid address/],
    ['http://[', /responded with status 302/],
  ])('cannot lead to %s', async (location, message) => {
    redirect(location);
    expect(await controller().query('a.com')).toEqual({ kind: 'failed', message: expect.stringMatching(message) });
  });

  test.each([
    [200, 'x'.repeat(10 * 1024 * 1024), /larger than 256 kB/], [200, '<html>', /cannot be parsed/],
    [404, '', /is not registered/], [429, '', /status 429/], [500, rdapResponse(EXPIRY), /status 500/],
  ])('that responds with %i is a failure', async (status, body, message) => {
    registry.http.choose(({ path }) => (response) => {
      if (path !== '/dns.json') return void response.writeHead(status).end(body);
      response.end(JSON.stringify({ services: [[['com'], [`${registry.http.url}/`]]] }));
    });
    expect(await controller().query('a.com')).toEqual({ kind: 'failed', message: expect.stringMatching(message) });
  });

  test('that was just queried is queried again later', async () => {
    const { query } = controller(async (name) => name !== new URL(registry.http.url).host);
    expect(await query('a.com')).toEqual({ kind: 'busy', server: new URL(registry.http.url).host });
    expect(registry.lookupsOf('a.com')).toBe(0);
  });
});

describe('the list of RDAP servers', () => {
  const lists = () => registry.http.requests.filter(({ path }) => path === '/dns.json').length;

  test('is fetched once a week for all controllers, and the last good copy outlives failures', async () => {
    registry.expiries.set('a.com', EXPIRY);
    const [one, other] = [controller(), controller()];
    expect(await one.query('a.com')).toMatchObject({ kind: 'found' });
    expect(await other.query('a.com')).toMatchObject({ kind: 'found' });
    one.advance(WEEK_MS - 60_000);
    expect(await one.query('a.com')).toMatchObject({ kind: 'found' });
    expect(lists()).toBe(1);

    registry.http.choose(({ path }) => (response) => {
      if (path === '/dns.json') return void response.writeHead(200).end('{"services":[["broken"]]}');
      response.end(rdapResponse(EXPIRY));
    });
    one.advance(2 * 3_600_000);
    expect(await one.query('b.com')).toMatchObject({ kind: 'found' });
    expect(lists()).toBe(2);
    one.advance(2 * 3_600_000);
    expect(await one.query('b.com')).toMatchObject({ kind: 'found' });
    expect(lists()).toBe(3);
  });

  test('that was never read fails lookups with a reason', async () => {
    registry.http.behave(503);
    expect(await controller().query('a.com')).toEqual({
      kind: 'failed',
      message: 'The list of RDAP servers is not available: the response, with status 503, is not such a list',
    });
    expect(await controller().query('a.com')).toEqual({
      kind: 'failed', message: 'The list of RDAP servers is not available: it could not be fetched',
    });
    expect(lists()).toBe(1);
  });
});

describe('a WHOIS server', () => {
  test('is looked up at IANA once a week, and the last response outlives failures', async () => {
    registry.whois.set('net', 'domain: NET\nwhois: 127.0.0.1');
    registry.whois.set('a.net', `expires: ${EXPIRY}`);
    const { query, advance } = controller();
    const found = { kind: 'found', source: 'whois', expires_at: Date.parse(EXPIRY), registrar: null };
    expect(await query('a.net')).toEqual(found);
    expect(await query('a.net')).toEqual(found);
    registry.whois.set('net', 'Too many requests');
    advance(WEEK_MS);
    expect(await query('a.net')).toEqual(found);
    expect(registry.queries).toEqual(['net', 'a.net', 'a.net', 'net', 'a.net']);
  });

  test('that returns nothing readable, or that the domain is free, is a failure', async () => {
    registry.whois.set('net', 'domain: NET\nwhois: 127.0.0.1');
    const { query } = controller();
    expect(await query('free.net')).toEqual({ kind: 'failed', message: 'free.net is not registered, according to 127.0.0.1' });
    registry.whois.set('junk.net', '\0\0');
    expect(await query('junk.net')).toEqual({ kind: 'failed', message: 'The response of 127.0.0.1 cannot be parsed' });
  });

  test('that IANA cannot name because of its own error is a failure', async () => {
    registry.whois.set('net', 'Too many requests');
    expect(await controller().query('a.net')).toEqual({
      kind: 'failed', message: '127.0.0.1: its response cannot be parsed',
    });
  });
});

test('all controllers together query a server at most once a second, whatever their clocks show', async () => {
  type Take = (server: string) => Promise<boolean>;
  const HOUR_MS = 3_600_000;
  const turns = new TurnStore(mongo.db);
  await turns.ensureIndexes();
  let elapsedMs = 0;
  const [one, other, returned] = ([['one', 0], ['other', -HOUR_MS], ['one', HOUR_MS]] as const).map(([holder, aheadMs]) => {
    const clock = { ...systemClock, now: () => 1_760_000_000_000 + aheadMs + elapsedMs, monotonic: () => elapsedMs };
    const workClaims = new WorkClaims({ clock, holder, ttlMs: QUERY_INTERVAL_MS });
    return (server: string) => turns.take(server, workClaims, clock.now());
  }) as [Take, Take, Take];
  const countTaken = async (...all: Take[]) =>
    (await Promise.all(all.map((take) => take('rdap.example')))).filter(Boolean).length;
  expect(await countTaken(one, other, one, other)).toBe(1);
  expect(await countTaken(one, other)).toBe(0);
  expect(await other('whois.example')).toBe(true);
  elapsedMs = QUERY_INTERVAL_MS - 1;
  expect(await countTaken(one, other)).toBe(0);
  elapsedMs = QUERY_INTERVAL_MS;
  expect(await countTaken(one, other, one, other)).toBe(1);
  // A lookup that resumes here has queried no server for longer than a second.
  await mongo.db.collection('domain_turns').deleteMany({});
  expect(await countTaken(one)).toBe(1);
  expect(await countTaken(returned)).toBe(1);
  await turns.removeOlder(1_760_000_000_000 + 2 * HOUR_MS);
  expect(await mongo.db.collection('domain_turns').countDocuments({})).toBe(0);
});
