import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS, hourOf } from '../../controller/verdicts/time-accounting/time-accounting-rules.ts';
import { storeHistory } from '../helpers/stored-history.ts';
import type { Tenant } from '../helpers/tenants.ts';
import { findAccessibilityViolations, takeScreenshot } from './chromium.ts';
import { DESKTOP, LONG_PHONE, openConsole, type ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
let tenant: Tenant;
let shop: string;
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
  const body = {
    name: 'Shop', type: 'HTTP', target: 'https://192.0.2.7/', interval_seconds: 60,
    confirmation_policy: { regions: 'majority', retries: 1, recoveries: 0 },
  };
  shop = (await tenant.writeKey.post('/api/monitors', body)).data.monitor.id;
  const from = hourOf(Date.now()) - 24 * HOUR_MS;
  const monitor = { monitor_id: shop, organization_id: tenant.organizationId, project_id: tenant.projectId };
  await storeHistory(rig.app.controller.stores, monitor, from, [[70, 80], [200, 203], [250, 270]]);
});
afterAll(() => rig?.close());

describe('settings on the past, in the console', () => {
  test('a user tries an unsaved confirmation policy, with the keyboard', async () => {
    await rig.open(tenant.owner, `/monitors/${shop}/edit`, DESKTOP, async (page, problems) => {
      await page.getByLabel('Rechecks after a failure').fill('5');
      await page.getByText('Test on the past 30 days').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Run test' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('4 alerts instead of 6').waitFor();
      await page.getByText('no outage longer than 4 min missed.').waitFor();
      await page.getByRole('region', { name: 'Missed outages: 1' }).getByRole('link', { name: 'Shop' }).waitFor();
      await page.getByRole('img', { name: /New settings: .*4/ }).waitFor();
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await takeScreenshot(page, 'console-rehearsal');
      await page.getByLabel('Rechecks after a failure').fill('1');
      await page.getByText('You changed the settings after this test.').waitFor();
      expect(problems).toEqual([]);
    });
    expect((await tenant.readKey.get(`/api/monitors/${shop}`)).data.monitor.confirmation_policy.retries).toBe(1);
  });

  test('a user tries the delay of a destination in German, on a phone in dark mode', async () => {
    const options = { ...LONG_PHONE, colorScheme: 'dark' as const, locale: 'de-DE' };
    await rig.open(tenant.owner, '/destinations/new?type=ntfy', options, async (page, problems) => {
      await page.getByText('Mit den letzten 30 Tagen testen').click();
      await page.getByRole('button', { name: 'Testen', exact: true }).click();
      await page.getByText('6 Meldungen statt 6').waitFor();
      await page.getByText('kein Ausfall wäre ungemeldet geblieben.').waitFor();
      expect(await findAccessibilityViolations(page)).toEqual([]);
      expect(problems).toEqual([]);
    });
  });

  test('a user of a large project tests a destination with some of its monitors', async () => {
    const monitors = rig.app.db.collection<{ _id: string }>('monitors');
    const doc = await monitors.findOne({ _id: shop });
    await monitors.insertMany(Array.from({ length: 101 }, (_, at) => ({ ...doc, _id: `${shop.slice(0, -4)}${1000 + at}` })));
    await rig.open(tenant.owner, '/destinations/new?type=ntfy', DESKTOP, async (page) => {
      await page.getByText('Test on the past 30 days').click();
      await page.getByRole('button', { name: 'Run test' }).click();
      await page.getByRole('alert').getByText('at most 100 monitors').waitFor();
      await page.getByRole('button', { name: 'Test up to 50 monitors' }).click();
      await page.getByText('Monitors tested: 50.').waitFor();
      expect(await findAccessibilityViolations(page)).toEqual([]);
    });
  });
});
