import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SubscriberDoc } from '../../controller/subscribers/subscriber.ts';
import { systemClock } from '../../shared/time.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { pageSubscriber, SUBSCRIBERS } from '../helpers/page-subscriber.ts';
import { QueryPlans } from '../helpers/query-plans.ts';
import { linkIn } from '../helpers/read-mail.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { startSmtpServer, type ReceivedMail, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

const HOUR_MS = 3_600_000;
/** More than a batch of the fan-out. */
const MANY = fewOrAll(250, 450);

const plans = new QueryPlans();

let smtp: TestSmtpServer;
let receiver: Receiver;
let app: TestApp;
let tenant: Tenant;
let client: ApiClient;
let offsetMs = 0;
let pages: string;
let pageId: string;
let monitorId: string;

beforeAll(async () => {
  [smtp, receiver] = await Promise.all([startSmtpServer(), startReceiver()]);
  app = await makeApp({
    env: { SMTP_URL: smtp.url, ALLOW_PRIVATE_DESTINATIONS: 'true' },
    clock: { ...systemClock, now: () => Date.now() + offsetMs }, onCommand: plans.take,
  });
  tenant = await newTenant(app);
  client = tenant.writeKey.with({ 'x-project-id': tenant.projectId });
  pages = `/api/projects/${tenant.projectId}/status-pages`;
  const monitor = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
  monitorId = (await client.post('/api/monitors', monitor)).data.monitor.id;
  app.controller.subscribers.noticeSender.start();
});
afterAll(async () => {
  await app.close();
  await Promise.all([smtp.stop(), receiver.close()]);
});
beforeEach(async () => {
  pageId = (await client.post(pages, { name: 'Acme', subdomain: `p-${randomUUID()}` })).data.status_page.id;
  await client.put(`${pages}/${pageId}/monitors`, { monitors: [{ monitor_id: monitorId }] });
  await client.post(`${pages}/${pageId}/publish`);
});
afterEach(() => {
  offsetMs = 0;
});

async function add(change: Omit<Partial<SubscriberDoc>, 'preferences'> & { preferences?: object } = {}) {
  const email = `s-${randomUUID()}@example.com`;
  const base = pageSubscriber({ ...tenant, pageId }, email);
  const doc: SubscriberDoc = { ...base, ...change, preferences: { ...base.preferences, ...change.preferences } };
  await app.db.collection<SubscriberDoc>(SUBSCRIBERS).insertOne(doc);
  return { id: doc._id, email };
}

/** Returns the recipients of the mails that have arrived. */
async function addMany(count: number): Promise<() => string[]> {
  const subscribers = Array.from({ length: count }, () =>
    pageSubscriber({ ...tenant, pageId }, `m-${randomUUID()}@example.com`));
  await app.db.collection<SubscriberDoc>(SUBSCRIBERS).insertMany(subscribers);
  const emails = new Set(subscribers.map(({ email }) => email));
  return () => smtp.mails.flatMap((mail) => mail.to).filter((email) => emails.has(email));
}

async function post(change: object = {}): Promise<string> {
  const body = {
    title: 'Shop is <slow>', message: 'We look into it.\n\nSorry & thanks.', severity: 'major',
    affected_monitor_ids: [monitorId], ...change,
  };
  return (await client.post(`${pages}/${pageId}/incidents`, body)).data.incident.id;
}
const update = (id: string, body: object) => client.post(`${pages}/${pageId}/incidents/${id}/updates`, body);

const mailsTo = ({ email }: { email: string }) => smtp.mails.filter((mail) => mail.to.includes(email));
const mails = (to: { email: string }, count: number) =>
  until(() => mailsTo(to).length >= count && mailsTo(to), { what: `${count} mails` });
/** Waits until everything has been sent. */
async function settled(): Promise<void> {
  await until(async () => {
    const due = { due_at: { $lte: Date.now() + offsetMs } };
    const counts = await Promise.all([
      app.db.collection('subscriber_notices').countDocuments({ due_at: { $gt: 0 } }),
      app.db.collection('subscriber_outbox').countDocuments(due),
      app.db.collection('status_page_posts').countDocuments({ notify_pending_since: { $gt: 0 } }),
    ]);
    return counts.every((count) => count === 0);
  }, { what: 'an empty queue' });
}
const subjectOf = (mail: ReceivedMail | undefined) => mail?.headers['subject'];

