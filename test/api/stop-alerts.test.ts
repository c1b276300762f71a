import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RecipientTokens } from '../../controller/access/link-tokens.ts';
import { openMailer } from '../../controller/platform/mail/mailer.ts';
import type { Mailer } from '../../controller/platform/mail/mailer-port.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock } from '../../shared/time.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { alertOf, DeliveryRig, monitorConfig, type DeliveringController } from '../helpers/delivery-rig.ts';
import { startMailgunServer, type TestMailgunServer } from '../helpers/mailgun-server.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { testMongo } from '../helpers/mongo.ts';
import { linkIn } from '../helpers/read-mail.ts';
import { startSmtpServer, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

let smtp: TestSmtpServer;
let app: TestApp;
/** Sends the alerts of the app's database. */
let rig: DeliveryRig;
let alerts: DeliveringController['alerts'];
let mailer: Mailer;
let tenant: Tenant;
let admin: ApiClient;
let offsetMs = 0;
beforeAll(async () => {
  smtp = await startSmtpServer();
  const store = await testMongo();
  app = await makeApp({
    mongoUrl: store.url, env: { SMTP_URL: smtp.url }, clock: { ...systemClock, now: () => Date.now() + offsetMs },
  });
  rig = new DeliveryRig(store);
  await Promise.all([rig.deliveries, rig.queues].map((one) => one.ensureIndexes()));
  mailer = openMailer(
    { from: 'Farwatch <farwatch@test.example>', isFromConfigured: true, mailgun: null, smtpUrl: smtp.url },
    { folder: 'unused', clock: systemClock, log: createLog('test', 'silent') },
  );
  const recipientTokens = new RecipientTokens(app.accounts.linkKeys);
  ({ alerts } = rig.controller({ mailer, recipientTokens, baseUrl: app.url }));
});
afterAll(async () => {
  await app.close();
  await mailer.close();
  await rig.stop();
  await smtp.stop();
});
beforeEach(async () => {
  tenant = await newTenant(app);
  admin = tenant.owner.client;
});
afterEach(() => {
  offsetMs = 0;
});

let count = 0;
const newAddress = () => `Person.${(count += 1)}@victim.example`;
const mailsTo = (address: string) => smtp.mails.filter((mail) => mail.to.includes(address));

async function destination(to: string[], of = tenant): Promise<string> {
  const body = { name: 'Mail', type: 'email', is_default: true, config: { to } };
  return ((await of.owner.client.post('/api/integrations', body)).data as Loose).integration.id;
}
/** Raises an alert about the tenant's outage; resolves to its log once none of its deliveries is pending. */
async function alert(of = tenant) {
  const monitor = monitorConfig({ organization_id: of.organizationId, project_id: of.projectId });
  const incidentId = newId(Date.now());
  await alerts.fanOut(alertOf(monitor, incidentId, { startedAt: Date.now() }));
  return until(async () => {
    const { deliveries } = await rig.deliveries.ofIncident(of, incidentId, { page: 1, pageSize: 100 });
    return deliveries.length > 0 && deliveries.every((one) => one.status !== 'pending') && deliveries;
  }, { what: 'the deliveries end' });
}
const pathOf = (link: URL) => `${link.pathname}${link.search}`;
async function linkTo(address: string): Promise<URL> {
  return linkIn(await until(() => mailsTo(address).at(-1)), '/stop-alerts');
}
/** As RFC 8058 prescribes for mail programs: no cookies, no referrer, the header's value as a form. */
const oneClick = (link: URL, body: string | FormData) => fetch(link, {
  method: 'POST', body,
  ...(typeof body === 'string' ? { headers: { 'content-type': 'application/x-www-form-urlencoded' } } : {}),
});
const integration = async (id: string) =>
  ((await admin.get(`/api/integrations/${id}`)).data as Loose).integration;

describe('an alert mail', () => {
  test('has the headers of RFC 8058 and the link in both parts, as does a test mail', async () => {
    const to = newAddress();
    const id = await destination([to]);
    await admin.post(`/api/integrations/${id}/test`);
    await alert();
    const mails = await until(() => mailsTo(to).length === 2 && mailsTo(to));
    for (const mail of mails) {
      const link = linkIn(mail, '/stop-alerts').href;
      expect(link.startsWith(`${app.url}/stop-alerts?token=`)).toBe(true);
      expect(mail.headers['list-unsubscribe']).toBe(`<${link}>`);
      expect(mail.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
      expect(mail.html).toContain(`<a href="${link}">Stop these emails</a>`);
    }
  });

  test.each([
    ['urlencoded', () => 'List-Unsubscribe=One-Click'],
    ['multipart', () => {
      const form = new FormData();
      form.append('List-Unsubscribe', 'One-Click');
      return form;
    }],
  ])('is the last one after a single request from a mail program, %s', async (_name, body) => {
    const [to, other] = [newAddress(), newAddress()];
    const id = await destination([to, other]);
    await alert();
    const response = await oneClick(await linkTo(to), body());
    expect(response.status).toBe(200);
    const before = mailsTo(to).length;
    const deliveries = await alert();
    expect(Object.fromEntries(deliveries.map((one) => [one.recipient, [one.status, one.attempts]]))).toEqual({
      [to]: ['failed', 0], [other]: ['delivered', 1],
    });
    expect(deliveries.find((one) => one.recipient === to)?.error_message).toBe(
      'the owner of the address stopped alert emails from this organization',
    );
    expect(mailsTo(to)).toHaveLength(before);
    await until(async () => (await integration(id)).health.status === 'failing');
    expect((await integration(id)).health).toMatchObject({
      status: 'failing', failing_recipients: [to], suppressed_recipients: [to],
      last_error: expect.stringContaining('stopped alert emails'),
    });
  });

  test('is stopped by a button on a page, which changes nothing when opened, and resumed on the same page', async () => {
    const to = newAddress();
    const id = await destination([to]);
    await alert();
    const link = await linkTo(to);
    for (const method of ['GET', 'HEAD', 'GET']) await app.client.send(method, pathOf(link));
    const page = await app.client.get(pathOf(link));
    expect(page.status).toBe(200);
    expect(page.text).toContain(to);
    expect(page.text).not.toMatch(/<script/);
    expect((await integration(id)).health.suppressed_recipients).toEqual([]);

    const stopped = await submit(link, page.text);
    expect(stopped.text).toContain('no longer receives alert emails');
    expect((await integration(id)).health.suppressed_recipients).toEqual([to]);
    expect((await alert())[0]?.status).toBe('failed');
    expect((await app.client.get(pathOf(link))).text).toContain('Resume alert emails');

    const resumed = await submit(link, stopped.text);
    expect(resumed.text).toContain('again');
    expect((await alert())[0]?.status).toBe('delivered');
    await until(async () => (await integration(id)).health.status === 'healthy');
    expect((await integration(id)).health.suppressed_recipients).toEqual([]);
  });

  test('stays stopped when the organization deletes the integration, enters the address again or tests it', async () => {
    const to = newAddress();
    const id = await destination([to]);
    await alert();
    await oneClick(await linkTo(to), 'List-Unsubscribe=One-Click');
    await admin.delete(`/api/integrations/${id}`);
    const again = await destination([to.toLowerCase()]);
    const before = smtp.mails.length;
    const sample = await admin.post(`/api/integrations/${again}/test`);
    expect(sample.data).toMatchObject({
      delivered: false, error_message: expect.stringContaining('stopped alert emails'),
    });
    expect((await alert())[0]?.status).toBe('failed');
    const alerts = smtp.mails.slice(before).filter((mail) => mail.to[0]?.endsWith('@victim.example'));
    expect(alerts).toEqual([]);
  });

  test('still arrives from other organizations', async () => {
    const to = newAddress();
    const other = await newTenant(app);
    await destination([to]);
    await destination([to], other);
    await alert();
    await oneClick(await linkTo(to), 'List-Unsubscribe=One-Click');
    expect((await alert())[0]?.status).toBe('failed');
    expect((await alert(other))[0]?.status).toBe('delivered');
  });

  test('that is stopped is reported to the owners once a day, and each change is in the audit log', async () => {
    const to = newAddress();
    await destination([to]);
    await alert();
    const link = await linkTo(to);
    const resume = new URL(`${app.url}/resume-alerts${link.search}`);
    for (let at = 0; at < 3; at += 1) {
      await oneClick(link, 'List-Unsubscribe=One-Click');
      await oneClick(link, 'List-Unsubscribe=One-Click');
      await oneClick(resume, '');
    }
    const ownerNotices = () => mailsTo(tenant.owner.email).filter((mail) => mail.text.includes(to));
    await until(() => ownerNotices().length > 0);
    expect(ownerNotices().map((mail) => mail.headers['subject'])).toEqual(['An address no longer receives your alerts']);
    const entries = async (action: string) =>
      ((await admin.get(`/api/audit-log?action=${action}`)).data as Loose).entries;
    expect(await entries('recipient.suppressed')).toHaveLength(3);
    expect((await entries('recipient.resumed'))[0]).toMatchObject({
      actor: { type: 'none', id: null, name: to }, organization_id: tenant.organizationId,
    });
    offsetMs = 86_400_001;
    await oneClick(link, 'List-Unsubscribe=One-Click');
    await until(() => ownerNotices().length === 2);
  });

  test('is not stopped by a token that is incomplete, changed or for another address', async () => {
    const [to, other] = [newAddress(), newAddress()];
    await destination([to, other]);
    await alert();
    const token = (await linkTo(to)).searchParams.get('token') ?? '';
    const foreign = (await linkTo(other)).searchParams.get('token') ?? '';
    const mixed = `${token.split('.')[0]}.${foreign.split('.')[1]}`;
    for (const wrong of ['', token.slice(0, -3), mixed, '0'.repeat(64), 'x'.repeat(900)]) {
      const response = await oneClick(new URL(`${app.url}/stop-alerts?token=${wrong}`), 'List-Unsubscribe=One-Click');
      expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    }
    expect((await alert()).map((one) => one.status)).toEqual(['delivered', 'delivered']);
    const stored = await app.db.collection('suppressions').find({}).toArray();
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  async function submit(link: URL, page: string) {
    const action = /<form method="post" action="([^"]+)">/.exec(page)?.[1] ?? '';
    const target = new URL(action, link);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return app.client.send('POST', pathOf(target), { rawBody: '', headers });
  }
});

test('through Mailgun the headers are fields of the message', async () => {
  const server: TestMailgunServer = await startMailgunServer();
  const mailgun = await makeApp({
    env: { MAILGUN_API_KEY: 'key-1', MAILGUN_DOMAIN: 'mg.example', MAILGUN_URL: server.url },
  });
  const { owner } = await newTenant(mailgun);
  const body = { name: 'Mail', type: 'email', config: { to: ['ops@example.com'] } };
  const { integration: made } = (await owner.client.post('/api/integrations', body)).data as Loose;
  await owner.client.post(`/api/integrations/${made.id}/test`);
  const [message] = server.messages;
  const link = linkIn(message as { text: string }, '/stop-alerts').href;
  expect(message?.fields).toContainEqual(['h:List-Unsubscribe', `<${link}>`]);
  expect(message?.fields).toContainEqual(['h:List-Unsubscribe-Post', 'List-Unsubscribe=One-Click']);
  await mailgun.close();
  await server.close();
});
