import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GroupDoc } from '../../controller/groups/group.ts';
import { newId } from '../../shared/ids.ts';
import { addRegion } from '../helpers/make-app.ts';
import type { Tenant } from '../helpers/tenants.ts';
import { findAccessibilityViolations, findViolationsInOverlay, findViolationsInSweptView, takeScreenshot } from './chromium.ts';
import { DESKTOP, openConsole, PHONE, type ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
let tenant: Tenant;
let lastGroup: string;
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
  for (const [id, name] of [['eu', 'Dublin'], ['us', 'Ohio'], ['ap', 'Tokyo']] as const) await addRegion(rig.app, id, { name });
  // More than one page of the API's list of groups.
  const top = (await tenant.writeKey.post('/api/groups', { name: 'Zone' })).data.id;
  const { insertedIds } = await rig.app.db.collection<GroupDoc>('groups').insertMany(Array.from({ length: 120 }, (_, at) => ({
    _id: newId(Date.now()), organization_id: tenant.organizationId, project_id: tenant.projectId, created_by: null, name: `Group ${at}`,
    description: '', parent_group_id: top, tree_revision: 1, created_at: Date.now(),
  })));
  lastGroup = insertedIds[119] as string;
});
afterAll(() => rig?.close());

const read = async (id: string) => (await tenant.owner.client.get(`/api/monitors/${id}/settings`)).data.settings;

/** Submits the form for a new monitor; returns the monitor as the API reads it. */
async function create(page: Page) {
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.waitForURL(/\/monitors\/[0-9a-f-]{36}$/);
  return read(page.url().split('/').at(-1) ?? '');
}

