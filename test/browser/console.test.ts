import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findViolationsInOverlay, findViolationsInSweptView, takeScreenshot } from './chromium.ts';
import { DESKTOP, openConsole, PHONE, type ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await openConsole();
});
afterAll(() => rig?.close());

describe('around every view', () => {
  test('a user without a session signs in and reaches the linked page', async () => {
    const { owner: { email } } = await rig.newTenant();
    await rig.open(null, '/incidents', DESKTOP, async (page, problems) => {
      await page.getByLabel('Email address').fill(email);
      await page.getByLabel('Password').fill('wrong horse battery');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').getByText('INVALID_CREDENTIALS').waitFor();
      await page.getByLabel('Password').fill('correct horse battery');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor();
      await expect.poll(() => page.url()).toBe(`${rig.app.url}/incidents`);
      // The browser itself reports the two rejected requests.
      expect(problems.filter((line) => !line.includes('401'))).toEqual([]);
      await expect.poll(() => page.evaluate<string>('document.cookie')).toBe('');
    });
  });

  test('there are no accessibility violations on a phone', async () => {
    const { owner } = await rig.newTenant();
    await rig.open(owner, '/incidents', { ...PHONE, colorScheme: 'dark' }, async (page, problems) => {
      await page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await takeScreenshot(page, 'console-shell-phone');
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('fleet');
      expect(await findViolationsInOverlay(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
      expect(problems).toEqual([]);
    });
  });

  test('a section whose code cannot be loaded shows an error, and appears once it can', async () => {
    const { owner } = await rig.newTenant();
    await rig.open(owner, '/incidents', DESKTOP, async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor();
      await page.route('**/console/assets/*', (route) => route.abort());
      await page.getByRole('link', { name: 'Fleet' }).click();
      await page.getByRole('alert').getByText('Couldn’t load').waitFor();
      await page.unroute('**/console/assets/*');
      await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
    });
  });

  test('keyboard shortcuts reach every section, and a dialog lists them', async () => {
    const { owner } = await rig.newTenant();
    await rig.open(owner, '/incidents', DESKTOP, async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor();
      await page.keyboard.press('Shift+?');
      await page.getByRole('dialog').getByText('Status pages').waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('g');
      await page.keyboard.press('p');
      await page.getByRole('heading', { level: 1, name: 'Status pages' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor();
    });
  });

  test('all texts exist in German', async () => {
    const { owner } = await rig.newTenant();
    await rig.open(owner, '/incidents', { ...DESKTOP, locale: 'de-DE' }, async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Vorfälle' }).waitFor();
      await expect.poll(() => page.evaluate<string>('document.documentElement.lang')).toBe('de');
    });
  });
});
