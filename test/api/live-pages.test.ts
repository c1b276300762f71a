import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiClient } from '../helpers/api-client.ts';
import { EventClient } from '../helpers/event-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
let client: ApiClient;
let pages: string;
let commands = 0;

beforeAll(async () => {
  app = await makeApp({ onCommand: () => (commands += 1) });
  const tenant = await newTenant(app);
  client = tenant.writeKey;
  pages = `/api/projects/${tenant.projectId}/status-pages`;
});
afterAll(() => app.close());

async function publish(): Promise<{ id: string; subdomain: string }> {
  const page = (await client.post(pages, { name: 'Acme', subdomain: `page-${randomUUID()}` })).data.status_page;
  await client.post(`${pages}/${page.id}/publish`);
  return page;
}

const openStream = (subdomain: string) => EventClient.open(app.url, {}, null, `/status/${subdomain}/events`);
const versionsOf = ({ events }: EventClient) => events.map(({ data }) => data['version']);

test('open pages receive each change and the end of the stream', async () => {
  const { id, subdomain } = await publish();
  const readers = await Promise.all([openStream(subdomain), openStream(subdomain)]);
  const versionsSent = (count: number) => until(
    () => readers.every((reader) => versionsOf(reader).length === count), { what: `${count} versions at every reader` },
  );
  await versionsSent(1);
  await client.patch(`${pages}/${id}`, { name: 'Renamed' });
  await versionsSent(2);
  const [one, other] = readers as [EventClient, EventClient];
  expect(versionsOf(one)).toEqual(versionsOf(other));
  expect(new Set(versionsOf(one)).size).toBe(2);
  const late = await openStream(subdomain);
  await until(() => versionsOf(late).length === 1, { what: 'a late reader receives the version' });
  expect(versionsOf(late)).toEqual(versionsOf(one).slice(1));
  await client.post(`${pages}/${id}/unpublish`);
  await until(() => [...readers, late].every(({ isEnded }) => isEnded), { what: 'the streams end' });
  expect(versionsOf(one).at(-1)).toBe('gone');
  expect((await openStream(subdomain)).status).toBe(404);
});

test('a hundred readers cost the database as much as one', async () => {
  const { subdomain } = await publish();
  const cost = async (count: number) => {
    const readers = await Promise.all(Array.from({ length: count }, () => openStream(subdomain)));
    await until(() => readers.every((reader) => versionsOf(reader).length === 1), { what: 'all readers receive the version' });
    commands = 0;
    const name = `Name ${count}`;
    await app.db.collection('status_pages').updateOne({ subdomain }, { $set: { name } });
    await until(() => readers.every((reader) => versionsOf(reader).length === 2), { what: 'all readers receive the next version' });
    for (const reader of readers) reader.close();
    return commands;
  };
  const one = await cost(1);
  expect(one).toBeGreaterThan(0);
  // One more poll may happen before the change is detected.
  expect(await cost(100)).toBeLessThanOrEqual(2 * one + 2);
});

test('the page has only its own script, which its policy allows', async () => {
  const { subdomain } = await publish();
  const page = await client.get(`/status/${subdomain}`);
  const [, path = ''] = /<script src="([^"]+)" data-events="\/status\/page-[\w-]+\/events" defer>/.exec(page.text) ?? [];
  const script = await client.get(path);
  expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'; connect-src 'self'");
});
