import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { isInstallationDomain } from '../../../controller/status-pages/domains/domain-rules.ts';
import { HostRouter, urlOnPage } from '../../../controller/status-pages/public/host-router.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const own = { pageDomain: 'farwatch.example', baseHost: 'app.farwatch.example' };

function setUp() {
  const clock = new SimulatedClock(0);
  const known = new Map([['status.acme.example', { subdomain: 'acme' }]]);
  const state = { lookups: 0, isAway: false };
  const find = async (domain: string) => {
    state.lookups += 1;
    if (state.isAway) throw new Error('away');
    return known.get(domain) ?? null;
  };
  const recall = (domain: string) => (domain === 'old.acme.example' ? 'acme' : null);
  const hosts = new HostRouter({ domains: { find }, recall, own, basePath: '/uptime', clock });
  const at = async (host: string | undefined, url = '/') => {
    const request = { url, headers: { host } } as IncomingMessage;
    await hosts.rewrite(request);
    return request.url;
  };
  return { clock, known, state, hosts, at };
}

test('the API\'s host never belongs to a page, even below the page domain', async () => {
  const { at, state } = setUp();
  for (const host of ['app.farwatch.example', 'farwatch.example', 'localhost:3000', '127.0.0.1', undefined, 'a_b']) {
    expect(await at(host, '/api/monitors')).toBe('/api/monitors');
  }
  expect(state.lookups).toBe(0);
  expect(await at('acme.farwatch.example', '/?x=1')).toBe('/status/acme?x=1');
  expect(['app.farwatch.example', 'x.farwatch.example', 'acme.example'].map((name) => isInstallationDomain(name, own)))
    .toEqual([true, true, false]);
});

test('looks up a domain once in ten seconds, and remembers it while the database is unavailable', async () => {
  const { at, state, clock, known, hosts } = setUp();
  const all = Array.from({ length: 5 }, () => at('status.acme.example'));
  expect(await Promise.all(all)).toEqual(all.map(() => '/status/acme'));
  expect(state.lookups).toBe(1);
  state.isAway = true;
  await clock.advance(60_000);
  for (let time = 0; time < 3; time += 1) expect(await at('status.acme.example')).toBe('/status/acme');
  expect(await at('new.acme.example')).toBe('/');
  state.isAway = false;
  known.clear();
  hosts.forget('status.acme.example');
  expect(await at('status.acme.example')).toBe('/');
});

test('on its own host, a page serves only its own paths', () => {
  const urls = (...all: string[]) => all.map((url) => urlOnPage(url, 'acme'));
  const unchanged = ['/status/acme', '/status/acme/feed.atom?a=1', '/status/assets/live.js', '/api/public/subscribers/verify'];
  expect(urls(...unchanged)).toEqual(unchanged);
  expect(urls('/', '/incidents/1?x', '/status/acme2', '/api/public/status-pages/acme2', '/status/assets2')).toEqual([
    '/status/acme', '/status/acme/incidents/1?x', '/status/acme/status/acme2',
    '/status/acme/api/public/status-pages/acme2', '/status/acme/status/assets2',
  ]);
});

test('while the database is unavailable, an unknown domain leads to the page that last had it', async () => {
  const { at, state, clock } = setUp();
  state.isAway = true;
  expect([await at('old.acme.example'), await at('never.acme.example')]).toEqual(['/status/acme', '/']);
  state.isAway = false;
  await clock.advance(10_000);
  await at('old.acme.example');
  await clock.advance(1);
  expect(await at('old.acme.example')).toBe('/');
});
