import { describe, expect, test } from 'vitest';
import { PageCache } from '../../../controller/status-pages/public/cache/page-cache.ts';
import type { FoundPage } from '../../../controller/status-pages/public/read-public-page.ts';
import { ReadCache } from '../../../controller/status-pages/public/cache/read-cache.ts';
import { isoTime } from '../../../shared/time.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');

/** A page with this name; the other fields don't matter here. */
function pageCalled(name: string, now: number, more: object = {}): FoundPage {
  return { page: {}, view: { name, as_of: isoTime(now), is_current: true, ...more } } as unknown as FoundPage;
}

/** `name`: what a read finds; null: no page. `failing`: the error with which reads fail. */
function setUp(lastKnown: FoundPage | null = null) {
  const clock = new SimulatedClock(NOW);
  const seen = {
    reads: 0, name: 'Acme' as string | null, failing: null as Error | null, hangs: null as Promise<void> | null,
    saved: [] as (string | null)[], removed: [] as string[], renders: 0,
    more: {},
  };
  const pages = new PageCache({
    clock,
    last: {
      recall: async () => lastKnown, save: ({ view }) => seen.saved.push(view.name),
      remove: (subdomain) => seen.removed.push(subdomain),
    },
  });
  pages.connect(async () => {
    seen.reads += 1;
    const { name, failing } = seen;
    await seen.hangs;
    if (failing !== null) throw failing;
    return name === null ? null : pageCalled(name, clock.now(), seen.more);
  });
  const shown = async (subdomain = 'acme') => (await pages.get(subdomain))?.view ?? null;
  const form = (name = 'html', body = (page: FoundPage) => JSON.stringify(page.view)) => pages.response('acme', name, (page) => {
    seen.renders += 1;
    return { body: body(page), headers: {} };
  });
  const text = async () => String((await (await form())?.negotiate({}))?.body);
  return { clock, seen, pages, shown, form, text };
}

describe('readers', () => {
  test('within the same second share one read and one rendering', async () => {
    const { clock, seen, shown, form } = setUp();
    await Promise.all(Array.from({ length: 100 }, () => form()));
    await clock.advance(999);
    await form();
    expect([seen.reads, seen.renders]).toEqual([1, 1]);
    await clock.advance(1001);
    await shown();
    expect(seen.reads).toBe(2);
  });

  test('get the same bytes for ten seconds while nothing changes', async () => {
    const { clock, seen, text } = setUp();
    const first = await text();
    await clock.advance(5000);
    expect(await text()).toBe(first);
    expect([seen.reads, seen.renders]).toEqual([2, 1]);
    await clock.advance(5000);
    expect(await text()).toContain('12:00:10');
    seen.name = 'Changed';
    await clock.advance(2000);
    expect(await text()).toContain('Changed');
  });

  test.each([
    [{ days: [100, null] }, { days: [100, 99.9] }],
    [{ days: [100] }, { days: [100, 100] }],
    [{ days: [100] }, { days: { 0: 100 } }],
    [{ incidents: [] }, { incidents: [{ id: 'a' }] }],
    [{ components: [{ id: 'a', uptime: { '24h': 1 } }] }, { components: [{ id: 'a', uptime: { '7d': 1 } }] }],
    [{ components: [{ id: 'a' }] }, { components: [{ id: 'a', group: null }] }],
    [{ group: null }, { group: {} }],
  ])('see at once that %j has become %j', async (before, after) => {
    const { clock, seen, text } = setUp();
    seen.more = before;
    expect(await text()).toContain(JSON.stringify(before).slice(1, -1));
    seen.more = after;
    await clock.advance(2000);
    expect(await text()).toContain(JSON.stringify(after).slice(1, -1));
  });

  test('get a cached rendering at once while the page is read again', async () => {
    const { clock, seen, pages, form } = setUp();
    expect(pages.cachedResponse('acme', 'html')).toBeNull();
    const made = await form();
    expect(pages.cachedResponse('acme', 'html')).toBe(made);
    expect(pages.cachedResponse('acme', 'json')).toBeNull();
    await clock.advance(1500);
    seen.name = 'Changed';
    expect(pages.cachedResponse('acme', 'html')).toBe(made);
    await clock.advance(1);
    expect(seen.reads).toBe(2);
    expect(pages.cachedResponse('acme', 'html')).toBeNull();
    await form();
    await clock.advance(2000);
    expect(pages.cachedResponse('acme', 'html')).toBeNull();
  });
});

