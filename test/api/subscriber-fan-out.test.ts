import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SubscriberDoc } from '../../controller/subscribers/subscriber.ts';
import { systemClock } from '../../shared/time.ts';
import type { ApiClient } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { pageSubscriber, SUBSCRIBERS } from '../helpers/page-subscriber.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { startSmtpServer, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** More than one controller mails at once. */
const MANY = 250;

let smtp: TestSmtpServer;
let receiver: Receiver;
let apps: TestApp[];
let tenant: Tenant;
let client: ApiClient;
let pages: string;
let pageId: string;
let monitorId: string;
/** Never set back, because the controllers' monotonic clock uses it too. */
let offsetMs = 0;

beforeAll(async () => {
  [smtp, receiver] = await Promise.all([startSmtpServer(), startReceiver()]);
  const clock = {
    ...systemClock, now: () => Date.now() + offsetMs, monotonic: () => systemClock.monotonic() + offsetMs,
  };
  const options = { env: { SMTP_URL: smtp.url, ALLOW_PRIVATE_DESTINATIONS: 'true' }, clock };
  const first = await makeApp(options);
  apps = [first, await makeApp({ ...options, mongoUrl: first.mongoUrl })];
  tenant = await newTenant(first);
  client = tenant.writeKey.with({ 'x-project-id': tenant.projectId });
  pages = `/api/projects/${tenant.projectId}/status-pages`;
  const monitor = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
  monitorId = (await client.post('/api/monitors', monitor)).data.monitor.id;
  for (const app of apps) app.controller.subscribers.noticeSender.start();
});
afterAll(async () => {
  for (const app of [...apps].reverse()) await app.close();
  await Promise.all([smtp.stop(), receiver.close()]);
});
beforeEach(async () => {
  pageId = (await client.post(pages, { name: 'Acme', subdomain: `p-${randomUUID()}` })).data.status_page.id;
  await client.put(`${pages}/${pageId}/monitors`, { monitors: [{ monitor_id: monitorId }] });
  await client.post(`${pages}/${pageId}/publish`);
});

const collection = <T extends object>(name: string) => (apps[0] as TestApp).db.collection<T>(name);
const triggerAll = () => apps.forEach((app) => app.controller.subscribers.noticeSender.trigger());

async function add(changes: Partial<SubscriberDoc>[]): Promise<string[]> {
  const docs = changes.map((change) =>
    pageSubscriber({ ...tenant, pageId }, `s-${randomUUID()}@example.com`, change));
  await collection<SubscriberDoc>(SUBSCRIBERS).insertMany(docs);
  return docs.map(({ email }) => email);
}

const post = () => client.post(`${pages}/${pageId}/incidents`, {
  title: 'Shop is slow', message: 'We look into it.', severity: 'major', affected_monitor_ids: [monitorId],
});

test('two controllers mail an incident to hundreds, once each, and share the work', async () => {
  const emails = new Set(await add(Array.from({ length: MANY }, () => ({}))));
  const sent = () => apps.map((app) => app.controller.subscribers.noticeSender.counts.sent);
  const before = sent();
  await post();
  const received = () => smtp.mails.flatMap((mail) => mail.to).filter((email) => emails.has(email));
  await until(() => {
    triggerAll();
    return received().length >= MANY;
  }, { what: 'all mails', everyMs: 50 });
  await until(async () => {
    const left = { page_id: pageId, state: 'pending' };
    return (await collection('subscriber_outbox').countDocuments(left)) === 0;
  }, { what: 'an empty queue' });
  expect(received()).toHaveLength(MANY);
  expect(new Set(received()).size).toBe(MANY);
  const shares = () => sent().map((count, at) => count - (before[at] ?? 0));
  await until(() => shares().reduce((sum, count) => sum + count, 0) === MANY, { what: 'all are counted' });
  expect(Math.min(...shares())).toBeGreaterThan(0);
});

test('a failing webhook is retried with the same id until it responds', async () => {
  const path = `/hook-${randomUUID()}`;
  const requests = () => receiver.requests.filter((request) => request.path === path);
  const outcomes = [503, 'close', 500, 200] as const;
  receiver.choose((request) => (request.path === path ? outcomes[requests().length - 1] ?? 200 : 200));
  const [email = ''] = await add([{ webhook_url: receiver.url + path }]);
  await post();
  const { _id: subscriber_id } = (await collection<SubscriberDoc>(SUBSCRIBERS).findOne({ email })) as SubscriberDoc;
  const outgoing = () => collection<{ state: string; attempts: number; due_at?: number }>('subscriber_outbox')
    .findOne({ subscriber_id, channel: 'webhook' } as object);
  const failures = () => apps.reduce((sum, app) => sum + app.controller.subscribers.noticeSender.counts.retry, 0);
  const before = failures();
  for (let attempt = 1; attempt < outcomes.length; attempt += 1) {
    await until(() => {
      triggerAll();
      return requests().length === attempt && failures() - before >= attempt;
    }, { what: `attempt ${attempt} has failed` });
    expect(await outgoing()).toMatchObject({ state: 'pending', attempts: attempt });
    // Past the retry delay, which is hours at most.
    offsetMs += 5 * HOUR_MS;
  }
  await until(async () => {
    triggerAll();
    return (await outgoing())?.state === 'sent';
  }, { what: 'the post' });
  expect(requests()).toHaveLength(outcomes.length);
  const ids = requests().map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id);
  expect(new Set(ids).size).toBe(1);
});

test('only subscribers who never confirm are removed, a month after their link expires', async () => {
  const now = Date.now() + offsetMs;
  const unverified = (inMs: number) => ({
    state: 'unverified' as const, verified_at: null, verify_hash: randomUUID(), verification_expires_at: now + inMs,
  });
  const [old = '', fresh = '', verified = '', left = ''] = await add([
    unverified(-31 * DAY_MS), unverified(-29 * DAY_MS), { verification_expires_at: now - 60 * DAY_MS },
    { state: 'unsubscribed', unsubscribed_at: now - 60 * DAY_MS },
  ]);
  const remainingEmails = async () => {
    const found = await collection<SubscriberDoc>(SUBSCRIBERS).find({ page_id: pageId }).toArray();
    return found.map(({ email }) => email);
  };
  offsetMs += HOUR_MS + 1000;
  await until(async () => {
    triggerAll();
    return !(await remainingEmails()).includes(old);
  }, { what: 'the old subscriber is removed' });
  expect((await remainingEmails()).sort()).toEqual([fresh, verified, left].sort());
});
