import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, PASSWORD } from '../helpers/tenants.ts';
import { findAccessibilityViolations, startChromium, takeScreenshot } from './chromium.ts';

/** Timeout of one browser step; only prevents hanging. */
const STEP_TIMEOUT_MS = 120_000;
/** The page has thousands of elements, and only colors differ in the dark. */
const rulesIn = (scheme: 'dark' | 'light') => fewOrAll(scheme === 'dark' ? ['color-contrast'] : undefined, undefined);
const DESKTOP = { viewport: { width: 1280, height: 900 } };

let app: TestApp;
let browser: Browser;
let page: Page;
/** What the page reported and requested in the present test. */
const log: { errors: string[]; requests: { url: string; headers: Record<string, string> }[] } = { errors: [], requests: [] };

// In one page for the tests, because loading the reference takes seconds of CPU.
beforeAll(async () => {
  app = await makeApp();
  browser = await startChromium();
  const context = await browser.newContext({ ...DESKTOP, colorScheme: 'dark' });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') log.errors.push(message.text());
  });
  page.on('pageerror', (error) => log.errors.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) log.requests.push({ url: request.url(), headers: request.headers() });
  });
  expect((await page.goto(`${app.url}/api/docs#/Groups/postGroups`))?.status()).toBe(200);
  await page.locator('.opblock-tag').first().waitFor();
});
afterEach(() => {
  log.errors = [];
  log.requests = [];
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
});

/** Enters a key, or removes the one that was entered. */
async function enterKey(key: string | null): Promise<void> {
  await page.locator('.auth-wrapper .authorize').first().click();
  const dialog = page.locator('.auth-container').filter({ hasText: 'X-API-Key' });
  if (key !== null) await dialog.locator('input').fill(key);
  await dialog.locator('button.auth:not(.btn-done)').click();
  await dialog.locator('.btn-done').click();
  await page.keyboard.press('Escape');
}

/** Sends the body from the form, and resolves to the status of a response that contains `text`. */
async function execute(body: object, text: string): Promise<string> {
  await page.locator('textarea.body-param__text').fill(JSON.stringify(body));
  await page.getByRole('button', { name: 'Execute', exact: true }).click();
  const response = page.locator('.live-responses-table .response').filter({ hasText: text });
  return (await response.locator('.response-col_status').first().innerText()).trim().slice(0, 3);
}

describe('the reference in Chromium', () => {
  test('lists every operation, and loads nothing from other hosts', async () => {
    const tags = await page.locator('.opblock-tag').allInnerTexts();
    const document = (await app.client.get('/api/openapi.json')).body;
    expect(tags.map((tag) => tag.trim())).toEqual(document.tags.map(({ name }: { name: string }) => name));
    await expect.poll(() => page.locator('.errors-wrapper, .version-pragma__message').count()).toBe(0);
    await takeScreenshot(page, 'reference');
    expect(log.errors).toEqual([]);
    for (const { url } of log.requests) expect(url).toMatch(new RegExp(`^${app.url}/`));
  });

  test('tries operations with the session of the browser, or with a key that was entered', async () => {
    const { writeKeyText } = await newTenant(app);
    const headersSent = () => log.requests.at(-1)?.headers ?? {};
    await page.getByRole('button', { name: 'Try it out' }).click();
    expect(await execute({ name: 'Tried' }, 'MISSING_AUTH')).toBe('401');
    expect(headersSent()).toMatchObject({ 'x-farwatch-session': 'cookie' });
    await enterKey(writeKeyText);
    expect(await execute({ name: 'Tried in the reference' }, 'Tried in the reference')).toBe('201');
    expect(headersSent()).toMatchObject({ 'x-api-key': writeKeyText });
    expect(headersSent()).not.toHaveProperty('x-farwatch-session');
    // The browser reports every 401.
    expect(log.errors.filter((text) => !text.includes('401'))).toEqual([]);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor();
      await takeScreenshot(page, `reference-${colorScheme}`);
      expect(await findAccessibilityViolations(page, rulesIn(colorScheme)), colorScheme).toEqual([]);
    }
  });

  test('reads and writes as the user signed in to the console, which other sites cannot do', async () => {
    const { owner } = await newTenant(app);
    const names = async () => (await owner.client.get('/api/groups')).data.groups.map(({ name }: { name: string }) => name);
    const context = page.context();
    const signedIn = await context.request.post(`${app.url}/api/auth/login`, {
      headers: { 'X-Farwatch-Session': 'cookie' }, data: { email: owner.email, password: PASSWORD },
    });
    expect(signedIn.status()).toBe(200);
    await enterKey(null);
    expect(await execute({ name: 'By session' }, 'By session')).toBe('201');
    expect(await names()).toEqual(['By session']);
    await page.locator('#operations-Groups-postGroups .opblock-summary-control').click();
    const list = page.locator('#operations-Groups-getGroups');
    await list.locator('.opblock-summary-control').click();
    await page.waitForURL(/#\/Groups\/getGroups$/);
    await list.getByRole('button', { name: 'Try it out' }).click();
    await list.getByRole('button', { name: 'Execute', exact: true }).click();
    const response = list.locator('.live-responses-table .response').filter({ hasText: 'By session' });
    await expect.poll(() => response.locator('.response-col_status').first().innerText()).toMatch(/^\s*200/);
    expect(log.errors).toEqual([]);
    await page.locator('.auth-wrapper .authorize').first().click();
    await page.locator('.auth-container').first().waitFor();
    await takeScreenshot(page, 'reference-keys');
    expect(await findAccessibilityViolations(page, ['color-contrast', 'label', 'aria-dialog-name']), 'the dialog of keys').toEqual([]);

    const send = (from: Page, headers: Record<string, string>) => from.evaluate(async ([url, sent]) => {
      const response = await fetch(`${url}/api/groups`, {
        method: 'POST', credentials: 'include', headers: { 'Content-Type': 'application/json', ...sent }, body: '{"name":"Forged"}',
      }).catch((error: unknown) => ({ status: String(error) }));
      return response.status;
    }, [app.url, headers] as const);
    expect(await send(page, {})).toBe(401);
    const elsewhere = await context.newPage();
    await elsewhere.route('http://elsewhere.example/', (route) => route.fulfill({ contentType: 'text/html', body: '<p>Elsewhere' }));
    await elsewhere.goto('http://elsewhere.example/');
    expect(await send(elsewhere, { 'X-Farwatch-Session': 'cookie' })).toMatch(/TypeError/);
    expect(await send(elsewhere, {})).not.toBe(201);
    expect(await names()).toEqual(['By session']);
  });
});