describe('a page that can\'t be read', () => {
  test('is shown as it last was, marked as outdated, and is current again afterwards', async () => {
    const { clock, seen, shown, pages, form } = setUp();
    await form();
    seen.failing = new Error('the database is away');
    await clock.advance(3000);
    expect(await shown()).toEqual({ name: 'Acme', as_of: '2026-11-22T12:00:00.000Z', is_current: false });
    const old = await form();
    expect(pages.cachedResponse('acme', 'html')).toBe(old);
    seen.failing = null;
    await clock.advance(3000);
    await shown();
    await clock.advance(1);
    expect(await shown()).toEqual({ name: 'Acme', as_of: '2026-11-22T12:00:06.000Z', is_current: true });
  });

  test('is recalled from disk if this process has not read it', async () => {
    const { seen, shown } = setUp(pageCalled('From before', NOW - 60_000));
    seen.failing = new Error('the database is away');
    expect(await shown()).toMatchObject({ name: 'From before', is_current: false });
    expect(seen).toMatchObject({ saved: [], removed: [] });
  });

  test('delays a reader for at most two seconds if it is known', async () => {
    const { clock, seen, shown } = setUp(pageCalled('From before', NOW - 60_000));
    let finish: () => void = () => undefined;
    seen.hangs = new Promise((resolve) => (finish = resolve));
    const waiting = shown();
    await clock.advance(2000);
    expect(await waiting).toMatchObject({ name: 'From before', is_current: false });
    finish();
    await clock.advance(1);
    expect(await shown()).toMatchObject({ name: 'Acme', is_current: true });
  });

  test('fails for its reader if unknown, and is retried for the next', async () => {
    const { seen, shown } = setUp();
    seen.failing = new Error('the database is away');
    await expect(shown()).rejects.toThrow('away');
    await expect(shown()).rejects.toThrow('away');
    expect(seen.reads).toBe(2);
  });
});

describe('a change', () => {
  test('is visible to the next reader', async () => {
    const { seen, pages, shown } = setUp();
    await shown();
    seen.name = 'Renamed';
    pages.invalidate('acme', true);
    expect(await shown()).toMatchObject({ name: 'Renamed' });
    expect(seen.removed).toEqual([]);
  });

  test('that ends the publication removes the page everywhere, even during a read', async () => {
    const { clock, seen, pages, shown } = setUp();
    let finish: () => void = () => undefined;
    seen.hangs = new Promise((resolve) => (finish = resolve));
    const pending = shown();
    seen.name = null;
    pages.invalidate('acme', false);
    finish();
    await pending;
    await clock.advance(1);
    expect(seen).toMatchObject({ saved: [], removed: ['acme'] });
    expect(await shown()).toBeNull();
    expect(seen.removed).toEqual(['acme', 'acme']);
  });
});

describe('page cache', () => {
  test('holds at most a thousand names', async () => {
    const { seen, shown } = setUp();
    for (let at = 0; at <= 1000; at += 1) await shown(`page-${at}`);
    await shown('page-1');
    expect(seen.reads).toBe(1001);
    await shown('page-0');
    expect(seen.reads).toBe(1002);
  });

  test('holds at most 64 MB', async () => {
    const { seen, pages, form } = setUp();
    const large = 'x'.repeat(1024 * 1024);
    for (let at = 0; at < 40; at += 1) await form(`form-${at}`, () => large);
    expect(pages.cachedResponse('acme', 'form-39')).not.toBeNull();
    const other = await pages.response('other', 'html', () => ({ body: large.repeat(5), headers: {} }));
    expect(other).not.toBeNull();
    await pages.get('third');
    expect(pages.cachedResponse('acme', 'form-39')).toBeNull();
    expect(seen.renders).toBe(40);
  });
});

test('the read cache reads a value once a second, and again after a failure', async () => {
  const clock = new SimulatedClock(NOW);
  let [reads, isFailing] = [0, true];
  const readings = new ReadCache(clock, async (name) => {
    reads += 1;
    if (isFailing) throw new Error('the database is away');
    return `${name} ${reads}`;
  });
  await expect(readings.get('acme')).rejects.toThrow('away');
  isFailing = false;
  expect(await Promise.all([readings.get('acme'), readings.get('acme')])).toEqual(['acme 2', 'acme 2']);
  await clock.advance(1000);
  for (let at = 0; at < 1000; at += 1) await readings.get(`other-${at}`);
  expect(await readings.get('acme')).toBe('acme 1003');
});
