import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { LANGUAGES, TEXTS, type Language } from '../../controller/status-pages/public/languages/language.ts';
import type { OverallState } from '../../controller/status-pages/public/public-view.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { until } from '../helpers/until.ts';
import { APPEARANCE_RULES, findAccessibilityViolations, startChromium, takeScreenshot } from './chromium.ts';
import { lendPage } from './kept-pages.ts';
import { publishPage } from './seeded-page.ts';

const PHONE = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true };
const DESKTOP = { viewport: { width: 1280, height: 900 } };

let app: TestApp;
let browser: Browser;
let shown: Awaited<ReturnType<typeof publishPage>>;

beforeAll(async () => {
  app = await makeApp();
  [browser, shown] = [await startChromium(), await publishPage(app)];
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
});

/** Opens a path below the status page without JavaScript, and records its requests and failures. */
async function withPage(
  path: string, options: BrowserContextOptions, use: (page: Page, problems: string[]) => Promise<void>,
): Promise<void> {
  await lendPage(browser, options, async (page) => {
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('response', (response) => {
      if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
    });
    const response = await page.goto(`${app.url}/status/${shown.subdomain}${path}`);
    expect(response?.status()).toBe(200);
    await use(page, problems);
  });
}

type Box = Record<'left' | 'right' | 'top' | 'bottom', number>;
const overflow = (page: Page) => page.evaluate<number>(
  'document.documentElement.scrollWidth - document.documentElement.clientWidth',
);
const focused = (page: Page) => page.evaluate<{ tag: string; text: string }>(
  '({ tag: document.activeElement.tagName, text: document.activeElement.textContent.trim() })',
);