describe('the form of a monitor', () => {
  test('creates a web page monitor with suitable settings, after a test run', async () => {
    await rig.open(tenant.owner, '/monitors/new', DESKTOP, async (page, problems) => {
      await page.getByLabel('Target').fill('https://shop.example/cart');
      await page.getByLabel('Check every').fill('120');
      await page.getByLabel('Accepted status codes').fill('200-299, 304');
      await page.getByRole('button', { name: 'Add header' }).click();
      await page.getByLabel('Name 1').fill('Accept');
      await page.getByLabel('Value 1').fill('text/html');
      await page.getByLabel('Authentication').selectOption('Username and password');
      await page.getByLabel('Username').fill('ada');
      await page.getByRole('textbox', { name: 'Password' }).fill('secret');
      await page.getByRole('button', { name: 'Add assertion' }).click();
      await page.getByLabel('Source 1').selectOption('JSON');
      await page.getByLabel('Property 1').fill('$.status');
      await page.getByLabel('Comparison 1').selectOption('equals');
      await page.getByRole('group', { name: 'Assertions' }).getByLabel('Value 1').fill('ok');
      for (const region of ['Dublin', 'Ohio', 'Tokyo']) await page.getByLabel(region).check();
      await page.getByLabel('Regions that must agree').selectOption('2 regions');
      await page.getByText('Down when 2 of 3 regions fail 2 checks in a row.').waitFor();
      await page.getByLabel('Tags').fill('shop, eu');
      await page.getByLabel('Group', { exact: true }).selectOption({ label: 'Zone / Group 119' });
      await page.getByRole('button', { name: 'Test now' }).click();
      await page.getByText('3 not checked').waitFor();
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await takeScreenshot(page, 'console-editing-http');
      expect(await create(page)).toMatchObject({
        name: 'shop.example/cart', type: 'HTTP', target: 'https://shop.example/cart', interval_seconds: 120,
        expected_status: [304], expected_status_ranges: ['200-299'], headers: { Accept: 'text/html' },
        auth: { type: 'basic', username: 'ada', password: 'secret' },
        assertions: [{ source: 'json', property: '$.status', comparison: 'equals', target: 'ok' }],
        monitoring_regions: ['eu', 'us', 'ap'], confirmation_policy: { regions: 2, retries: 1 }, tags: ['shop', 'eu'],
        group_id: lastGroup,
      });
      expect(problems).toEqual([]);
    });
  });

  test('creates monitors of every other type', async () => {
    await rig.open(tenant.owner, '/monitors/new?type=keyword&target=https://shop.example', DESKTOP, async (page) => {
      await page.getByLabel('Text 1').fill('In stock');
      await page.getByLabel('Condition 1').selectOption('does not contain');
      expect(await create(page)).toMatchObject({
        type: 'KEYWORD', keyword_config: { keywords: [{ text: 'In stock', should_contain: false }] },
      });
      await openNewForm(page, 'Port or service');
      await page.getByLabel('Target').fill('mail.shop.example');
      await page.getByLabel('Port', { exact: true }).fill('25');
      await page.getByLabel('Protocol', { exact: true }).selectOption('smtp');
      const validation = page.getByLabel('Validate the protocol');
      await expect.poll(() => validation.isChecked()).toBe(true);
      await validation.uncheck();
      expect(await create(page)).toMatchObject({ tcp_config: { port: 25, protocol: 'smtp', protocol_validation: false } });
      await openNewForm(page, 'Host (ping)');
      await page.getByLabel('Target').fill('shop.example');
      await page.locator('summary', { hasText: 'Packets' }).click();
      await expect.poll(() => page.getByLabel('Packets', { exact: true }).getAttribute('max')).toBe('10');
      await page.getByText('Per check. One reply is enough. 1 to 10. Default: 3.').waitFor();
      await page.getByText('0 to 1,400 bytes. Default: 56 bytes.').waitFor();
      await page.getByLabel('Packets', { exact: true }).fill('5');
      expect(await create(page)).toMatchObject({ icmp_config: { packet_count: 5, ttl: 64 } });
      await openNewForm(page, 'DNS records');
      await page.getByLabel('Target').fill('shop.example');
      await page.getByLabel('Type 1').selectOption('MX');
      await page.getByLabel('Values, one per line 1').fill('10 mail.shop.example');
      expect(await create(page)).toMatchObject({
        dns_config: { record_entries: [{ type: 'MX', expected_values: ['10 mail.shop.example'] }] },
      });
      await openNewForm(page, 'Job (heartbeat)');
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Backup');
      await page.getByLabel('Expect a ping every').fill('86400');
      expect(await create(page)).toMatchObject({ name: 'Backup', heartbeat_interval: 86_400, grace_period: 300 });
      await openNewForm(page, 'Job (heartbeat)');
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Report');
      await page.getByLabel('Pings are due').selectOption('by a cron schedule');
      const nextDue = page.getByRole('region', { name: 'Next due times' });
      await expect.poll(() => nextDue.getByRole('listitem').count()).toBe(5);
      await page.getByLabel('Schedule', { exact: true }).fill('0 12 29 2');
      await nextDue.getByText('Enter five fields').waitFor();
      await page.getByLabel('Schedule', { exact: true }).fill('0 12 29 2 *');
      await page.getByLabel('Time zone', { exact: true }).selectOption('Asia/Dubai');
      const first = nextDue.locator('time').first();
      await expect.poll(async () => new Date(await first.getAttribute('datetime') ?? '').toISOString().slice(4))
        .toBe('-02-29T08:00:00.000Z');
      await page.locator('summary', { hasText: 'More options' }).click();
      await page.getByLabel('Maximum run time').fill('600');
      expect(await create(page)).toMatchObject({
        heartbeat_schedule: '0 12 29 2 *', heartbeat_timezone: 'Asia/Dubai', heartbeat_interval: null,
        max_runtime_seconds: 600, slug: 'report',
      });
    });
  });

  test('shows its changes, and changes nothing else', async () => {
    const { id } = (await tenant.writeKey.post('/api/monitors', {
      name: 'Shop', type: 'HTTP', target: 'https://shop.example', interval_seconds: 60, method: 'POST', body: 'q=1',
      headers: { 'X-Api-Key': 'k1' }, auth: { type: 'bearer', token: 't1' }, tags: ['old'],
    })).data.monitor;
    const before = await read(id);
    await rig.open(tenant.owner, `/monitors/${id}/edit`, { ...PHONE, colorScheme: 'dark' }, async (page, problems) => {
      await page.getByRole('button', { name: 'No changes' }).waitFor();
      await page.getByLabel('Check every').fill('10');
      await expect.poll(() => page.getByLabel('Tags').inputValue()).toBe('old');
      await page.getByLabel('Tags').fill('shop');
      // Only the API knows the minimum interval; its error appears at the field.
      await page.getByRole('button', { name: 'Review 2 changes' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('row', { name: 'Check every 60 10' }).waitFor();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.locator('.field.wrong').getByText('Interval must be at least 30 seconds').waitFor();
      await page.getByLabel('Check every').fill('300');
      await page.keyboard.press('Control+Enter');
      expect(await findViolationsInOverlay(page)).toEqual([]);
      await takeScreenshot(page, 'console-editing-changes-phone');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.waitForURL(new RegExp(`/monitors/${id}$`));
      expect(await read(id)).toEqual({ ...before, interval_seconds: 300, tags: ['shop'] });
      expect(problems.filter((line) => !line.includes('400'))).toEqual([]);
      await page.goto(`${rig.app.url}/monitors/new?from=${id}`);
      const copy = await create(page);
      expect(copy).toMatchObject({ name: 'Shop (copy)', tags: ['shop'], body: 'q=1', headers: { 'X-Api-Key': 'k1' }, interval_seconds: 300 });
    });
  });

  test('an import shows its changes before it applies them', async () => {
    await rig.open(tenant.owner, '/monitors/import', DESKTOP, async (page, problems) => {
      await page.getByLabel('Document').fill(
        'groups: [{ name: Shops }]\nmonitors:\n- { name: Shop, type: HTTP, target: "https://shop.example", interval_seconds: 600 }\n'
        + '- { name: Till, type: TCP, target: "till.example:80", interval_seconds: 60 }\n',
      );
      await page.getByRole('button', { name: 'Preview changes' }).click();
      await page.getByText('2 new, 1 changed').waitFor();
      await page.getByRole('listitem').filter({ hasText: 'Shop' }).getByRole('row', { name: 'Check every 300 600' }).waitFor();
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await takeScreenshot(page, 'console-editing-import');
      await page.getByRole('button', { name: 'Import 3 changes' }).click();
      await page.getByText('3 changes imported.').waitFor();
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export as YAML' }).click();
      expect((await download).suggestedFilename()).toBe('farwatch.yaml');
      expect(problems).toEqual([]);
    });
    const { monitors } = (await tenant.owner.client.get('/api/monitors?search=Till')).data;
    expect(monitors).toMatchObject([{ name: 'Till', port: 80 }]);
  });
});

test('a file of another tool is converted, reported on and imported', async () => {
  await rig.open(tenant.owner, '/monitors/import', DESKTOP, async (page, problems) => {
    await page.getByText('From another tool').click();
    await page.getByLabel('Tool', { exact: true }).selectOption('Gatus');
    const file = page.getByLabel('File of the tool');
    const gatus = 'endpoints:\n- { name: Moved, url: "https://moved.example", conditions: ["[STATUS] == 200", "[IP] == 192.0.2.1"] }\n'
      + '- { name: Socket, url: "wss://moved.example", conditions: ["[CONNECTED] == true"] }\n';
    await file.setInputFiles({ name: 'config.yaml', mimeType: 'application/yaml', buffer: Buffer.from(gatus) });
    await page.getByRole('button', { name: 'Convert' }).click();
    await page.getByText('0 complete, 1 in part, 1 left out.').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'This condition is not checked: [IP] == 192.0.2.1.' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Farwatch has no check of wss://moved.example.' }).waitFor();
    expect(await findAccessibilityViolations(page)).toEqual([]);
    await takeScreenshot(page, 'console-editing-convert');
    await page.getByRole('button', { name: 'Preview changes' }).click();
    await page.getByRole('button', { name: 'Import 1 change' }).click();
    await page.getByText('1 change imported.').waitFor();
    expect(problems).toEqual([]);
    await page.getByLabel('Tool', { exact: true }).selectOption('Uptime Kuma');
    await page.getByRole('button', { name: 'Convert' }).click();
    await page.getByText('It looks like a configuration of Gatus (from=gatus)').waitFor();
  });
  const { monitors } = (await tenant.owner.client.get('/api/monitors?search=Moved')).data;
  expect(monitors).toMatchObject([{ name: 'Moved', expected_status: [200] }]);
});

async function openNewForm(page: Page, type: string): Promise<void> {
  await page.goto(`${rig.app.url}/monitors/new`);
  await page.getByRole('radio', { name: type }).check();
}

test('items that a file manages say so, and can be edited only after a confirmation', async () => {
  const managed = await rig.newTenant();
  const { data } = await managed.writeKey.post('/api/import?owner=infra/prod.yaml', {
    groups: [{ name: 'Group' }], integrations: [{ name: 'Mail', type: 'email', config: { to: ['a@shop.example'] } }],
    monitors: [{ name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 }],
    status_pages: [{ name: 'Status', subdomain: `s-${managed.projectId}` }],
    maintenance_windows: [{ title: 'Move', starts_at: '2099-01-01T00:00:00Z', ends_at: '2099-01-01T01:00:00Z' }],
  });
  const idOf = (list: string) => data[list][0].id as string;
  const text = 'Managed by infra/prod.yaml. Changes made here will be overwritten by the next apply.';
  await rig.open(managed.owner, `/groups/${idOf('groups')}`, DESKTOP, async (page, problems) => {
    await page.getByText(text).waitFor();
    expect(await findAccessibilityViolations(page)).toEqual([]);
    for (const [path, field] of [
      [`/monitors/${idOf('monitors')}/edit`, 'Name'], [`/destinations/${idOf('integrations')}`, 'Name'],
      [`/maintenance/${idOf('maintenance_windows')}`, 'Title'], [`/pages/${idOf('status_pages')}/settings`, 'Name'],
    ] as const) {
      await page.goto(new URL(path, page.url()).href);
      await page.getByText(text).waitFor();
      const input = page.getByLabel(field).first();
      await expect.poll(() => input.isDisabled(), { message: path }).toBe(true);
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await page.getByRole('button', { name: 'Edit anyway' }).click();
      await expect.poll(() => input.isEnabled(), { message: path }).toBe(true);
    }
    await takeScreenshot(page, 'console-editing-managed');
    await page.getByLabel('Name').first().fill('By hand');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'By hand' }).waitFor();
    expect(problems).toEqual([]);
  });
  const plan = await managed.writeKey.post('/api/import?dry_run=true', { status_pages: [{ name: 'Status', subdomain: `s-${managed.projectId}` }] });
  expect(plan.data.status_pages).toMatchObject([{ action: 'update', changes: ['name'] }]);
});
