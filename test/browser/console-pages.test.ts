import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SubscriberDoc } from '../../controller/subscribers/subscriber.ts';
import { newId } from '../../shared/ids.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { pageSubscriber, SUBSCRIBERS } from '../helpers/page-subscriber.ts';
import { newMember, type Tenant } from '../helpers/tenants.ts';
import { findViolationsInOverlay, findViolationsInSweptView, takeScreenshot } from './chromium.ts';
import { DESKTOP, openConsole, LONG_PHONE, type ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
let tenant: Tenant;
let pageId: string;
const monitors: string[] = [];
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
  for (const name of ['Shop', 'Search', 'Mail']) {
    const created = await tenant.writeKey.post('/api/monitors', {
      name, type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60,
    });
    monitors.push(created.data.monitor.id);
  }
  const client = tenant.owner.client.with({ 'x-project-id': tenant.projectId });
  pageId = (await client.post(path(), { name: 'Acme <b>status</b>', subdomain: 'acme' })).data.status_page.id;
  await client.put(`${path()}/${pageId}/monitors`, { monitors: [{ monitor_id: monitors[0] }, { monitor_id: monitors[1] }] });
  await client.post(`${path()}/${pageId}/publish`);
  await client.post(`${path()}/${pageId}/incidents`, {
    title: 'Payments fail', message: 'We look into it.', severity: 'major', affected_monitor_ids: [monitors[0]],
  });
  await rig.app.db.collection<SubscriberDoc>(SUBSCRIBERS).insertOne(pageSubscriber({ ...tenant, pageId }, 'reader@example.com'));
});
afterAll(() => rig?.close());

const path = () => `/api/projects/${tenant.projectId}/status-pages`;

/** The views of a page, with a text in each. The sweep visits all of them on a phone. */
const VIEWS = [
  ['branding', 'Custom color'], ['monitors', 'Shop'], ['posts', 'Payments fail'], ['subscribers', 'reader@example.com'],
  ['settings', 'Time zone'], ['domain', 'Custom domain'],
] as const;

