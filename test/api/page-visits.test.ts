import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { newTenant } from '../helpers/tenants.ts';

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };

let clock: SimulatedClock;
let app: TestApp;
let client: ApiClient;
let pages: string;

beforeAll(async () => {
  clock = new SimulatedClock(Date.UTC(2026, 5, 1, 12, 30));
  app = await makeApp({ clock });
  const tenant = await newTenant(app);
  client = tenant.writeKey.with({ 'x-project-id': tenant.projectId });
  pages = `/api/projects/${tenant.projectId}/status-pages`;
});
afterAll(() => app.close());

async function publish(): Promise<{ id: string; subdomain: string }> {
  const page = (await client.post(pages, { name: 'Acme', subdomain: `page-${randomUUID()}` })).data.status_page;
  await client.post(`${pages}/${page.id}/publish`);
  return page;
}

const openPage = (path: string, headers: Record<string, string> = BROWSER, method = 'GET') =>
  fetch(app.url + path, { method, headers });
const flush = () => app.controller.statusPages.counter.flush();
const numbersOf = (page: Loose | undefined) => [page?.page_views_24h, page?.page_views_7d, page?.page_views_30d];

async function counts(id: string): Promise<{ single: number[]; list: number[] }> {
  const list: Loose[] = (await client.get(pages)).data.status_pages;
  return {
    single: numbersOf((await client.get(`${pages}/${id}`)).data.status_page),
    list: numbersOf(list.find((page) => page.id === id)),
  };
}

test('visits by people are counted, fetches by programs are not, and no visitor is identified', async () => {
  const { id, subdomain } = await publish();
  const path = `/status/${subdomain}`;
  for (const headers of [
    BROWSER, { ...BROWSER, 'sec-fetch-dest': 'document' }, { ...BROWSER, 'sec-fetch-dest': 'iframe' },
  ]) {
    const response = await openPage(path, headers);
    expect([response.status, response.headers.get('set-cookie')]).toEqual([200, null]);
  }
  for (const headers of [
    { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' }, { 'user-agent': 'curl/8.5.0' },
    { 'user-agent': '' }, { ...BROWSER, 'sec-purpose': 'prefetch;prerender' }, { ...BROWSER, purpose: 'prefetch' },
    { ...BROWSER, 'sec-fetch-dest': 'empty' },
  ]) await openPage(path, headers);
  await openPage(path, BROWSER, 'HEAD');
  await openPage(`/api/public/status-pages/${subdomain}`);
  await flush();
  expect(await counts(id)).toEqual({ single: [3, 0, 3], list: [0, 3, 0] });
  const stored = await app.db.collection('status_page_visits').find({ page_id: id }).toArray();
  expect(Object.keys(stored[0] ?? {}).sort()).toEqual(['_id', 'day', 'hours', 'page_id']);
});

test('visits are written after ten seconds, only for published pages', async () => {
  const [page, draft] = [await publish(), await publish()];
  await client.post(`${pages}/${draft.id}/unpublish`);
  for (const subdomain of [page.subdomain, draft.subdomain, 'never-there']) await openPage(`/status/${subdomain}`);
  expect((await counts(page.id)).single).toEqual([0, 0, 0]);
  await clock.advance(10_000);
  await flush();
  expect([(await counts(page.id)).single, (await counts(draft.id)).single]).toEqual([[1, 0, 1], [0, 0, 0]]);
});

test('visits age by the hour, and are removed after 30 days', async () => {
  const { id, subdomain } = await publish();
  const visit = async () => {
    await openPage(`/status/${subdomain}`);
    await flush();
  };
  await visit();
  await clock.advance(HOUR_MS);
  await visit();
  expect(await counts(id)).toEqual({ single: [2, 0, 2], list: [0, 2, 0] });
  await clock.advance(23 * HOUR_MS);
  expect(await counts(id)).toEqual({ single: [1, 0, 2], list: [0, 2, 0] });
  await clock.advance(6 * DAY_MS);
  expect(await counts(id)).toEqual({ single: [0, 0, 2], list: [0, 1, 0] });
  await clock.advance(23 * DAY_MS);
  expect(await counts(id)).toEqual({ single: [0, 0, 1], list: [0, 0, 0] });
  await clock.advance(2 * DAY_MS);
  await visit();
  expect(await app.db.collection('status_page_visits').countDocuments({ page_id: id })).toBe(1);
});
