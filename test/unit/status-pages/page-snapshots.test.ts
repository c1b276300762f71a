import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PageSnapshots } from '../../../controller/status-pages/public/snapshots/page-snapshots.ts';
import type { FoundPage } from '../../../controller/status-pages/public/read-public-page.ts';
import { newId } from '../../../shared/ids.ts';
import { createLog } from '../../../shared/log.ts';
import { isoTime } from '../../../shared/time.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const ID = newId(NOW);

let dir: string;
let clock: SimulatedClock;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-snapshots-'));
  clock = new SimulatedClock(NOW);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const openSnapshots = () => new PageSnapshots({ dir, clock, log: createLog('test', 'silent') });

function page(name = 'Acme', subdomain = 'acme'): FoundPage {
  return {
    page: { _id: ID, subdomain, status: 'published', branding: null } as FoundPage['page'],
    view: {
      name, description: null, subdomain, timezone: 'UTC', color_scheme: 'system', overall: 'operational',
      uptime_thresholds: { operational: 99.9, degraded: 95 }, first_day: '2026-08-25', components: [],
      incidents: [], maintenance: [], as_of: isoTime(clock.now()), is_current: true,
    },
  };
}

const read = (snapshots: PageSnapshots) => snapshots.recall('acme').then((found) => found?.view);

test('a page is recalled unchanged, also by the next process', async () => {
  const snapshots = openSnapshots();
  snapshots.save(page());
  await snapshots.settled();
  expect(await read(snapshots)).toEqual(page().view);
  const next = openSnapshots();
  expect(next.names()).toEqual(['acme']);
  expect(await next.recall('acme')).toMatchObject({ page: { subdomain: 'acme', branding: null }, view: page().view });
  expect(await next.recall('other')).toBeNull();
});

test('writes a changing page every ten seconds and an unchanged one every five minutes', async () => {
  const snapshots = openSnapshots();
  const same = page();
  const written = async (found: FoundPage) => {
    snapshots.save({ ...found, view: { ...found.view, as_of: isoTime(clock.now()) } });
    await snapshots.settled();
    return [(await read(snapshots))?.name, Date.parse((await read(snapshots))?.as_of ?? '') - NOW];
  };
  expect(await written(same)).toEqual(['Acme', 0]);
  await clock.advance(9999);
  expect(await written({ ...same, view: page('Changed').view })).toEqual(['Acme', 0]);
  await clock.advance(1);
  expect(await written({ ...same, view: page('Changed').view })).toEqual(['Changed', 10_000]);
  await clock.advance(299_999);
  expect(await written({ ...same, view: page('Changed').view })).toEqual(['Changed', 10_000]);
  await clock.advance(1);
  expect(await written({ ...same, view: page('Changed').view })).toEqual(['Changed', 310_000]);
});

test('a page removed during a write stays removed', async () => {
  const snapshots = openSnapshots();
  snapshots.save(page());
  snapshots.remove('acme');
  expect(await read(snapshots)).toBeUndefined();
  await snapshots.settled();
  expect([readdirSync(dir), snapshots.names()]).toEqual([[], []]);
  snapshots.save(page('Again'));
  await snapshots.settled();
  expect(await read(snapshots)).toMatchObject({ name: 'Again' });
});

test.each([
  ['is torn', (text: string) => text.slice(0, -20)],
  ['is of a later version', (text: string) => text.replace('"v":1', '"v":2')],
  ['is of another page', (text: string) => text.replace('"subdomain":"acme"', '"subdomain":"other"')],
  ['is of a draft', (text: string) => text.replace('"published"', '"draft"')],
  ['lacks what pages show', (text: string) => text.replace('"overall"', '"old_overall"')],
])('treats a file that %s as missing', async (_what, spoil) => {
  const first = openSnapshots();
  first.save(page());
  await first.settled();
  const file = join(dir, 'acme.json');
  writeFileSync(file, spoil(readFileSync(file, 'utf8')));
  const snapshots = openSnapshots();
  expect(await read(snapshots)).toBeUndefined();
  snapshots.save(page('Again'));
  await snapshots.settled();
  expect(await read(snapshots)).toMatchObject({ name: 'Again' });
});

test('only pages have files: no name leads outside the folder', async () => {
  const snapshots = openSnapshots();
  writeFileSync(join(dir, '..', 'escape.json'), JSON.stringify({ v: 1, ...page('Escaped', '../escape') }));
  expect(await snapshots.recall('../escape')).toBeNull();
  rmSync(join(dir, '..', 'escape.json'));
});