describe('status pages in the console', () => {
  test('its views work on a phone', async () => {
    await rig.open(tenant.owner, '/pages', { ...LONG_PHONE, colorScheme: 'dark' }, async (page, problems) => {
      await page.getByRole('link', { name: 'Acme <b>status</b>' }).waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await takeScreenshot(page, 'console-pages-phone');
      for (const [view, text] of VIEWS.slice(0, fewOrAll(1, VIEWS.length))) {
        await page.goto(`${rig.app.url}/pages/${pageId}/${view}`);
        await page.locator('.page-main').getByText(text).first().waitFor();
        await page.frameLocator('iframe').getByText('Acme').first().waitFor();
        expect(await findViolationsInSweptView(page), view).toEqual([]);
        await takeScreenshot(page, `console-page-${view}-phone`);
      }
      expect(problems).toEqual([]);
    });
  });

  test('a user creates a page, orders its monitors and publishes it', async () => {
    await rig.open(tenant.owner, '/pages', DESKTOP, async (page, problems) => {
      await page.getByRole('link', { name: 'Acme <b>status</b>' }).waitFor();
      await page.keyboard.press('c');
      await page.getByRole('dialog').getByLabel('Name').fill('Über uns');
      await expect.poll(() => page.getByLabel('Subdomain').inputValue()).toBe('uber-uns');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByLabel('Add a monitor').selectOption({ label: 'Mail' });
      await page.getByLabel('Add a monitor').selectOption({ label: 'Shop' });
      await page.getByRole('button', { name: 'Move Shop up' }).click();
      await page.getByLabel('Name of Mail on the page').fill('Post');
      await page.getByLabel('Group of Mail').fill('Office');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      // A draft has a preview, too.
      await page.frameLocator('iframe').getByText('Office').waitFor();
      await takeScreenshot(page, 'console-page-draft');
      // So does its style, even without a URL; anything that is not CSS stays text.
      await page.getByRole('link', { name: 'Branding' }).click();
      await page.getByLabel('Logo').fill('https://images.example/logo.png');
      await page.getByLabel('Custom CSS').fill('h1 { color: rgb(1, 2, 3); font-family: "</template><b>" }');
      await page.getByRole('button', { name: 'Save' }).click();
      const heading = page.frameLocator('iframe').getByRole('heading', { level: 1 });
      const color = () => heading.evaluate((one) => one.ownerDocument.defaultView?.getComputedStyle(one).color);
      await expect.poll(color, { timeout: 30_000 }).toBe('rgb(1, 2, 3)');
      await page.getByText('doesn’t load logos from other hosts').waitFor();
      await takeScreenshot(page, 'console-page-own-style');
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.frameLocator('iframe').getByText('Über uns').first().waitFor();
      await page.getByRole('link', { name: 'Settings' }).last().click();
      await page.getByLabel('Description').fill('All we do');
      await page.getByLabel('Incident history').fill('14');
      await page.getByLabel('Google Analytics').fill('G-AB12CD34');
      await page.getByLabel('Green threshold').fill('90');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('operational must be at least degraded').first().waitFor();
      await page.getByLabel('Green threshold').fill('99.5');
      await page.getByLabel('Yellow threshold').fill('90');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).nth(2).waitFor();
      await page.getByRole('link', { name: 'Branding' }).click();
      await page.getByLabel('Custom color').check();
      await page.getByLabel('Header text').fill('Hello');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(async () => (await rig.app.client.get('/status/uber-uns')).text).toContain('Hello');
      expect(problems.filter((line) => !line.includes('400'))).toEqual([]);
    });
    const client = tenant.owner.client.with({ 'x-project-id': tenant.projectId });
    const { status_pages: [{ id }] } = (await client.get(path())).data;
    const page = (await client.get(`${path()}/${id}`)).data.status_page;
    expect(page).toMatchObject({
      status: 'published', description: 'All we do', incident_history_days: 14,
      google_analytics_id: 'G-AB12CD34', uptime_thresholds: { operational: 99.5, degraded: 90 },
      branding: { headerText: 'Hello', primaryColor: '#0b6b6b' },
      monitors: [{ monitor_name: 'Shop' }, { display_name: 'Post', group_name: 'Office' }],
    });
  });

  test('a user posts, updates and resolves an incident', async () => {
    await rig.open(tenant.owner, `/pages/${pageId}/posts`, DESKTOP, async (page) => {
      await page.getByRole('button', { name: 'New post' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Title').fill('Search is down');
      await dialog.getByLabel('Message').fill('We restart it.');
      await dialog.getByLabel('Search').check();
      await dialog.getByRole('button', { name: 'Post' }).click();
      const card = page.getByRole('listitem').filter({ hasText: 'Search is down' });
      await card.getByRole('button', { name: 'Post an update' }).click();
      await dialog.getByLabel('State').selectOption('resolved');
      await dialog.getByLabel('Message').fill('It is back.');
      await dialog.getByRole('button', { name: 'Post an update' }).click();
      await card.getByText('It is back.').waitFor();
    });
    const { incidents } = (await tenant.readKey.get(`${path()}/${pageId}/incidents`)).data;
    expect(incidents[0]).toMatchObject({ title: 'Search is down', status: 'resolved', affected_monitor_ids: [monitors[1]] });
  });

  test('a subscriber\'s preferences are read and changed', async () => {
    const { _id: id } = await rig.app.db.collection<SubscriberDoc>(SUBSCRIBERS).findOne({ email: 'reader@example.com' }) as SubscriberDoc;
    await rig.open(tenant.owner, `/pages/${pageId}/subscribers?status=verified`, DESKTOP, async (page, problems) => {
      await page.getByRole('link', { name: 'reader@example.com' }).click();
      const dialog = page.getByRole('dialog', { name: 'reader@example.com' });
      await dialog.getByText('Confirmed').waitFor();
      await expect.poll(() => page.url()).toContain(`subscriber=${id}`);
      expect(await findViolationsInOverlay(page)).toEqual([]);
      await takeScreenshot(page, 'console-page-subscriber');
      await dialog.getByLabel('All incidents').uncheck();
      await dialog.getByLabel('Maintenance').uncheck();
      await dialog.getByLabel('Frequency').selectOption('daily');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('critical incidents, daily').waitFor();
      await expect.poll(() => page.url()).toMatch(/subscribers\?status=verified$/);
      expect(problems).toEqual([]);
    });
    const { subscriber } = (await tenant.readKey.get(`${path()}/${pageId}/subscribers/${id}`)).data;
    expect(subscriber.preferences).toEqual({
      critical_incidents: true, all_incidents: false, maintenance: false, frequency: 'daily',
    });
    const viewer = await newMember(rig.app, tenant, 'viewer');
    await rig.open(viewer, `/pages/${pageId}/subscribers?subscriber=${id}`, DESKTOP, async (page) => {
      await page.getByRole('dialog').getByText('critical incidents, daily').waitFor();
      await expect.poll(() => page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    });
  });

  test('subscribers are searched, exported and deleted, and a domain is verified', async () => {
    await rig.open(tenant.owner, `/pages/${pageId}/subscribers`, DESKTOP, async (page) => {
      await page.getByText('reader@example.com').waitFor();
      const searches: string[] = [];
      page.on('request', (request) => {
        const search = new URL(request.url()).searchParams.get('search');
        if (search !== null && request.url().includes('/api/')) searches.push(search);
      });
      // Time stands still, so the field's typing delay never passes between keys.
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + 60_000);
      await page.getByLabel('Search by address').pressSequentially('reader');
      await page.clock.resume();
      await page.waitForURL(/search=reader/);
      await page.getByText('reader@example.com').waitFor();
      expect(searches).toEqual(['reader']);
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export as CSV' }).click()]);
      expect(file.suggestedFilename()).toBe('subscribers.csv');
      await page.getByLabel('Select reader@example.com').check();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No subscribers').waitFor();
      await page.goto(`${rig.app.url}/pages/${pageId}/domain`);
      await page.getByLabel('Custom domain').fill('status.acme.invalid');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Check DNS now' }).click();
      await page.getByText('Add one of these DNS records').waitFor();
      await page.getByText('TXT').first().waitFor();
      await page.close();
    });
    const id = newId(Date.now());
    const viewer = await newMember(rig.app, tenant, 'viewer');
    await rig.open(viewer, `/pages/${pageId}`, DESKTOP, async (page) => {
      await page.getByText('Search is down').or(page.getByText('Payments fail')).first().waitFor();
      await expect.poll(() => page.getByRole('button', { name: /ublish|New post|Delete/ }).count()).toBe(0);
      await page.goto(`${rig.app.url}/pages/${id}`);
      await page.getByText('Page not found').waitFor();
    });
  });
});
