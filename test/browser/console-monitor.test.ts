import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findAccessibilityViolations, findViolationsInSweptView, takeScreenshot } from './chromium.ts';
import { DESKTOP, openConsole, PHONE, type ConsoleRig } from './console-rig.ts';
import { seedDiagnosis } from '../helpers/seeded-diagnosis.ts';
import { seedMonitor, type SeededMonitor } from './seeded-monitor.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { newMember, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

let rig: ConsoleRig;
let tenant: Tenant;
let shown: SeededMonitor;
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
  shown = await seedMonitor(rig.app, tenant, Date.now());
});
afterAll(() => rig?.close());

describe('a monitor', () => {
  test('shows its state, the start and the reason on a phone', async () => {
    await rig.open(tenant.owner, `/monitors/${shown.id}`, { ...PHONE, colorScheme: 'dark' }, async (page, problems) => {
      await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
      await page.getByText('Down in 2 of 3 regions: Dallas, Paris').waitFor();
      const rows = page.getByRole('region', { name: 'Regions' }).getByRole('row');
      await expect.poll(() => rows.nth(1).innerText()).toContain('Expected 200 to 299, got 503');
      await expect.poll(() => rows.nth(3).innerText()).toMatch(/Osaka[\s\S]*Up[\s\S]*231 ms/);
      await page.getByRole('img', { name: /Map.*Osaka: Up, 231 ms/ }).waitFor();
      await takeScreenshot(page, 'console-monitor-phone');
      expect(await findViolationsInSweptView(page)).toEqual([]);
      expect(problems).toEqual([]);
    });
  });

  test('can be diagnosed by editors, who see progress and then the diagnosis of the last ten minutes', async () => {
    await seedDiagnosis(rig.app, tenant, { id: shown.incident, monitorId: shown.id });
    await rig.open(tenant.owner, `/monitors/${shown.id}`, DESKTOP, async (page, problems) => {
      let respond: () => void = () => undefined;
      const isDue = new Promise<void>((resolve) => {
        respond = resolve;
      });
      await page.route('**/diagnose', async (route) => {
        await isDue;
        await route.continue();
      });
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Diagnose now' }).click();
      const dialog = page.getByRole('dialog', { name: 'Diagnosis' });
      await dialog.getByRole('progressbar', { name: 'Diagnosis' }).waitFor();
      await dialog.getByText('one diagnosis per monitor every 10 minutes').waitFor();
      respond();
      await dialog.getByText('This is the latest diagnosis').waitFor();
      await dialog.getByRole('heading', { name: /The paths from paris and dallas end/ }).waitFor();
      await dialog.getByText('No response beyond this point').first().waitFor();
      expect(problems).toEqual([]);
      await takeScreenshot(page, 'console-diagnose-now');
    });
  });

  test('shades each occurrence of recurring maintenance, in its time zone', async () => {
    // Nightly since before the clocks changed in October.
    const path = `/api/projects/${tenant.projectId}/maintenance-windows`;
    await tenant.writeKey.post(path, {
      title: 'Backup', starts_at: '2026-10-01T00:00:00Z', ends_at: '2026-10-01T01:00:00Z', recurrence: 'FREQ=DAILY',
      timezone: 'Europe/Berlin', monitor_ids: [shown.id],
    });
    const [from, to] = [Date.UTC(2026, 9, 23), Date.UTC(2026, 9, 27)];
    await rig.open(tenant.owner, '/monitors', DESKTOP, async (page, problems) => {
      const responses = Promise.all([
        page.waitForResponse((one) => one.url().includes('/occurrences?')),
        page.goto(`${rig.app.url}/monitors/${shown.id}?from=${from}&to=${to}`),
      ]);
      const { data } = await (await responses)[0].json();
      const shownTimes = data.occurrences.map((one: { starts_at: string }) => one.starts_at.slice(0, 13));
      expect(shownTimes).toEqual(expect.arrayContaining(['2026-10-24T00', '2026-10-25T00', '2026-10-26T01']));
      await page.getByRole('region', { name: 'Response times' }).locator('canvas').waitFor();
      await expect.poll(() => page.evaluate(SHADED)).toBe(4);
      await takeScreenshot(page, 'console-monitor-maintenance');
      expect(problems).toEqual([]);
    });
  });

  const READERS = [
    { name: 'in English on a desktop', options: DESKTOP, title: 'Changes', inChart: '2 changes in this chart', address: 'Addresses' },
    {
      name: 'in German on a dark phone', options: { ...PHONE, colorScheme: 'dark', locale: 'de-DE' } as const,
      title: 'Änderungen', inChart: '2 Änderungen in diesem Diagramm', address: 'Adressen',
    },
  ];
  test.each(READERS.slice(0, fewOrAll(1, READERS.length)))('lists changes and markers, and draws them into its chart, $name', async ({ options, title, inChart, address }) => {
    await rig.open(tenant.owner, `/monitors/${shown.id}?range=6h`, options, async (page, problems) => {
      const items = page.getByRole('region', { name: title, exact: true }).getByRole('listitem');
      await expect.poll(() => items.count()).toBe(2);
      await expect.poll(() => items.first().innerText()).toMatch(new RegExp(`${address}[\\s\\S]*192.0.2.7[\\s\\S]*198.51.100.4, 198.51.100.5[\\s\\S]*Paris, Dallas`));
      await expect.poll(() => items.nth(1).innerText()).toContain('shop v1.2');
      await page.locator('.time-chart canvas').waitFor();
      const summary = page.getByText(inChart);
      await summary.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('listitem').filter({ hasText: 'shop v1.2' }).nth(1).waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await takeScreenshot(page, `console-changes-${options === DESKTOP ? 'desktop' : 'phone'}`);
      await page.goto(`${rig.app.url}/incidents/${shown.incident}`);
      await page.getByRole('listitem').filter({ hasText: 'shop v1.2' }).waitFor();
      await page.getByRole('listitem').filter({ hasText: '198.51.100.5' }).waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      expect(problems).toEqual([]);
    });
  });

  test('shows response times over a time range selected by dragging', async () => {
    await rig.open(tenant.owner, `/monitors/${shown.id}?range=6h`, DESKTOP, async (page, problems) => {
      const chart = page.getByRole('region', { name: 'Response times' });
      await chart.getByText('Osaka').waitFor();
      const plot = await until(() => chart.locator('.u-over').boundingBox(), { what: 'the chart is drawn' });
      await page.mouse.move(plot.x + plot.width * 0.25, plot.y + 50);
      await page.mouse.down();
      await page.mouse.move(plot.x + plot.width * 0.75, plot.y + 60, { steps: 4 });
      await page.mouse.up();
      await chart.getByRole('button', { name: 'Reset zoom' }).waitFor();
      const { searchParams } = new URL(page.url());
      const [from, to] = [Number(searchParams.get('from')), Number(searchParams.get('to'))];
      expect(Math.round((to - from) / 60_000)).toBeCloseTo(180, -1);
      await chart.getByLabel('Show').selectOption({ label: 'Phases' });
      await chart.getByText('DNS lookup').waitFor();
      await chart.getByText('View as table').click();
      await chart.getByRole('columnheader', { name: 'DNS lookup' }).waitFor();
      const headings = await chart.getByRole('columnheader').allInnerTexts();
      expect(headings).toEqual(['Time', 'Transfer', 'First byte', 'TLS', 'Connection', 'DNS lookup']);
      await chart.getByRole('cell', { name: '4 ms' }).first().waitFor();
      await chart.getByRole('button', { name: '30 d' }).click();
      await chart.getByLabel('Show').selectOption({ label: 'Percentiles' });
      await chart.getByText('99th percentile').first().waitFor();
      await chart.getByText('Each point covers all checks in 1 d from one region.').waitFor();
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await page.goBack();
      await chart.getByRole('button', { name: 'Reset zoom' }).waitFor();
      expect(problems).toEqual([]);
    });
  });

  test('shows each check, and a failure next to the last good response', async () => {
    await rig.open(tenant.owner, `/monitors/${shown.id}/checks`, DESKTOP, async (page, problems) => {
      await page.locator('.checks li').nth(49).waitFor();
      await page.getByLabel('Outcome').selectOption({ label: 'Failed' });
      await page.getByLabel('Region').selectOption({ label: 'Paris' });
      const failures = page.locator('.checks li');
      await failures.nth(10).waitFor();
      await expect.poll(() => failures.count()).toBe(11);
      await failures.last().locator('summary').click();
      const evidence = failures.last().getByRole('group', { name: 'Evidence' });
      const row = evidence.getByRole('row', { name: /^Status line/ });
      await row.waitFor();
      await expect.poll(() => row.locator('mark').allInnerTexts()).toEqual(['503 Service', 'Unavailable', '200', 'OK']);
      await expect.poll(() => evidence.getByRole('row', { name: /^Address / }).innerText()).toMatch(/192\.0\.2\.7\s+unchanged/);
      await expect.poll(() => evidence.locator('h1').count()).toBe(0);
      await takeScreenshot(page, 'console-monitor-evidence');
      expect(await findAccessibilityViolations(page)).toEqual([]);
      expect(problems).toEqual([]);
    });
  });

  test('is paused and resumed at once, and offers no actions to viewers', async () => {
    const client = tenant.owner.client.with({ 'x-project-id': tenant.projectId });
    const state = async () => (await client.get(`/api/monitors/${shown.id}`)).data.monitor.status;
    await rig.open(tenant.owner, `/monitors/${shown.id}/history`, DESKTOP, async (page, problems) => {
      await page.getByRole('link', { name: 'Shop is down' }).waitFor();
      await page.getByRole('group', { name: 'States' }).getByRole('row', { name: /Connection refused/ }).waitFor();
      await page.keyboard.press('p');
      await page.getByRole('button', { name: 'Undo' }).waitFor();
      expect(await state()).toBe('paused');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      await page.getByText('Resumed. Checks start now.').waitFor();
      expect(await state()).toBe('active');
      expect(problems).toEqual([]);
    });
    const viewer = await newMember(rig.app, tenant, 'viewer', { [tenant.projectId]: 'viewer' });
    await rig.open(viewer, `/monitors/${shown.id}/settings`, DESKTOP, async (page) => {
      await page.getByText('confirmation_policy').waitFor();
      await expect.poll(() => page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
      await expect.poll(() => page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
    });
  });

  test('shows how a job reports', async () => {
    const client = tenant.owner.client.with({ 'x-project-id': tenant.projectId });
    const body = { name: 'Backup', type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 300 };
    const { monitor } = (await client.post('/api/monitors', body)).data;
    await rig.open(tenant.owner, `/monitors/${monitor.id}`, DESKTOP, async (page, problems) => {
      const pings = page.getByRole('region', { name: 'Pings' });
      await pings.getByText(`curl -fsS ${rig.app.url}/api/heartbeat/${monitor.heartbeat_token}`, { exact: true }).waitFor();
      await pings.getByText('none so far').waitFor();
      await page.getByRole('heading', { name: 'Run times' }).waitFor();
      await expect.poll(() => page.getByRole('button', { name: 'Check now' }).count()).toBe(0);
      await pings.getByRole('button', { name: 'Show the address with the monitor’s name' }).click();
      const byName = pings.getByText(/^curl -fsS .*\/api\/ping\/\w+\/backup$/);
      const address = (await byName.textContent() ?? '').replace('curl -fsS ', '');
      expect((await fetch(`${address}/3`, { method: 'POST', body: 'disk full\n<b>12 files</b>' })).status).toBe(200);
      await page.reload();
      const latest = page.getByRole('region', { name: 'Latest pings' });
      await latest.getByText('Failure').waitFor();
      await latest.getByText('exit code 3').waitFor();
      await latest.getByText('disk full', { exact: true }).click();
      await latest.getByText('<b>12 files</b>').waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      expect(problems).toEqual([]);
    });
  });
});

/** Runs in the browser: the number of separate ranges of the chart in the color of maintenance. */
const SHADED = `(() => {
  const canvas = document.querySelector('.chart-place canvas');
  const scratch = new OffscreenCanvas(1, 1).getContext('2d');
  scratch.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--maintenance-soft').trim();
  scratch.fillRect(0, 0, 1, 1);
  const wanted = [...scratch.getImageData(0, 0, 1, 1).data].join();
  const row = canvas.getContext('2d').getImageData(0, 20, canvas.width, 1).data;
  let [stretches, last] = [0, -10];
  for (let x = 0; x < canvas.width; x += 1) {
    if ([...row.slice(x * 4, x * 4 + 4)].join() !== wanted) continue;
    // Grid lines split a range.
    if (x - last > 4) stretches += 1;
    last = x;
  }
  return stretches;
})()`;