describe('an incident of a page', () => {
  test('is mailed with each update, in one thread and with working links', async () => {
    const to = await add();
    const id = await post();
    await mails(to, 1);
    await update(id, { status: 'identified', message: 'A disk is full.' });
    await mails(to, 2);
    await client.post(`${pages}/${pageId}/incidents/${id}/resolve`, {});
    await client.post(`${pages}/${pageId}/incidents/${id}/resolve`, {});
    await client.patch(`${pages}/${pageId}/incidents/${id}`, { message: 'Corrected.' });
    const [first, second, third, ...rest] = await mails(to, 3);
    await settled();
    expect(rest).toEqual([]);
    expect(mailsTo(to)).toHaveLength(3);
    expect([first, second, third].map(subjectOf)).toEqual([
      '[Acme] Shop is <slow>', 'Re: [Acme] Shop is <slow>', 'Re: [Acme] Shop is <slow>',
    ]);
    expect(first?.text).toContain('Investigating');
    expect(first?.html).toContain('Shop is &#60;slow&#62;');
    expect(first?.html).toContain('Sorry &#38; thanks.');
    expect(second?.text).toContain('A disk is full.');
    expect(third?.text).toContain('Resolved');
    const root = first?.headers['message-id'];
    expect(root).toMatch(/^<.+@.+>$/);
    for (const followUp of [second, third]) {
      expect(followUp?.headers).toMatchObject({ 'in-reply-to': root, references: root });
    }
    expect(new Set([first, second, third].map((mail) => mail?.headers['message-id'])).size).toBe(3);
    expect(first?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
    const oneClick = first?.headers['list-unsubscribe']?.slice(1, -1) ?? '';
    const clicked = { method: 'POST', body: new URLSearchParams('List-Unsubscribe=One-Click') };
    expect((await fetch(oneClick, clicked)).status).toBe(200);
    await update(id, { status: 'monitoring', message: 'Again.' });
    await settled();
    expect(mailsTo(to)).toHaveLength(3);
  });

  test('is mailed once to each subscriber whose preferences include it', async () => {
    const all = await add();
    const critical = await add({ preferences: { all_incidents: false } });
    const neither = await add({ preferences: { all_incidents: false, critical_incidents: false } });
    const unverified = await add({ state: 'unverified' });
    const left = await add({ state: 'unsubscribed' });
    await post({ severity: 'minor' });
    await mails(all, 1);
    await post({ severity: 'critical' });
    await mails(all, 2);
    await mails(critical, 1);
    await settled();
    const counts = [all, critical, neither, unverified, left].map((to) => mailsTo(to).length);
    expect(counts).toEqual([2, 1, 0, 0, 0]);
  });

  test('is mailed once to each of hundreds, even if the relay is busy at first', async () => {
    await smtp.behave({ code: 451, text: '4.7.1 too many messages, try later', at: 'rcpt' });
    const received = await addMany(MANY);
    await post();
    await until(async () => (await app.db.collection('subscriber_outbox').countDocuments({ page_id: pageId })) > 0);
    await smtp.behave('accept');
    await until(() => received().length >= MANY, { what: 'all mails' });
    await settled();
    expect(received()).toHaveLength(MANY);
    expect(new Set(received()).size).toBe(MANY);
  });

  test('of an unpublished page is not mailed, even if the page is published later', async () => {
    const to = await add();
    await client.post(`${pages}/${pageId}/unpublish`);
    const id = await post();
    await settled();
    await client.post(`${pages}/${pageId}/publish`);
    await update(id, { status: 'identified', message: 'Now.' });
    const [only] = await mails(to, 1);
    await settled();
    expect(mailsTo(to)).toHaveLength(1);
    expect(only?.text).toContain('Now.');
  });

  test('that is deleted with its page is no longer mailed', async () => {
    await smtp.behave({ code: 451, text: '4.7.1 too many messages, try later', at: 'rcpt' });
    const to = await add();
    await post();
    await until(async () => {
      const waiting = await app.db.collection('subscriber_outbox').findOne({ page_id: pageId, attempts: 0 });
      return waiting !== null && waiting['due_at'] > waiting['created_at'];
    }, { what: 'the relay has refused the mail' });
    await client.delete(`${pages}/${pageId}`);
    await smtp.behave('accept');
    await settled();
    expect(mailsTo(to)).toEqual([]);
    for (const name of ['subscriber_outbox', 'subscriber_notices', SUBSCRIBERS]) {
      expect(await app.db.collection(name).countDocuments({ page_id: pageId }), name).toBe(0);
    }
  });
});

describe('a digest', () => {
  test.each([['hourly', HOUR_MS], ['daily', 24 * HOUR_MS]])('lists %s, in one mail, everything that happened', async (
    frequency, periodMs,
  ) => {
    const to = await add({ preferences: { frequency } });
    const id = await post();
    await update(id, { status: 'identified', message: 'A disk is full.' });
    await post({ title: 'Another trouble' });
    await settled();
    expect(mailsTo(to)).toEqual([]);
    offsetMs = periodMs;
    app.controller.subscribers.noticeSender.trigger();
    const [digest] = await mails(to, 1);
    expect(subjectOf(digest)).toMatch(/^\[Acme\] \d updates?$/);
    for (const text of ['We look into it.', 'A disk is full.', 'Another trouble']) {
      expect(digest?.text).toContain(text);
    }
    await post({ title: 'Later' });
    await settled();
    expect(mailsTo(to)).toHaveLength(1);
    offsetMs = 2 * periodMs;
    app.controller.subscribers.noticeSender.trigger();
    expect((await mails(to, 2))[1]?.text).not.toContain('Another trouble');
  });
});

describe('a webhook of a subscriber', () => {
  test('receives the same news as the mails, at once, until the subscriber leaves', async () => {
    const to = await add({ webhook_url: `${receiver.url}/hook`, preferences: { frequency: 'daily' } });
    const id = await post();
    const [request] = await until(() => receiver.requests.length > 0 && receiver.requests);
    const body = JSON.parse(request?.body.toString() ?? '');
    expect(body).toMatchObject({
      event: 'incident', title: 'Shop is <slow>', message: 'We look into it.\n\nSorry & thanks.',
      incident: { id, status: 'investigating', severity: 'major' }, status_page: { id: pageId, name: 'Acme' },
    });
    const before = receiver.requests.length;
    expect((await fetch(body.unsubscribe_url, { method: 'POST' })).status).toBe(200);
    await update(id, { status: 'identified', message: 'A disk is full.' });
    await settled();
    expect(receiver.requests).toHaveLength(before);
    expect(mailsTo(to)).toEqual([]);
  });
});

describe('a message of the team', () => {
  const notify = (body: object) => client.post(`${pages}/${pageId}/subscribers/bulk-notify`, body);

  test('reaches confirmed subscribers, and reports why others were skipped', async () => {
    const [one, digest] = [await add(), await add({ preferences: { frequency: 'daily' } })];
    const [unverified, left] = [await add({ state: 'unverified' }), await add({ state: 'unsubscribed' })];
    const missing = randomUUID();
    const { data } = await notify({
      subscriber_ids: [one.id, digest.id, unverified.id, left.id, missing], subject: 'We move', message: 'On Sunday.',
    });
    expect(data.message).toBe('Successfully notified 2 of 5 subscribers');
    expect(data.result).toMatchObject({ success_count: 2, failed_count: 3 });
    expect(data.result.errors.map((error: Loose) => error.error).sort()).toEqual([
      'Subscriber not found', 'The subscriber has not confirmed their address', 'The subscriber has unsubscribed',
    ]);
    for (const to of [one, digest]) {
      const [mail] = await mails(to, 1);
      expect(subjectOf(mail)).toBe('[Acme] We move');
      expect(mail?.text).toContain('On Sunday.');
      expect(linkIn(mail as ReceivedMail, '/status/').origin).toBe(app.url);
    }
    await settled();
    expect([unverified, left].flatMap(mailsTo)).toEqual([]);
  });

  test.each([
    { subject: '', message: 'x' }, { subject: 'x'.repeat(201), message: 'x' }, { subject: 'x', message: '' },
    { subject: 'x', message: 'x'.repeat(5001) }, { subject: 'x\r\nBcc: victim@example.com', message: 'x' },
  ])('is rejected if it is out of bounds', async (body) => {
    const { id } = await add();
    expect((await notify({ subscriber_ids: [id], ...body })).code).toBe('VALIDATION_ERROR');
  });

  test('cannot be sent by a page more than 20 times an hour', async () => {
    const { id } = await add({ preferences: { frequency: 'daily' } });
    const body = { subscriber_ids: [id], subject: 'Again', message: 'And again.' };
    const statuses = [];
    for (let at = 0; at < 20; at += 1) statuses.push((await notify(body)).status);
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
    offsetMs += HOUR_MS / 3;
    const refused = await notify(body);
    expect(refused.code).toBe('RATE_LIMIT_EXCEEDED');
    expect(refused.error.retryAfter, 'what is left of the hour').toBeLessThanOrEqual(2400);
    expect(refused.headers.get('retry-after')).toBe(String(refused.error.retryAfter));
  });
});

test('a maintenance announcement is sent once to subscribers who opted in, however often it is repeated', async () => {
  const to = await add({ preferences: { all_incidents: false } });
  const other = await add({ preferences: { maintenance: false } });
  const page = await app.controller.stores.pages.findOfOrganization(tenant.organizationId, pageId);
  const { announce } = app.controller.subscribers;
  const about = randomUUID();
  const [starts_at, ends_at] = [Date.now() + HOUR_MS, Date.now() + 2 * HOUR_MS];
  const planned = {
    title: 'New disks', text: 'At 3.', about, isFirst: true, maintenance: { phase: 'before', starts_at, ends_at },
  } as const;
  for (let at = 0; at < 3; at += 1) await announce(page === null ? [] : [page], planned);
  await mails(to, 1);
  await announce(page === null ? [] : [page], {
    ...planned, isFirst: false, maintenance: { phase: 'start', starts_at, ends_at },
  });
  const [first, second] = await mails(to, 2);
  await settled();
  expect(mailsTo(to).map(subjectOf)).toEqual(['[Acme] Maintenance: New disks', 'Re: [Acme] Maintenance: New disks']);
  expect(second?.headers['references']).toBe(first?.headers['message-id']);
  expect(mailsTo(other)).toEqual([]);
});

test('none of these queries scans a whole collection', () => {
  expect(plans.collections).toContain('subscriber_outbox');
  const scans = plans.collectionScans().filter((shape) => /^(subscriber_|status_page_)/.test(shape));
  expect(scans).toEqual([]);
});
