import { dirname, join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { inject } from 'vitest';
import { makeApp, type AppOptions, type TestApp } from '../helpers/make-app.ts';
import { newTenant, PASSWORD, type Person, type Tenant } from '../helpers/tenants.ts';
import { startChromium } from './chromium.ts';

/** Timeout of one browser step; only prevents hanging. */
const STEP_TIMEOUT_MS = 60_000;

export const DESKTOP = { viewport: { width: 1280, height: 900 } };
export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
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
    open: async (person, path, contextOptions, use) => {
      const context = await browser.newContext({ locale: 'en-GB', ...contextOptions });
      context.setDefaultTimeout(STEP_TIMEOUT_MS);
      try {
        if (person !== null) {
          // The cookie of the response stays in the context.
          const response = await context.request.post(`${app.url}/api/auth/login`, {
            headers: { 'X-Farwatch-Session': 'cookie' }, data: { email: person.email, password: PASSWORD },
          });
          if (!response.ok()) throw new Error(`signing in failed: ${await response.text()}`);
        }
        const page = await context.newPage();
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
      } finally {
        await context.close();
      }
    },
    close: async () => {
      await browser.close();
      await app.close();
    },
  };
}
