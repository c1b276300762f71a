import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fewOrAll } from '../helpers/few-or-all.ts';
import type { Tenant } from '../helpers/tenants.ts';
import { takeScreenshot } from './chromium.ts';
import { DESKTOP, openConsole, PHONE, type ConsoleRig } from './console-rig.ts';
import { seedConsole } from './seeded-console.ts';

let rig: ConsoleRig;
let tenant: Tenant;
let views: Record<string, string>;
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
  views = await seedConsole(rig, tenant);
});
afterAll(() => rig?.close());

const pathOf = (view: string) => views[view] ?? '';
/** The positions of each element's edges, in px. */
const boxesOf = (page: Page, selector: string) => page.evaluate<Record<'left' | 'right' | 'top' | 'bottom', number>[]>(
  `[...document.querySelectorAll('${selector}')].map((one) => one.getBoundingClientRect().toJSON())`,
);
/** The texts of tables wider than their containers. */
const CUT_OFF_TABLES = `[...document.querySelectorAll('.table-wrap')].filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => one.innerText)`;
const BACK_LINK_STYLE = `(() => {
  const link = document.querySelector('nav.back a');
  const { fontSize, color, textDecorationLine, display } = getComputedStyle(link);
  const { top, height } = link.getBoundingClientRect();
  return JSON.stringify({ fontSize, color, textDecorationLine, display, top, height });
})()`;

test.each(fewOrAll(['en-GB'], ['en-GB', 'de-DE']))('no filter of the overview is on a line by itself at 1280 px (%s)', async (locale) => {
  await rig.open(tenant.owner, '/', { ...DESKTOP, locale }, async (page) => {
    await page.getByRole('link', { name: 'Gateway' }).waitFor();
    if (locale === 'de-DE') await page.getByText('6 Monitore').waitFor();
    await takeScreenshot(page, `console-filters-${locale}`);
    const cutStates = `[...document.querySelectorAll('.monitor .state-text')]
      .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)`;
    await expect.poll(() => page.evaluate(cutStates)).toEqual([]);
    const filters = await boxesOf(page, '.filters > *');
    expect(filters).toHaveLength(7);
    expect(Math.max(...filters.map(({ top }) => top))).toBeLessThan(Math.min(...filters.map(({ bottom }) => bottom)));
    const [search] = await boxesOf(page, '.toolbar > input');
    expect(search?.bottom).toBeLessThan(Math.min(...filters.map(({ top }) => top)));
  });
});

test('a small wall shows no monitor twice', async () => {
  await rig.open(tenant.owner, '/wall', DESKTOP, async (page) => {
    await page.locator('.tile').first().waitFor();
    const names = await page.locator('.wall-problem strong, .tile-name').allTextContents();
    expect(names.sort()).toEqual(['Checkout API', 'Gateway', 'Mail', 'Names', 'Nightly backup', 'Shop']);
  });
});

test('the world map is as wide as the page', async () => {
  await rig.open(tenant.owner, '/fleet', { viewport: { width: 1440, height: 900 } }, async (page) => {
    await page.locator('.world-map svg').waitFor();
    const [card, tabs] = [await boxesOf(page, '.fleet-map'), await boxesOf(page, '.tabs')];
    expect([card[0]?.left, card[0]?.right]).toEqual([tabs[0]?.left, tabs[0]?.right]);
  });
});

test.each(['incident', 'monitor', 'monitor-history', 'destination'])('no table of %s is cut off on a phone', async (view) => {
  await rig.open(tenant.owner, pathOf(view), PHONE, async (page) => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (view !== 'destination') await page.getByRole('table').first().waitFor();
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
    await expect.poll(() => page.evaluate(CUT_OFF_TABLES)).toEqual([]);
  });
});

test('the back link looks the same on every subpage', async () => {
  const below = {
    monitor: 'All monitors', 'monitor-edit': 'Shop', 'monitor-new': 'All monitors', 'monitor-import': 'All monitors',
    incident: 'All incidents', probe: 'All probes', destination: 'All destinations', 'destination-new': 'All destinations',
    'status-page': 'All status pages', 'maintenance-new': 'All maintenance', 'maintenance-window': 'All maintenance',
    'not-found': 'All monitors',
  };
  await rig.open(tenant.owner, '/', DESKTOP, async (page) => {
    const styles = new Set<string>();
    for (const [view, text] of Object.entries(below).filter((_, at) => at % fewOrAll(3, 1) === 0)) {
      await page.goto(`${rig.app.url}${pathOf(view)}`);
      const link = page.getByRole('navigation', { name: 'Back' }).getByRole('link', { name: `← ${text}` });
      await link.waitFor();
      styles.add(await page.evaluate<string>(BACK_LINK_STYLE));
    }
    expect([...styles]).toHaveLength(1);
  });
});

test('the chart of a new monitor starts with the last hour', async () => {
  await rig.open(tenant.owner, pathOf('monitor'), DESKTOP, async (page) => {
    const spans = page.getByRole('group', { name: 'Time range' });
    await spans.getByRole('button', { name: '1 h', pressed: true }).waitFor();
    await spans.getByRole('button', { name: '24 h' }).click();
    await spans.getByRole('button', { name: '24 h', pressed: true }).waitFor();
  });
});
