import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '../helpers/tenants.ts';
import { findViolationsInSweptView, takeScreenshot } from './chromium.ts';
import { DESKTOP, openConsole, LONG_PHONE, type ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
let tenant: Tenant;
let monitor: string;
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
  const body = { name: 'Database', type: 'TCP', target: 'db.example', port: 5432, interval_seconds: 60 };
  monitor = (await tenant.writeKey.post('/api/monitors', body)).data.monitor.id;
  await tenant.writeKey.post(windows(), {
    title: 'Backup', starts_at: '2026-01-01T02:00:00Z', ends_at: '2026-01-01T02:30:00Z', recurrence: 'FREQ=DAILY', monitor_ids: [monitor],
  });
});
afterAll(() => rig?.close());

const windows = () => `/api/projects/${tenant.projectId}/maintenance-windows`;
const berlin = { ...DESKTOP, timezoneId: 'Europe/Berlin' };

describe('maintenance in the console', () => {
  test('its views work on a phone', async () => {
    await rig.open(tenant.owner, '/maintenance', { ...LONG_PHONE, colorScheme: 'dark' }, async (page, problems) => {
      await page.getByRole('link', { name: 'Backup' }).waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await page.getByRole('link', { name: 'Calendar' }).click();
      await page.getByRole('link', { name: /Backup/ }).first().waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await takeScreenshot(page, 'console-calendar-phone');
      await page.getByRole('link', { name: /Backup/ }).first().click();
      await page.getByLabel('Title').waitFor();
      await page.getByText('Next occurrences').waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      expect(problems).toEqual([]);
      await takeScreenshot(page, 'console-maintenance-phone');
    });
  });

  test('the calendar shows all of a day with 25 hours', async () => {
    // 23:30 in Berlin on the last Sunday of October, when summer time ends.
    const times = { starts_at: '2027-10-31T22:30:00Z', ends_at: '2027-10-31T22:50:00Z' };
    const { id } = (await tenant.writeKey.post(windows(), { title: 'Late', ...times })).data.maintenance_window;
    await rig.open(tenant.owner, '/maintenance?view=calendar&month=2027-10', berlin, async (page, problems) => {
      await page.getByRole('cell', { name: /^31.*23:30 Late/ }).waitFor();
      await expect.poll(() => page.getByRole('link', { name: /Late/ }).count()).toBe(1);
      // Clocks in Berlin go back; the window is in UTC, so its times do not.
      await page.getByRole('cell', { name: /^30 04:00 Backup/ }).last().waitFor();
      await page.getByRole('cell', { name: /^31 03:00 Backup/ }).waitFor();
      expect(problems).toEqual([]);
    });
    await tenant.writeKey.delete(`${windows()}/${id}`);
  });

  test('a window is planned with the form, in the selected time zone, and then deleted', async () => {
    // In winter time.
    const year = new Date().getUTCFullYear() + 1;
    const sunday = 14 - new Date(Date.UTC(year, 2, 14)).getUTCDay();
    const day = `${year}-03-${String(sunday).padStart(2, '0')}`;
    await rig.open(tenant.owner, '/maintenance', berlin, async (page, problems) => {
      await page.getByRole('link', { name: 'Schedule maintenance' }).click();
      await page.getByLabel('Title').fill('Weekly restart');
      await page.getByLabel('Starts').fill(`${day}T02:15`);
      await page.getByLabel('Ends').fill(`${day}T03:00`);
      await page.getByLabel('Repeats').selectOption('WEEKLY');
      await expect.poll(() => page.getByRole('button', { name: 'Sunday' }).getAttribute('aria-pressed')).toBe('true');
      await page.getByRole('button', { name: 'Wednesday' }).click();
      await page.getByText(`Wed, ${sunday + 3} Mar ${year}`).waitFor();
      await page.getByLabel('Database').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: 'Weekly restart' }).waitFor();
      const [saved] = (await tenant.readKey.get(windows())).data.maintenance_windows;
      expect(saved).toMatchObject({
        title: 'Weekly restart', starts_at: `${day}T01:15:00.000Z`, ends_at: `${day}T02:00:00.000Z`,
        recurrence: 'FREQ=WEEKLY;BYDAY=WE,SU', timezone: 'Europe/Berlin', monitor_ids: [monitor],
      });
      await page.getByRole('link', { name: 'Weekly restart' }).click();
      await page.getByLabel('Ends').fill(`${day}T01:00`);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Must be after starts_at').first().waitFor();
      await page.getByLabel('Ends').fill(`${day}T04:00`);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: 'Weekly restart' }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('link', { name: 'Weekly restart' }).waitFor({ state: 'detached' });
      expect(problems.filter((line) => !line.includes('400'))).toEqual([]);
    });
    expect((await tenant.readKey.get(windows())).data.maintenance_windows).toHaveLength(1);
  });
});
