import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { WindowDoc } from '../../controller/maintenance/window.ts';
import type { SubscriberDoc } from '../../controller/subscribers/subscriber.ts';
import { systemClock } from '../../shared/time.ts';
import type { ApiClient } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { pageSubscriber, SUBSCRIBERS } from '../helpers/page-subscriber.ts';
import { startSmtpServer, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

const HOUR_MS = 3_600_000;

let smtp: TestSmtpServer;
let app: TestApp;
let tenant: Tenant;
let client: ApiClient;
let windows: string;
let pageId: string;
let email: string;
let offsetMs = 0;

beforeAll(async () => {
  smtp = await startSmtpServer();
  app = await makeApp({
    env: { SMTP_URL: smtp.url }, clock: { ...systemClock, now: () => Date.now() + offsetMs },
  });
  tenant = await newTenant(app);
  client = tenant.writeKey.with({ 'x-project-id': tenant.projectId });
  windows = `/api/projects/${tenant.projectId}/maintenance-windows`;
  app.controller.subscribers.noticeSender.start();
});
afterAll(async () => {
  await app.close();
  await smtp.stop();
});
beforeEach(async () => {
  const pages = `/api/projects/${tenant.projectId}/status-pages`;
  const page = { name: 'Acme', subdomain: `p-${randomUUID()}`, timezone: 'Europe/Berlin' };
  pageId = (await client.post(pages, page)).data.status_page.id;
  await client.post(`${pages}/${pageId}/publish`);
  email = await subscribe(true);
});

async function subscribe(maintenance: boolean): Promise<string> {
  const address = `s-${randomUUID()}@example.com`;
  const base = pageSubscriber({ ...tenant, pageId }, address);
  const doc = { ...base, preferences: { ...base.preferences, maintenance } };
  await app.db.collection<SubscriberDoc>(SUBSCRIBERS).insertOne(doc);
  return address;
}

/** The time this many hours from now. */
const at = (hours: number): string => new Date(Date.now() + offsetMs + hours * HOUR_MS).toISOString();

async function create(body: object): Promise<string> {
  const response = await client.post(windows, { title: 'Move', status_page_ids: [pageId], ...body });
  expect(response.status, response.text).toBe(201);
  return response.data.maintenance_window.id;
}

/** Advances the clock by hours, and runs the tasks of two controllers. */
async function advanceHours(hours: number): Promise<void> {
  offsetMs += hours * HOUR_MS;
  await Promise.all([app.controller.maintenance.windowTask.run(), app.controller.maintenance.windowTask.run()]);
  await app.controller.maintenance.windowTask.run();
}

async function mails(count: number) {
  const received = () => smtp.mails.filter((mail) => mail.to.includes(email));
  await until(() => received().length >= count, { what: `${count} mails` });
  await until(async () => {
    const pendingNotices = { page_id: pageId, due_at: { $gt: 0 } };
    return (await app.db.collection('subscriber_notices').countDocuments(pendingNotices)) === 0
      && (await app.db.collection('subscriber_outbox').countDocuments(pendingNotices)) === 0;
  }, { what: 'an empty queue' });
  expect(received()).toHaveLength(count);
  return received();
}

test('subscribers are notified before a window, at its start and at its end, once each, in one thread', async () => {
  const silent = await subscribe(false);
  await create({ starts_at: at(48), ends_at: at(50), description: 'The shop is read-only.' });
  await advanceHours(12);
  await mails(0);
  for (const hours of [13, 0, 22.5, 0.6, 0, 1, 1, 30]) await advanceHours(hours);
  const [before, start, end] = await mails(3);
  expect([before, start, end].map((mail) => mail?.headers['subject'])).toEqual([
    '[Acme] Maintenance: Move', 'Re: [Acme] Maintenance: Move', 'Re: [Acme] Maintenance: Move',
  ]);
  expect(before?.text).toMatch(/scheduled from .*, \d\d:\d\d (CET|CEST) to .* (CET|CEST)\.\n\nThe shop is/);
  expect(start?.text).toContain('has started');
  expect(end?.text).toContain('has ended');
  expect(end?.headers['references']).toBe(before?.headers['message-id']);
  expect(smtp.mails.some((mail) => mail.to.includes(silent))).toBe(false);
});

test('a deleted window is announced as cancelled if subscribers were notified of it', async () => {
  const later = await create({ title: 'Later', starts_at: at(72), ends_at: at(73) });
  const upcoming = await create({ title: 'Soon', starts_at: at(5), ends_at: at(6) });
  await mails(1);
  for (const id of [later, upcoming]) await client.delete(`${windows}/${id}`);
  const [, cancelled] = await mails(2);
  expect(cancelled?.headers['subject']).toBe('Re: [Acme] Maintenance: Soon');
  expect(cancelled?.text).toContain('has been canceled or has ended');
});

test('work repeated after a crash sends nothing twice', async () => {
  const id = await create({ starts_at: at(5), ends_at: at(6) });
  await mails(1);
  const stored = app.db.collection<WindowDoc>('maintenance_windows');
  await stored.updateOne({ _id: id }, { $set: { announced_until: 0, due_at: 0 } });
  await advanceHours(0);
  expect((await stored.findOne({ _id: id }))?.announced_until).toBeGreaterThan(0);
  await mails(1);
});

test('repeated changes of windows do not flood subscribers', async () => {
  const id = await create({ starts_at: at(5), ends_at: at(6) });
  for (let change = 0; change < 25; change += 1) {
    const response = await client.patch(`${windows}/${id}`, { ends_at: at(6.1 + change / 10) });
    expect(response.status).toBe(200);
  }
  await mails(20);
});
