import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBarriers, takeScreenshot } from './chromium.ts';
import { DESKTOP, openConsole, PHONE, type ConsoleRig } from './console-rig.ts';
import { shownMonitor, type ShownMonitor } from './shown-monitor.ts';
import type { Tenant } from '../helpers/tenants.ts';

let rig: ConsoleRig;
let tenant: Tenant;
let shown: ShownMonitor;
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
  shown = await shownMonitor(rig.app, tenant, Date.now());
});
afterAll(() => rig?.close());

describe('a monitor', () => {
  test.each([['light', DESKTOP], ['dark', DESKTOP], ['phone', PHONE]] as const)('tells its state, since when and why (%s)', async (name, options) => {
    const colorScheme = name === 'light' ? 'light' : 'dark';
    await rig.open(tenant.owner, `/monitors/${shown.id}`, { ...options, colorScheme }, async (page, noted) => {
      await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
      await page.getByText('Down in 2 of 3: Dallas, Paris').waitFor();
      const rows = page.getByRole('region', { name: 'Regions' }).getByRole('row');
      expect(await rows.nth(1).innerText()).toContain('Expected 200 to 299, got 503');
      expect(await rows.nth(3).innerText()).toMatch(/Osaka[\s\S]*Up[\s\S]*231 ms/);
      await page.getByRole('img', { name: /Map.*Osaka: Up, 231 ms/ }).waitFor();
      await takeScreenshot(page, `console-monitor-${name}`);
      expect(await findBarriers(page)).toEqual([]);
      expect(noted).toEqual([]);
    });
  });
});
