import { dirname, join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { inject } from 'vitest';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { makeApp, type AppOptions, type TestApp } from '../helpers/make-app.ts';
import { newTenant, PASSWORD, type Person, type Tenant } from '../helpers/tenants.ts';
import { startChromium } from './chromium.ts';
import { lendPage } from './kept-pages.ts';

export const DESKTOP = { viewport: { width: 1280, height: 900 } };
const TOUCH = { hasTouch: true, isMobile: true };
/** In `npm test` a narrow window, for which the page of a wide one is resized. */
export const PHONE = { viewport: { width: 360, height: 740 }, ...fewOrAll<Partial<typeof TOUCH>>({}, TOUCH) };
export const TOUCH_PHONE = { ...PHONE, ...TOUCH };
/** So tall that the bar at the bottom covers nothing that axe checks. */
export const LONG_PHONE = { ...PHONE, viewport: { width: 360, height: 4400 } };

/** A page's problems: errors, blocked content, failed requests, and requests to other hosts. */
export type PageProblems = string[];

export interface ConsoleRig {
  app: TestApp;
  browser: Browser;
  /** Opens the console at `path` as this user, signed in as with the form. */
  open(
    person: Person | null, path: string, options: BrowserContextOptions,
    use: (page: Page, problems: PageProblems) => Promise<void>,
  ): Promise<void>;
  newTenant(): Promise<Tenant>;
  close(): Promise<void>;
}

/** A controller that serves the console, by default as it was built for all tests, and a browser. */
export async function openConsole(options: AppOptions = {}): Promise<ConsoleRig> {
  const consoleDir = options.consoleDir ?? inject('consoleDir');
  const app = await makeApp({ ...options, consoleDir, converterBundle: join(dirname(consoleDir), 'convert.mjs') });
  const browser = await startChromium();
  return {
    app, browser,
    newTenant: () => newTenant(app),
    open: (person, path, contextOptions, use) => lendPage(browser, { locale: 'en-GB', ...contextOptions }, async (page) => {
      if (person !== null) {
        // The cookie of the response stays in the context.
        const response = await page.context().request.post(`${app.url}/api/auth/login`, {
          headers: { 'X-Farwatch-Session': 'cookie' }, data: { email: person.email, password: PASSWORD },
        });
        if (!response.ok()) throw new Error(`signing in failed: ${await response.text()}`);
      }
      const problems: PageProblems = [];
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('request', (request) => {
        if (!request.url().startsWith(app.url) && !request.url().startsWith('data:')) problems.push(request.url());
      });
      await page.goto(`${app.url}${path}`);
      await use(page, problems);
    }),
    close: async () => {
      await browser.close();
      await app.close();
    },
  };
}
