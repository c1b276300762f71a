import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { LANGUAGES, type Language } from '../../controller/status-pages/public/languages/language.ts';
import { subscriberLocale } from '../../controller/subscribers/languages/subscriber-locale.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { startSmtpServer, type ReceivedMail, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';
import { findAccessibilityViolations, startChromium, takeScreenshot } from './chromium.ts';
import { lendPage } from './kept-pages.ts';
import { publishPage } from './seeded-page.ts';

/** Timeout of one browser step; only prevents hanging. */
const STEP_TIMEOUT_MS = 60_000;
const PHONE = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true };
const DESKTOP = { viewport: { width: 1280, height: 900 } };

let smtp: TestSmtpServer;
let app: TestApp;
let browser: Browser;
let shown: Awaited<ReturnType<typeof publishPage>>;

beforeAll(async () => {
  smtp = await startSmtpServer();
  app = await makeApp({ env: { SMTP_URL: smtp.url } });
  app.controller.subscribers.noticeSender.start();
  [browser, shown] = [await startChromium(), await publishPage(app)];
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
  await smtp?.stop();
});

async function mailTo(address: string, count: number): Promise<ReceivedMail> {
  const received = () => smtp.mails.filter((mail) => mail.to.includes(address));
  return until(() => received().length >= count && received().at(-1), { what: `${count} mails`, timeoutMs: STEP_TIMEOUT_MS });
}

/**
 * Subscribes, confirms, sets preferences, receives an incident and unsubscribes by clicks alone, on the page and in
 * mails. Checks each page on the way, which must also fit a phone.
 */
async function subscribeAndLeave(
  language: Language, options: BrowserContextOptions, check: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  const { texts } = subscriberLocale(language);
  const address = `visitor-${randomUUID()}@a-rather-long-domain-of-a-mail-provider.example`;
  const problems: string[] = [];
  await lendPage(browser, { ...options, locale: language }, async (page) => {
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    const checkView = async (title: string, name: string) => {
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
      await expect.poll(() => page.locator('html').getAttribute('lang')).toBe(language);
      await check(page, name);
      await page.setViewportSize(PHONE.viewport);
      await fits(page);
      await takeScreenshot(page, `subscriber-${name}-${language}`);
      await page.setViewportSize(options.viewport ?? PHONE.viewport);
    };
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    /** Shows a mail outside our pages, as a mail program does. */
    const follow = async (link: string, { html }: ReceivedMail) => {
      await page.goto('about:blank');
      await page.setContent(html);
      await page.getByRole('link', { name: link, exact: true }).click();
    };

    await page.goto(`${app.url}/status/${shown.subdomain}`);
    await page.locator('.subscribe > summary').click();
    await page.getByLabel(texts.email).fill(address);
    await press(texts.send);
    await checkView(texts.pleaseConfirm, 'asked');

    await follow(texts.confirm, await mailTo(address, 1));
    await checkView(texts.confirm, 'confirm');
    await press(texts.confirm);
    await checkView(texts.confirmed, 'confirmed');

    await page.getByRole('link', { name: texts.choices }).click();
    await checkView(texts.choices, 'choices');
    await page.getByLabel(texts.topics.critical_incidents).uncheck();
    await page.getByLabel(texts.howOften).selectOption({ label: texts.frequencies.immediate });
    await press(texts.save);
    await page.getByText(texts.saved, { exact: true }).waitFor();
    await checkView(texts.choices, 'saved');
    await expect.poll(() => page.getByLabel(texts.topics.critical_incidents).isChecked()).toBe(false);
    await expect.poll(() => page.getByLabel(texts.topics.all_incidents).isChecked()).toBe(true);

    const title = `Slow at ${address.slice(8, 16)}`;
    await shown.post(title, 0);
    const news = await mailTo(address, 2);
    expect(news.headers['subject']).toContain(title);
    await follow(texts.unsubscribe, news);
    await checkView(texts.unsubscribe, 'unsubscribe');
    await press(texts.unsubscribe);
    await checkView(texts.unsubscribed, 'unsubscribed');
    expect(problems).toEqual([]);
    const stored = await app.db.collection('status_page_subscribers').findOne({ email: address });
    expect(stored).toMatchObject({ state: 'unsubscribed', preferences: { critical_incidents: false } });
  });
}

async function fits(page: Page): Promise<void> {
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  await expect.poll(() => page.evaluate<number>(overflow)).toBe(0);
}

const VISITORS = [
  ['dark', 'de', { ...DESKTOP, colorScheme: 'dark' }], ['light', 'en', { ...DESKTOP, colorScheme: 'light' }],
  ['phone', 'fr', { ...PHONE, colorScheme: 'light' }],
] as const;

test.each(VISITORS.slice(0, fewOrAll(1, VISITORS.length)))('nothing bars a visitor who subscribes and leaves (%s, %s)', async (_name, language, options) => {
  await subscribeAndLeave(language, options, async (page, name) => {
    expect(await findAccessibilityViolations(page), name).toEqual([]);
  });
});

test.each(fewOrAll<readonly Language[]>(['zh'], ['es', 'zh', 'ja']))('a visitor subscribes and unsubscribes without JavaScript (%s)', async (language) => {
  await subscribeAndLeave(language, { ...DESKTOP, javaScriptEnabled: false }, () => Promise.resolve());
});

test.each(fewOrAll<readonly Language[]>(['de'], LANGUAGES))('an invalid link is explained in %s, on an accessible page that fits a phone', async (language) => {
  await lendPage(browser, { ...PHONE, locale: language }, async (page) => {
    for (const [path, text] of [
      ['/preferences?token=0', subscriberLocale(language).texts.errors.link],
      ['/incidents/0', subscriberLocale(language).texts.errors.input],
      ['-gone', subscriberLocale(language).texts.errors.missing],
    ] as const) {
      await page.goto(`${app.url}/status/${shown.subdomain}${path}`);
      await expect.poll(() => page.getByRole('alert').textContent()).toBe(text);
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await fits(page);
    }
  });
});
