import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../root.mjs';
import { until } from '../helpers/until.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import type { Tenant } from '../helpers/tenants.ts';
import { findAccessibilityViolations, OVERLAY } from './chromium.ts';
import { layout } from './console-layout.ts';
import { DESKTOP, LONG_PHONE, openConsole, type ConsoleRig } from './console-rig.ts';
import { seedConsole, SIGNED_OUT_VIEWS } from './seeded-console.ts';

let rig: ConsoleRig;
let tenant: Tenant;
let signedInViews: Record<string, string>;
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
  signedInViews = await seedConsole(rig, tenant);
});
afterAll(() => rig?.close());

const on = {
  get rig() {
    return rig;
  },
  get tenant() {
    return tenant;
  },
  get views() {
    return signedInViews;
  },
};
describe('the layout', () => layout(on));

const SOURCE = readFileSync(join(root, 'controller/console/app/views.ts'), 'utf8');
const PATTERNS = [...SOURCE.matchAll(/^ {2}'(\/[^']*)': lazyPart/gm)].map(([, pattern]) => pattern as string);

const matcherOf = (pattern: string) => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`);

test('every view is visited here', () => {
  const paths = [...Object.values(signedInViews), ...Object.values(SIGNED_OUT_VIEWS)].map((path) => path.split('?')[0] ?? '');
  expect(PATTERNS.length).toBeGreaterThan(20);
  expect(PATTERNS.filter((pattern) => !paths.some((path) => matcherOf(pattern).test(path)))).toEqual([]);
});

const APPEARANCES = [['light', DESKTOP.viewport], ['dark', LONG_PHONE.viewport]] as const;
type Appearance = (typeof APPEARANCES)[number];

/**
 * axe's violations in the first appearance, and elements wider than the window in each. `npm run test:long` runs axe in
 * each of them, and in the sections' own tests, whose views contain more.
 */
async function findIssues(page: Page, appearances: readonly Appearance[], within?: string): Promise<string[]> {
  const issues: string[] = [];
  for (const [colorScheme, viewport] of appearances) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // The wall is dark by default.
    if (!page.url().endsWith('/wall')) await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
    if (fewOrAll(colorScheme === appearances[0]?.[0], true)) {
      const violations = await findAccessibilityViolations(page, undefined, within);
      issues.push(...violations.map((violation) => `${colorScheme}: ${violation}`));
    }
    const wider = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    // One pixel may be the browser's rounding.
    if (wider > 1) issues.push(`${colorScheme}: ${wider} px wider than the window`);
  }
  return issues;
}

async function isLoaded(page: Page, what: string): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await until(async () => (await page.locator('.skeleton').count()) === 0, { what: `${what} is loaded` });
}

/**
 * Opens a view as a link does: `npm run test:long` loads the console again for each. The view for unknown paths comes
 * between two views, so that the next one is not taken for the last.
 */
async function visit(page: Page, path: string): Promise<void> {
  const unknown = page.getByRole('heading', { level: 1, name: /^(Page not found|Seite nicht gefunden)$/ });
  if (fewOrAll(false, true) || path === signedInViews['not-found']) {
    await load(page, path);
    return;
  }
  await follow(page, '/unknown');
  await unknown.waitFor();
  await follow(page, path);
  await unknown.waitFor({ state: 'detached' });
}

const load = async (page: Page, path: string) => void await page.goto(`${rig.app.url}${path}`);

const follow = (page: Page, path: string) => page.evaluate((url) => {
  history.pushState(null, '', url);
  dispatchEvent(new PopStateEvent('popstate'));
}, `${rig.app.url}${path}`);

/** Visits them all in one tab: first on a light desktop or on a dark phone, as the last one ended. */
async function sweep(
  page: Page, paths: Record<string, string>, open: typeof visit,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  let appearances: readonly Appearance[] = APPEARANCES;
  for (const [name, path] of Object.entries(paths)) {
    await open(page, path);
    await isLoaded(page, name);
    const issues = await findIssues(page, appearances);
    if (issues.length > 0) found[name] = issues;
    appearances = appearances.toReversed();
  }
  return found;
}

/** Views, and the buttons pressed there in turn; `…` opens a menu. */
const DIALOGS: [view: string, ...buttons: string[]][] = [
  ['overview', 'Search or jump to'], ['overview', 'Account'], ['monitor', 'Check now'], ['monitor', 'More actions'],
  ['monitor', 'More actions', '…Diagnose now'], ['monitor', 'More actions', '…Delete'], ['incidents', 'Report'], ['incident', 'Acknowledge'], ['fleet', 'Add a region'],
  ['fleet', 'Add a probe'], ['probe', 'Actions'], ['probe', 'Actions', '…Edit'], ['probe', 'Actions', '…Revoke'],
  ['regions', 'Delete'], ['destination', 'Delete'], ['status-pages', 'New status page'], ['status-page', 'More', '…Delete'],
  ['status-page-posts', 'New post'], ['maintenance-window', 'Delete'], ['settings-people', 'Invite'],
  ['settings-projects', 'New project'], ['settings-projects', 'Roles'], ['settings-projects', 'Rename'],
  ['settings-keys', 'New API key'], ['settings-keys', 'Rotate'], ['settings-plan', 'Change plan'],
  ['settings-account', 'Sign out everywhere'],
];

/** German first, because its words are longer. */
const LOCALES = fewOrAll(['de-DE'], ['de-DE', 'en-GB']);

describe('there are no accessibility violations', () => {
  test.each(LOCALES)('in any view, in both color schemes and on a phone (%s)', async (locale) => {
    const forms = Object.fromEntries(['keyword', 'icmp', 'dns'].map((type) => [`new ${type}`, `/monitors/new?type=${type}`]));
    const kinds = Object.fromEntries(['slack', 'webhook', 'telegram', 'twilio'].map((type) => [`new ${type}`, `/destinations/new?type=${type}`]));
    await rig.open(tenant.owner, '/', { ...DESKTOP, locale }, async (page, problems) => {
      expect(await sweep(page, { ...signedInViews, ...forms, ...kinds }, visit)).toEqual({});
      // The browser itself reports the URL that does not exist.
      expect(problems.filter((line) => !line.includes('404'))).toEqual([]);
    });
  });

  test('in dialogs and menus', async () => {
    await rig.open(tenant.owner, '/', { ...DESKTOP, locale: 'en-GB' }, async (page, problems) => {
      const found: Record<string, string[]> = {};
      let shown = '';
      for (const [path, ...buttons] of DIALOGS) {
        await page.setViewportSize(DESKTOP.viewport);
        if (path !== shown) await visit(page, signedInViews[path] ?? '');
        await isLoaded(page, path);
        shown = path;
        for (const name of buttons) {
          await page.getByRole(name.startsWith('…') ? 'menuitem' : 'button', { name: name.replace(/^…/, '') }).first().click();
        }
        await page.locator(OVERLAY).first().waitFor();
        const issues = await findIssues(page, fewOrAll<readonly Appearance[]>(APPEARANCES.slice(0, 1), APPEARANCES), OVERLAY);
        if (issues.length > 0) found[`${path}: ${buttons.join(', ')}`] = issues;
        await page.keyboard.press('Escape');
        await page.locator(OVERLAY).waitFor({ state: 'detached' });
      }
      expect(found).toEqual({});
      expect(problems).toEqual([]);
    });
  });

  test.each(LOCALES)('in views without a session (%s)', async (locale) => {
    await rig.open(null, '/sign-in', { ...DESKTOP, locale }, async (page) => {
      expect(await sweep(page, SIGNED_OUT_VIEWS, load)).toEqual({});
    });
  });
});
