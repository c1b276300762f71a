import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { fewOrAll } from '../helpers/few-or-all.ts';
import type { Tenant } from '../helpers/tenants.ts';
import { takeScreenshot } from './chromium.ts';
import { DESKTOP, PHONE, type ConsoleRig } from './console-rig.ts';

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

/** Where things are in the views of a seeded console. */
export function layout(on: { readonly rig: ConsoleRig; readonly tenant: Tenant; readonly views: Record<string, string> }): void {
  const pathOf = (view: string) => on.views[view] ?? '';

  test.each(fewOrAll(['en-GB'], ['en-GB', 'de-DE']))('no filter of the overview is on a line by itself at 1280 px (%s)', async (locale) => {
    await on.rig.open(on.tenant.owner, '/', { ...DESKTOP, locale }, async (page) => {
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
    await on.rig.open(on.tenant.owner, '/wall', DESKTOP, async (page) => {
      await page.locator('.tile').first().waitFor();
      const names = await page.locator('.wall-problem strong, .tile-name').allTextContents();
      expect(names.sort()).toEqual(['Checkout API', 'Gateway', 'Mail', 'Names', 'Nightly backup', 'Shop']);
    });
  });

  test('the world map is as wide as the page', async () => {
    await on.rig.open(on.tenant.owner, '/fleet', { viewport: { width: 1440, height: 900 } }, async (page) => {
      await page.locator('.world-map svg').waitFor();
      const [card, tabs] = [await boxesOf(page, '.fleet-map'), await boxesOf(page, '.tabs')];
      expect([card[0]?.left, card[0]?.right]).toEqual([tabs[0]?.left, tabs[0]?.right]);
    });
  });

  test.each(['incident', 'monitor', 'monitor-history', 'destination'])('no table of %s is cut off on a phone', async (view) => {
    await on.rig.open(on.tenant.owner, pathOf(view), PHONE, async (page) => {
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
    await on.rig.open(on.tenant.owner, '/', DESKTOP, async (page) => {
      const styles = new Set<string>();
      for (const [view, text] of Object.entries(below).filter((_, at) => at % fewOrAll(3, 1) === 0)) {
        await page.goto(`${on.rig.app.url}${pathOf(view)}`);
        const link = page.getByRole('navigation', { name: 'Back' }).getByRole('link', { name: `← ${text}` });
        await link.waitFor();
        styles.add(await page.evaluate<string>(BACK_LINK_STYLE));
      }
      expect([...styles]).toHaveLength(1);
    });
  });

  test('the chart of a new monitor starts with the last hour', async () => {
    await on.rig.open(on.tenant.owner, pathOf('monitor'), DESKTOP, async (page) => {
      const spans = page.getByRole('group', { name: 'Time range' });
      await spans.getByRole('button', { name: '1 h', pressed: true }).waitFor();
      await spans.getByRole('button', { name: '24 h' }).click();
      await spans.getByRole('button', { name: '24 h', pressed: true }).waitFor();
    });
  });
}
