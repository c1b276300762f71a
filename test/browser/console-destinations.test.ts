import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../shared/ids.ts';
import { alertOf, DeliveryRig, monitorConfig } from '../helpers/delivery-rig.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { newMember, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';
import { findAccessibilityViolations, findViolationsInSweptView, takeScreenshot } from './chromium.ts';
import { DESKTOP, LONG_PHONE, openConsole, type ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
let tenant: Tenant;
let receiver: Receiver;
let sending: DeliveryRig;
beforeAll(async () => {
  [receiver, sending] = await Promise.all([startReceiver(), DeliveryRig.start()]);
  // The console's controller sends no alerts; this one does, on the same database.
  rig = await openConsole({ mongoUrl: sending.store.url, env: { ALLOW_PRIVATE_DESTINATIONS: 'true' } });
  tenant = await rig.newTenant();
  await create({ name: 'On call', type: 'email', is_default: true, config: { to: ['ada@example.com', 'bob@example.com'] } });
  const failing = await create({ name: '<b>Team</b> channel', type: 'webhook', config: { url: `${receiver.url}/team` } });
  const queues = rig.app.db.collection<{ _id: string }>('delivery_queues');
  await queues.insertOne({
    _id: failing, organization_id: tenant.organizationId, project_id: tenant.projectId, shard: 0, wakes: 1,
    failing_since: Date.now() - 3_600_000, consecutive_failures: 7, last_error: 'HTTP 500', last_delivered_at: null,
  } as never);
});
afterAll(async () => {
  await rig?.close();
  await sending?.stop();
  await receiver?.close();
});

const create = async (body: object) => {
  const { integration } = (await tenant.owner.client.post('/api/integrations', body)).data;
  return integration.id as string;
};

describe('destinations in the console', () => {
  test('its views work on a phone', async () => {
    await rig.open(tenant.owner, '/destinations', { ...LONG_PHONE, colorScheme: 'dark' }, async (page, problems) => {
      await page.getByRole('link', { name: 'On call' }).waitFor();
      // Failing destinations come first, even if their names come last.
      await expect.poll(() => page.locator('tbody tr').first().innerText()).toContain('HTTP 500');
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await takeScreenshot(page, 'console-destinations-phone');
      await page.getByRole('link', { name: '<b>Team</b> channel' }).click();
      await page.getByRole('heading', { level: 1, name: '<b>Team</b> channel' }).waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await takeScreenshot(page, 'console-destination-phone');
      expect(problems).toEqual([]);
    });
  });

  test('a user creates a webhook, sends a test and sees its secret', async () => {
    await rig.open(tenant.owner, '/destinations', DESKTOP, async (page, problems) => {
      await page.getByRole('link', { name: 'On call' }).waitFor();
      await page.keyboard.press('c');
      await page.getByRole('link', { name: 'Webhook' }).click();
      await page.getByLabel('Name').fill('Pager');
      await page.getByLabel('URL').fill(`${receiver.url}/pager`);
      await page.getByLabel(/Headers/).fill('X-Team: ops\nBad header: 1');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('alert').filter({ hasText: 'Bad header' }).first().waitFor();
      await page.getByLabel(/Headers/).fill('X-Team: ops');
      await page.getByLabel('Probe offline').check();
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: 'Pager' }).waitFor();
      await page.getByRole('button', { name: 'Send test alert' }).click();
      await page.getByText('HTTP 200').waitFor();
      expect(receiver.requests.find(({ path }) => path === '/pager')?.headers['x-team']).toBe('ops');
      await page.getByRole('button', { name: 'Show secret' }).click();
      const secret = page.getByLabel('Signing secret').locator('code');
      const before = await secret.innerText();
      expect(before).toMatch(/^whsec_/);
      await page.getByRole('button', { name: 'Rotate' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
      await page.getByText('Secret rotated').waitFor();
      await expect.poll(() => secret.innerText()).not.toBe(before);
      receiver.behave(503);
      await page.getByRole('button', { name: 'Send test alert' }).click();
      await page.getByText('Not delivered').waitFor();
      expect(problems.filter((line) => !line.includes('400'))).toEqual([]);
    });
    const { integrations } = (await tenant.owner.client.get('/api/integrations')).data;
    expect(integrations[0]).toMatchObject({
      name: 'Pager', type: 'webhook', is_default: true, config: { url: `${receiver.url}/pager`, headers: { 'X-Team': 'ops' } },
      events: expect.arrayContaining(['monitor.down', 'probe.offline']),
    });
  });

  test('a user creates a Telegram destination, and its token stays when other fields change', async () => {
    await rig.open(tenant.owner, '/destinations/new', DESKTOP, async (page, problems) => {
      await takeScreenshot(page, 'console-destination-types');
      await page.getByRole('link', { name: 'Telegram' }).click();
      await page.getByLabel('Name').fill('Bot');
      await page.getByLabel('Bot token').fill('123:first-token');
      await page.getByLabel('Chat ID').fill('-100200300');
      await page.getByLabel(/Topic ID/).fill('0');
      await page.getByLabel(/Bot API server/).fill(receiver.url);
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await takeScreenshot(page, 'console-destination-telegram');
      await page.getByLabel(/Topic ID/).fill('7');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: 'Bot' }).waitFor();
      await expect.poll(() => page.getByLabel('Bot token').inputValue()).toBe('***');
      await page.getByLabel(/Bot API server/).fill('https://elsewhere.example');
      await page.getByText('Enter this again, because the address has changed.').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').filter({ hasText: 'Fix the highlighted fields' }).waitFor();
      await page.getByLabel(/Bot API server/).fill(receiver.url);
      await page.getByLabel(/Topic ID/).fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      receiver.behave(200);
      await page.getByRole('button', { name: 'Send test alert' }).click();
      await page.getByText('HTTP 200').waitFor();
      const sent = receiver.requests.find(({ path }) => path === '/bot123:first-token/sendMessage');
      expect(JSON.parse(sent?.body.toString() ?? '')).toMatchObject({ chat_id: '-100200300', parse_mode: 'HTML' });
      expect(sent?.body.toString()).not.toContain('message_thread_id');
      expect(problems.filter((line) => !line.includes('400'))).toEqual([]);
    });
  });

  test('a user finds a type and sees its messages, and errors of a template, before saving', async () => {
    await rig.open(tenant.owner, '/destinations/new', { ...DESKTOP, colorScheme: 'dark' }, async (page, problems) => {
      await page.getByLabel('Find a type').fill('own receiver');
      await page.getByLabel('Find a type').press('Enter');
      await page.getByRole('group', { name: 'Webhook' }).waitFor();
      await page.getByText('Preview messages').click();
      const outage = page.getByRole('region', { name: 'Monitor down' });
      await outage.getByText('"event": "monitor.down"').waitFor();
      await page.getByLabel(/Template: body/).fill('{"what": "{{nothing}}"}');
      await page.getByText('Unknown name {{nothing}}').waitFor();
      await page.getByLabel(/Template: body/).fill('{"what": "{{subject}}"}');
      await outage.getByText('"what": "[DOWN] Shop — HTTP 503"').waitFor();
      await page.getByRole('region', { name: 'Monitor recovered' }).getByText('"what": "[UP] Shop').waitFor();
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await takeScreenshot(page, 'console-destination-preview');
      await page.getByLabel(/Template: body/).fill('{"what": {{subject}}}');
      await outage.getByText('This is not valid JSON.').waitFor();
      expect(problems.filter((line) => !line.includes('400'))).toEqual([]);
    });
  });

  test('the hours of a destination are drawn on a week, past midnight, too', async () => {
    await rig.open(tenant.owner, '/destinations/new', LONG_PHONE, async (page, problems) => {
      await page.getByText('Which alerts, and when').click();
      await page.getByLabel('Only at certain hours').check();
      await page.getByLabel('From', { exact: true }).fill('22:00');
      await page.getByLabel('To', { exact: true }).fill('06:00');
      const days = page.getByRole('figure').getByRole('listitem');
      await expect.poll(() => days.allTextContents()).toEqual([
        'Monday: Sent 22:00–24:00', ...['Tuesday', 'Wednesday', 'Thursday', 'Friday'].map((day) => `${day}: Sent 00:00–06:00, 22:00–24:00`),
        'Saturday: Sent 00:00–06:00', 'Sunday: Held',
      ]);
      await page.getByLabel('Outside these hours').selectOption('drop');
      await days.getByText('Sunday: Not sent').waitFor({ state: 'attached' });
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await takeScreenshot(page, 'console-destination-hours-phone');
      expect(problems).toEqual([]);
    });
  });

  test('the deliveries show each attempt, its error, and the final success', async () => {
    const id = await create({ name: 'Ops', type: 'webhook', config: { url: `${receiver.url}/ops` } });
    const { organizationId: organization_id, projectId: project_id } = tenant;
    const monitor = monitorConfig({ organization_id, project_id, notification_target_ids: [id] });
    const startedAt = Date.now();
    const incidentId = newId(startedAt);
    await sending.outbox.open({
      id: incidentId, monitor, severity: 'major', type: 'status_code', error_message: 'Status 503', affected_regions: ['eu'],
      failure_count: 2, started_at: startedAt,
    });
    receiver.behave(500);
    await sending.controller().alerts.fanOut(alertOf(monitor, incidentId, { startedAt }));
    const read = async () => (await tenant.owner.client.get(`/api/integrations/${id}/deliveries`)).data.deliveries[0];
    await until(async () => ((await read())?.retry_count ?? 0) > 0, { what: 'a failed attempt' });
    await rig.open(tenant.owner, `/destinations/${id}`, DESKTOP, async (page, problems) => {
      const row = page.getByRole('region', { name: 'Deliveries' }).getByRole('row').filter({ hasText: 'Monitor down' });
      await row.getByText('Pending').waitFor();
      await row.getByText('the receiver responded with status 500').waitFor();
      await row.getByText(/^[1-5] of 5$/).waitFor();
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await takeScreenshot(page, 'console-destination-sent');
      receiver.behave(200);
      sending.clock.warp(60_000);
      await until(async () => (await read()).status === 'delivered', { what: 'the second attempt' });
      await page.reload();
      await row.getByText('Delivered').waitFor();
      await row.getByRole('link', { name: 'Monitor down' }).click();
      await page.waitForURL(new RegExp(`/incidents/${incidentId}`));
      expect(problems).toEqual([]);
    });
    expect(receiver.requests.filter(({ path }) => path === '/ops').length).toBeGreaterThan(1);
  });

  test('a user changes, disables and deletes one', async () => {
    const id = await create({ name: 'Night shift', type: 'email', config: { to: ['night@example.com'] } });
    const read = async () => (await tenant.owner.client.get(`/api/integrations/${id}`));
    await rig.open(tenant.owner, `/destinations/${id}`, DESKTOP, async (page) => {
      await page.getByLabel('Recipients').fill('night@example.com, day@example.com');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      expect((await read()).data.integration.config.to).toEqual(['night@example.com', 'day@example.com']);
      await page.getByRole('link', { name: 'All destinations' }).click();
      await page.getByRole('switch', { name: 'Night shift' }).click();
      await page.getByRole('row', { name: /Night shift/ }).getByText('Disabled').waitFor();
      await expect.poll(async () => (await read()).data.integration.enabled).toBe(false);
      await page.getByRole('link', { name: 'Night shift' }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Deleted').waitFor();
      await expect.poll(() => page.getByRole('link', { name: 'Night shift' }).count()).toBe(0);
    });
    expect((await read()).status).toBe(404);
  });

  test('only admins of the project see these actions', async () => {
    const viewer = await newMember(rig.app, tenant, 'viewer');
    await rig.open(viewer, '/destinations', DESKTOP, async (page, problems) => {
      await page.getByText('Only project admins').waitFor();
      await expect.poll(() => page.getByRole('link', { name: 'New destination' }).count()).toBe(0);
      expect(problems).toEqual([]);
    });
  });
});
