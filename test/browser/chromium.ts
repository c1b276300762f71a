import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserServer, type Page } from 'playwright-core';
import type { AxeResults } from 'axe-core';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { ensureDebianPackages } from '../services/packages.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** What may differ from one width or colour scheme of a page to another. */
export const APPEARANCE_RULES = ['color-contrast', 'target-size', 'scrollable-region-focusable', 'page-has-heading-one'];
/** Of `npm run test:long`, for people to look at; git ignores it. */
const SCREENSHOTS = 'node_modules/.cache/farwatch-test/screenshots';

/** Chromium's engine alone, which takes a fifth less CPU; measurements are taken in the whole browser. */
type Program = 'chromium-headless-shell' | 'chromium';

// Tests may run as root, for whom Chromium has no sandbox.
const launch = (program: Program) => ({ executablePath: `/usr/bin/${program}`, args: ['--no-sandbox'] });

/** A browser that files of tests share: each start costs seconds of CPU. They find it by `TEST_CHROMIUM`. */
export async function shareChromium(): Promise<BrowserServer> {
  const program = 'chromium-headless-shell';
  await prepareChromium(program);
  const server = await chromium.launchServer({ ...launch(program), host: '127.0.0.1' });
  process.env['TEST_CHROMIUM'] = server.wsEndpoint();
  return server;
}

/** The shared browser, where there is one, of which `close` closes what was opened through it; or one of its own. */
export async function startChromium(program: Program = 'chromium-headless-shell'): Promise<Browser> {
  const shared = process.env['TEST_CHROMIUM'];
  if (shared !== undefined) return chromium.connect(shared);
  await prepareChromium(program);
  return chromium.launch(launch(program));
}

async function prepareChromium(program: Program): Promise<void> {
  // The font has the characters of all languages of the pages.
  await ensureDebianPackages(program, 'fonts-droid-fallback');
  mkdirSync(SCREENSHOTS, { recursive: true });
}

/** Halfway between two colors a page may have too little contrast. Spinners never finish. */
const FINISH_TRANSITIONS = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished))`;

/** What axe has against the page by WCAG 2.2 AA and its best practices, or by these rules only: rule and element. */
export async function findAccessibilityViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  const runOnly = rules === undefined ? RULES : { type: 'rule', values: rules };
  // The page's own policy forbids scripts, so axe comes in as the debugger does, once in a document.
  if (await page.evaluate<boolean>('typeof axe === "undefined"')) await page.evaluate(AXE);
  await page.evaluate(FINISH_TRANSITIONS);
  const { violations } = await page.evaluate<AxeResults>(`axe.run({ runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] })`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** The same in a view that the sweep visits, too: only in `npm run test:long`. */
export async function findViolationsInSweptView(page: Page): Promise<string[]> {
  return fewOrAll(false, true) ? findAccessibilityViolations(page) : [];
}

/** Only in `npm run test:long`. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!fewOrAll(false, true)) return;
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}