describe('in Chromium', () => {
  test.each([
    ['light', { ...DESKTOP, colorScheme: 'light' }], ['dark', { ...DESKTOP, colorScheme: 'dark' }],
    ['phone', { ...PHONE, colorScheme: 'dark' }],
  ] as const)('the page has no accessibility violations (%s)', async (name, options) => {
    await withPage('', options, async (page, problems) => {
      const days = page.locator('.components summary').first();
      await (name === 'phone' ? days.tap() : days.click());
      await expect.poll(() => page.locator('summary title').count()).toBeGreaterThan(0);
      await expect.poll(() => page.locator('details[open] li').count()).toBeGreaterThan(0);
      // All rules once; the other appearances only with those that depend on it.
      const rules = name === 'light' ? undefined : fewOrAll(APPEARANCE_RULES, undefined);
      expect(await findAccessibilityViolations(page, rules)).toEqual([]);
      await takeScreenshot(page, `page-${name}`);
      await page.locator('.subscribe > summary').click();
      await page.getByLabel(TEXTS.en.email).waitFor();
      expect(await findAccessibilityViolations(page, rules)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      expect(problems).toEqual([]);
      await takeScreenshot(page, `page-subscribe-${name}`);
    });
  });

  test.each([['a desktop', DESKTOP], ['a phone', PHONE]])('the uptime of each component is next to its name, on the right, on %s', async (_, options) => {
    await withPage('', options, async (page) => {
      const components = await page.evaluate<[Box, Box, Box][]>(`[...document.querySelectorAll('.components > li')].map(
        (one) => ['a', 'b', 'details'].map((part) => one.querySelector(part).getBoundingClientRect().toJSON()),
      )`);
      expect(components).toHaveLength(shown.monitors.length);
      for (const [name, figure, bars] of components) {
        expect(figure.top).toBeLessThan(name.bottom);
        expect(name.top).toBeLessThan(figure.bottom);
        expect(figure.right).toBeCloseTo(bars.right, 0);
        expect(name.right).toBeLessThan(figure.left);
      }
    });
  });

  test('a page that changes is updated in place, and keeps focus and expanded details', async () => {
    await withPage('', DESKTOP, async (page, problems) => {
      await page.evaluate('window.isSame = true');
      await page.locator('.components summary').nth(1).press('Enter');
      const rename = (name: string) => app.db.collection<{ _id: string; name: string }>('monitors')
        .updateOne({ _id: shown.monitors[0] as string }, { $set: { name } });
      await rename('Renamed shop');
      await page.getByText('Renamed shop').first().waitFor();
      await expect.poll(() => page.evaluate('window.isSame')).toBe(true);
      expect((await focused(page)).tag).toBe('SUMMARY');
      await expect.poll(() => page.locator('.components details').evaluateAll(
        (all) => all.map((one) => one.hasAttribute('open')).indexOf(true),
      )).toBe(1);
      const state = app.owners.live.get(shown.monitors[2] as string);
      if (state === undefined) throw new Error('The monitor has no state');
      await page.evaluate('window.banner = document.querySelector(".overall")');
      const bannerShows = (state: OverallState) => expect.poll(() => page.evaluate(`[
        banner === document.querySelector('.overall'), banner.className, banner.textContent,
        banner.querySelector('use').getAttribute('href'),
      ]`)).toEqual([true, `overall ${state}`, TEXTS.en.overall[state], '#i-warning']);
      app.owners.live.set(shown.monitors[2] as string, { ...state, status: 'up' });
      await bannerShows('degraded');
      app.owners.live.set(shown.monitors[2] as string, state);
      await bannerShows('partial_outage');
      expect(problems).toEqual([]);
      await rename('Shop');
    });
  });

  const light = [['light', '#ffe14d'], ['dark', '#1a237e']] as const;
  test.each(fewOrAll<readonly (readonly ['light' | 'dark', string])[]>(
    light, [...light, ['light', '#e11d74'], ['dark', '#808080']],
  ))('a %s page with the color %s has no accessibility violations', async (colorScheme, primaryColor) => {
    const { subdomain } = await publishPage(app, { primaryColor });
    await lendPage(browser, { ...PHONE, colorScheme }, async (page) => {
      await page.goto(`${app.url}/status/${subdomain}`);
      const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(primaryColor.slice(at, at + 2), 16));
      await expect.poll(() => page.evaluate('getComputedStyle(document.querySelector(".subscribe > summary")).backgroundColor'))
        .toBe(`rgb(${red}, ${green}, ${blue})`);
      await page.locator('.subscribe > summary').tap();
      expect(await findAccessibilityViolations(page, fewOrAll(['color-contrast'], undefined))).toEqual([]);
    });
  });

  test('nothing on the page shifts', async () => {
    await withPage('', { ...DESKTOP, reducedMotion: 'reduce' }, async (page) => {
      await page.locator('.subscribe > summary').click();
      await expect.poll(() => page.evaluate('document.getAnimations().length')).toBe(0);
    });
  });

  test('the subscribe button opens and closes its form with the keyboard', async () => {
    await withPage('', DESKTOP, async (page) => {
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      expect(await focused(page)).toEqual({ tag: 'SUMMARY', text: TEXTS.en.send });
      const email = page.getByLabel(TEXTS.en.email);
      await expect.poll(() => email.isVisible()).toBe(false);
      await page.keyboard.press('Enter');
      await email.waitFor();
      await page.keyboard.press('Tab');
      expect((await focused(page)).tag).toBe('INPUT');
      await page.keyboard.press('Escape');
      await email.waitFor({ state: 'hidden' });
      expect((await focused(page)).tag).toBe('SUMMARY');
      await page.keyboard.press('Space');
      await email.waitFor();
      await page.getByRole('heading', { level: 1 }).click();
      await email.waitFor({ state: 'hidden' });
    });
  });

  test('the pages of components and incidents have no accessibility violations', async () => {
    for (const [path, name] of [
      [`/components/${shown.monitors[2]}`, 'component'], [`/incidents/${shown.incident}`, 'incident'],
    ] as const) {
      await withPage(path, { ...PHONE, colorScheme: 'light' }, async (page, problems) => {
        expect(await findAccessibilityViolations(page)).toEqual([]);
        expect(await overflow(page)).toBe(0);
        expect(problems).toEqual([]);
        await takeScreenshot(page, name);
      });
    }
  });

  test.each(fewOrAll<readonly Language[]>(['de', 'ja'], LANGUAGES))('a reader who prefers %s gets that language, and the page fits a phone', async (language) => {
    for (const path of ['', `/components/${shown.monitors[0]}`]) {
      await withPage(path, { ...PHONE, locale: language }, async (page) => {
        await expect.poll(() => page.locator('html').getAttribute('lang')).toBe(language);
        expect(await overflow(page)).toBe(0);
        if (path === '') {
          await expect.poll(() => page.getByRole('status').textContent()).toBe(TEXTS[language].overall.partial_outage);
          await takeScreenshot(page, `language-${language}`);
        }
      });
    }
  });

  test('the keyboard reaches everything, starting with the content, and expands the days', async () => {
    await withPage('', DESKTOP, async (page) => {
      await page.keyboard.press('Tab');
      expect((await focused(page)).text).toBe(TEXTS.en.skip);
      await page.keyboard.press('Enter');
      const reached: string[] = [];
      for (let at = 0; at < 40; at += 1) {
        await page.keyboard.press('Tab');
        const { tag, text } = await focused(page);
        if (tag === 'BODY') break;
        if (tag === 'SUMMARY' && text !== TEXTS.en.send) await page.keyboard.press('Enter');
        reached.push(text);
      }
      expect(reached).toEqual(expect.arrayContaining(['Payments fail', 'Shop', 'Deutsch']));
      await expect.poll(() => page.locator('.components details[open]').count()).toBe(shown.monitors.length);
    });
  });

  test('the page is complete without JavaScript', async () => {
    await withPage('?lang=fr', { ...DESKTOP, javaScriptEnabled: false }, async (page) => {
      await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Acme');
      await expect.poll(() => page.locator('.components > li').count()).toBe(4);
      await expect.poll(() => page.getByRole('heading', { name: 'New switches' }).isVisible()).toBe(true);
      await page.getByText(TEXTS.fr.send, { exact: true }).first().click();
      await page.getByLabel(TEXTS.fr.email).waitFor();
      await page.getByRole('link', { name: 'Payments fail' }).first().click();
      await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('fr');
      await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Payments fail');
    });
  });

  test('the style of a page changes its content, but not its controls', async () => {
    const customCss = 'body, h1, form, footer { color: #b00020 } a { display: none } * { max-height: 0 }';
    const { subdomain } = await publishPage(app, { primaryColor: '#1a7f37', customCss });
    await lendPage(browser, DESKTOP, async (page) => {
      await page.goto(`${app.url}/status/${subdomain}`);
      const colorOf = (selector: string) =>
        page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).color`);
      expect(await colorOf('h1')).toBe('rgb(176, 0, 32)');
      expect([await colorOf('form'), await colorOf('footer')]).not.toContain('rgb(176, 0, 32)');
      await page.locator('.subscribe > summary').click();
      await expect.poll(() => page.getByRole('button', { name: TEXTS.en.send }).isVisible()).toBe(true);
      await expect.poll(() => page.getByRole('link', { name: 'Deutsch' }).isVisible()).toBe(true);
    });
  });

  test('a visitor subscribes with the form', async () => {
    await withPage('', PHONE, async (page, problems) => {
      await page.locator('.subscribe > summary').tap();
      await page.getByLabel(TEXTS.en.email).fill('visitor@example.com');
      await page.getByRole('button', { name: TEXTS.en.send }).click();
      await page.waitForURL(/\/subscribe\?lang=en$/);
      expect(await findAccessibilityViolations(page)).toEqual([]);
      expect(problems).toEqual([]);
    });
    await until(() => app.mailsTo('visitor@example.com').length === 1);
  });

  test('other sites may frame only the embed', async () => {
    const address = `${app.url}/status/${shown.subdomain}`;
    await withPage('/embed', PHONE, async (page, problems) => {
      expect(await findAccessibilityViolations(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      const other = createServer((_request, response) => {
        response.setHeader('Content-Type', 'text/html');
        response.end(`<iframe title="a" src="${address}/embed"></iframe><iframe title="b" src="${address}"></iframe>`);
      }).listen(0, '127.0.0.1');
      await once(other, 'listening');
      await page.goto(`http://localhost:${(other.address() as AddressInfo).port}/`);
      other.close();
      const text = page.frameLocator('[title=a]').getByText(TEXTS.en.overall.partial_outage);
      await expect.poll(() => text.count()).toBe(1);
      await expect.poll(() => page.frameLocator('[title=b]').getByText(TEXTS.en.overall.partial_outage).count()).toBe(0);
      expect(problems.join()).toContain('frame-ancestors');
    });
  });

  test('feeds and badges are well-formed', async () => {
    await withPage('', DESKTOP, async (page) => {
      for (const path of [
        `/status/${shown.subdomain}/feed.atom?lang=ja`, `/status/${shown.subdomain}/feed.rss?lang=fr`,
        `/api/public/status-pages/${shown.subdomain}/badge.svg`,
        `/api/monitors/${shown.monitors[0]}/badge.svg?show=uptime&lang=zh`,
      ]) {
        const xml = await (await page.request.get(app.url + path)).text();
        const root = await page.evaluate<string>(
          `new DOMParser().parseFromString(${JSON.stringify(xml)}, 'application/xml').documentElement.outerHTML`,
        );
        expect(root, path).not.toContain('parsererror');
      }
    });
  });
});
