import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import type { AxeResults } from 'axe-core';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { ensureDebianPackages } from '../services/packages.ts';
import { closeOthers } from './kept-pages.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules whose result may depend on the page's width or color scheme. */
export const APPEARANCE_RULES = ['color-contrast', 'target-size', 'scrollable-region-focusable', 'page-has-heading-one'];
/** Screenshots of `npm run test:long` for people; git ignores them. */
const SCREENSHOTS = 'node_modules/.cache/farwatch-test/screenshots';

/** Only Chromium's engine, which takes a fifth less CPU; measurements use the complete browser. */
type Program = 'chromium-headless-shell' | 'chromium';

export async function launchChromium(program: Program): Promise<Browser> {
  await prepareChromium(program);
  // Tests may run as root, where Chromium has no sandbox.
  return chromium.launch({ executablePath: `/usr/bin/${program}`, args: ['--no-sandbox'] });
}

/** Of this process, which runs one test file at a time. Each start costs seconds of CPU. */
let kept: Promise<Browser> | null = null;

/** A browser that the process keeps; `close` closes only what is open in it, except pages to lend. */
export async function startChromium(): Promise<Browser> {
  kept ??= launchChromium('chromium-headless-shell');
  const browser = await kept;
  return Object.create(browser, { close: { value: () => closeOthers(browser) } }) as Browser;
}

async function prepareChromium(program: Program): Promise<void> {
  // This font covers all languages of the pages.
  await ensureDebianPackages(program, 'fonts-droid-fallback');
  mkdirSync(SCREENSHOTS, { recursive: true });
}

/** Halfway between two colors a page may have too little contrast. Spinners never finish. */
const FINISH_TRANSITIONS = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished))`;

/**
 * axe's violations of WCAG 2.2 AA and best practices, or of these rules only, on the page or in elements of it: rule
 * and element.
 */
export async function findAccessibilityViolations(
  page: Page, rules?: readonly string[], within = 'html',
): Promise<string[]> {
  const runOnly = rules === undefined ? RULES : { type: 'rule', values: rules };
  // The page's policy forbids scripts, so axe is injected through the debugger, once per document.
  if (await page.evaluate<boolean>('typeof axe === "undefined"')) await page.evaluate(AXE);
  await page.evaluate(FINISH_TRANSITIONS);
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(within)}, { runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] })`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** A dialog or menu; the sweep visits the view behind it. */
export const OVERLAY = 'dialog[open], [role=menu]';

/** The same in the open dialogs and menus; in `npm run test:long`, also in the view behind them. */
export function findViolationsInOverlay(page: Page): Promise<string[]> {
  return findAccessibilityViolations(page, undefined, fewOrAll(OVERLAY, 'html'));
}

/** The same in a view that the sweep also visits: only in `npm run test:long`. */
export async function findViolationsInSweptView(page: Page): Promise<string[]> {
  return fewOrAll(false, true) ? findAccessibilityViolations(page) : [];
}

/** Only in `npm run test:long`. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!fewOrAll(false, true)) return;
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}
