import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** Timeout of one browser step; only prevents hanging. */
const STEP_TIMEOUT_MS = 60_000;
/** Characters of a page's text in an error. */
const MAX_SHOWN = 2000;
/** What tests listen to. */
const EVENTS = ['console', 'dialog', 'pageerror', 'request', 'response'];

/** Of this process, by the options of their contexts. */
const kept = new Map<string, Page>();

/**
 * Lends a page without cookies and stored values. Another test may have used it, because a new one costs a process. A
 * test that changes the page for good, as a script for each document does, closes it.
 */
export async function lendPage(
  browser: Browser, options: BrowserContextOptions, use: (page: Page) => Promise<void>,
): Promise<void> {
  const { viewport = null, colorScheme = 'light', reducedMotion = 'no-preference', ...others } = options;
  const key = JSON.stringify(others);
  const page = kept.get(key) ?? await openPage(browser, others);
  kept.delete(key);
  try {
    if (viewport !== null) await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, reducedMotion });
    await use(page).catch(async (error: unknown) => {
      if (error instanceof Error) error.message += await shownBy(page);
      throw error;
    });
    if (!page.isClosed() && !kept.has(key)) {
      await clear(page);
      kept.set(key, page);
    }
  } finally {
    if (kept.get(key) !== page) await page.context().close();
  }
}

/** Closes what is open in the browser, except pages to lend. */
export async function closeOthers(browser: Browser): Promise<void> {
  const toLend = [...kept.values()].map((page) => page.context());
  await Promise.all(browser.contexts().filter((context) => !toLend.includes(context)).map((context) => context.close()));
}

async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  return context.newPage();
}

/** For the message of a test that waited for something else. */
async function shownBy(page: Page): Promise<string> {
  const text = await page.locator('body').innerText({ timeout: 5000 }).catch((error: Error) => error.message);
  return `\n${page.url()} showed:\n${text.replace(/\n+/g, '\n').slice(0, MAX_SHOWN)}`;
}

async function clear(page: Page): Promise<void> {
  for (const event of EVENTS) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate('try { localStorage.clear() } catch {}');
  await page.goto('about:blank');
  await page.context().clearCookies();
}
