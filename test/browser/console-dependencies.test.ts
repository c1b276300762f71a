import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IncidentOutbox } from '../../controller/incidents/outbox.ts';
import { IncidentUpdateStore, VoteStore } from '../../controller/incidents/history-store.ts';
import { newId } from '../../shared/ids.ts';
import { systemClock } from '../../shared/time.ts';
import { monitorConfig } from '../helpers/delivery-rig.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import type { Tenant } from '../helpers/tenants.ts';
import { findAccessibilityViolations, takeScreenshot } from './chromium.ts';
import { DESKTOP, openConsole, type ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
let tenant: Tenant;
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
});
afterAll(() => rig?.close());

async function create(name: string, change: object = {}): Promise<string> {
  const body = { name, type: 'TCP', target: 'shop.example:443', interval_seconds: 60, ...change };
  return (await tenant.writeKey.post('/api/monitors', body)).data.monitor.id;
}

describe('dependencies in the console', () => {
  test('a user chooses what a monitor depends on, and sees why a cycle is refused', async () => {
    const [router, shop] = [await create('Router'), await create('Shop')];
    await rig.open(tenant.owner, `/monitors/${shop}/edit`, DESKTOP, async (page, problems) => {
      await page.getByText('Depends on', { exact: true }).click();
      const choices = page.getByRole('group', { name: 'Depends on' });
      await choices.getByLabel('Router').check();
      await expect.poll(() => choices.getByLabel('Shop').count()).toBe(0);
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await takeScreenshot(page, 'console-dependencies');
      await page.getByRole('button', { name: 'Review 1 change' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.waitForURL(new RegExp(`/monitors/${shop}$`));
      expect(problems).toEqual([]);
    });
    expect((await tenant.readKey.get(`/api/monitors/${shop}`)).data.monitor.depends_on).toEqual([router]);
    await rig.open(tenant.owner, `/monitors/${router}/edit`, DESKTOP, async (page) => {
      await page.getByText('Depends on', { exact: true }).click();
      await page.getByRole('group', { name: 'Depends on' }).getByLabel('Shop').check();
      await page.getByRole('button', { name: 'Review 1 change' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByText('Would form a cycle: Router → Shop → Router').first().waitFor();
    });
  });

  test('the page of a group shows what its monitors depend on', async () => {
    const group = (await tenant.writeKey.post('/api/groups', { name: 'Office' })).data;
    const uplink = await create('Uplink');
    const gateway = await create('Gateway', { depends_on: [uplink] });
    await create('Mail', { group_id: group.id, depends_on: [gateway] });
    await rig.open(tenant.owner, '/monitors?group=tree', DESKTOP, async (page, problems) => {
      await page.getByRole('link', { name: 'Dependencies of Office' }).click();
      await page.getByRole('heading', { level: 1, name: 'Office' }).waitFor();
      const tree = page.getByRole('list', { name: 'Monitors and dependencies' });
      await tree.getByRole('link', { name: 'Mail' }).waitFor();
      await tree.getByRole('list', { name: 'Mail depends on' }).getByRole('link', { name: 'Gateway' }).waitFor();
      await tree.getByRole('list', { name: 'Gateway depends on' }).getByRole('link', { name: 'Uplink' }).click();
      await page.waitForURL(new RegExp(`/monitors/${uplink}`));
      expect(problems).toEqual([]);
    });
  });

  const HELD = [['en-GB', 'Held: waiting for'], ['de-DE', 'Zurückgehalten: wartet auf']] as const;
  test.each(HELD.slice(0, fewOrAll(1, HELD.length)))('an incident in %s names the dependency that holds its alert, until it is sent', async (locale, held) => {
    const [router, { app }] = [await create('Switch'), rig];
    const { incidents } = app.controller.stores;
    const stores = { updates: new IncidentUpdateStore(app.db), votes: new VoteStore(app.db) };
    const { organizationId: organization_id, projectId: project_id } = tenant;
    const id = newId(Date.now());
    await new IncidentOutbox({ incidents, ...stores }, systemClock).open({
      id, monitor: monitorConfig({ organization_id, project_id, name: 'Checkout' }), severity: 'critical', type: 'timeout',
      error_message: 'No response', affected_regions: ['paris'], failure_count: 2, started_at: Date.now(),
    });
    await app.controller.incidents.setHeldBy(id, { monitor_id: router, name: 'Switch' });
    await rig.open(tenant.owner, `/incidents/${id}`, { ...DESKTOP, locale }, async (page, problems) => {
      const note = page.getByText(held);
      await note.getByRole('link', { name: 'Switch' }).waitFor();
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await takeScreenshot(page, `console-incident-held-${locale}`);
      await app.controller.incidents.setHeldBy(id, null);
      await page.reload();
      await page.getByRole('heading', { level: 1, name: /Checkout/ }).waitFor();
      await expect.poll(() => note.count()).toBe(0);
      expect(problems).toEqual([]);
    });
  });
});
