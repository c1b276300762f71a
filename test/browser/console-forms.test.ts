import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fewOrAll } from '../helpers/few-or-all.ts';
import type { Tenant } from '../helpers/tenants.ts';
import { findViolationsInOverlay, takeScreenshot } from './chromium.ts';
import { DESKTOP, openConsole, PHONE, type ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
let tenant: Tenant;
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
});
afterAll(() => rig?.close());

/** How often the page contains this text. */
async function countOf(page: Page, text: string): Promise<number> {
  return (await page.locator('body').innerText()).split(text).length - 1;
}

const focused = (page: Page) => page.evaluate<string>('document.activeElement.labels?.[0]?.innerText ?? ""');
const SUMMARY = 'Fix the highlighted fields.';
const ENGLISH: [locale: string, summary: string] = ['en-GB', SUMMARY];

describe('an API error in a form', () => {
  test.each(fewOrAll([ENGLISH], [ENGLISH, ['de-DE', 'Korrigieren Sie die markierten Felder.']]))(
    'appears once, at its field, which has the focus (%s)',
    async (locale, summary) => {
      const isGerman = locale === 'de-DE';
      await rig.open(tenant.owner, '/pages', { ...PHONE, locale, colorScheme: isGerman ? 'dark' : 'light' }, async (page) => {
        await page.getByRole('button', { name: isGerman ? 'Neue Statusseite' : 'New status page' }).first().click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name').fill('Shop');
        await dialog.getByLabel('Subdomain').fill('xn--shop');
        await dialog.getByRole('button', { name: isGerman ? 'Anlegen' : 'Create' }).click();
        await dialog.getByText(summary).waitFor();
        const message = 'Use 3–63 lowercase letters, digits and hyphens; start and end with a letter or digit';
        expect(await countOf(page, message)).toBe(1);
        expect(await countOf(page, 'Validation failed')).toBe(0);
        await expect.poll(() => focused(page)).toBe('Subdomain');
        expect(await findViolationsInOverlay(page)).toEqual([]);
        await takeScreenshot(page, `console-invalid-${locale}`);
      });
    },
  );

  test('expands the section that hides the field, and reflects the latest attempt', async () => {
    await rig.open(tenant.owner, '/monitors/new', DESKTOP, async (page) => {
      await page.getByLabel('Target').fill('https://shop.example/');
      await page.getByText('More options', { exact: true }).click();
      await page.getByLabel(/^Connect to/).fill('not a host');
      await page.getByText('More options', { exact: true }).click();
      await page.getByRole('button', { name: 'Test now' }).click();
      await page.getByText(SUMMARY).waitFor();
      await expect.poll(() => focused(page)).toMatch(/^Connect to/);
      const message = await page.locator('.field.wrong .error-text').innerText();
      expect(await countOf(page, message)).toBe(1);
      await page.getByRole('button', { name: 'Create' }).click();
      await page.locator('form > .error-note').getByText(SUMMARY).waitFor();
      expect([await countOf(page, message), await countOf(page, SUMMARY)]).toEqual([1, 1]);
      await takeScreenshot(page, 'console-invalid-monitor');
    });
  });

  test('closes the list of changes to show the error at the field', async () => {
    const body = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
    const { id } = (await tenant.writeKey.post('/api/monitors', body)).data.monitor;
    await rig.open(tenant.owner, `/monitors/${id}/edit`, DESKTOP, async (page) => {
      await page.getByLabel('Target').fill('gopher://shop.example/');
      await page.getByRole('button', { name: 'Review 1 change' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByText(SUMMARY).waitFor();
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
      await expect.poll(() => focused(page)).toMatch(/^Target/);
      const message = await page.locator('.field.wrong .error-text').innerText();
      expect(await countOf(page, message)).toBe(1);
    });
  });

  test('appears at the fields of a maintenance window, and in its preview', async () => {
    await rig.open(tenant.owner, '/maintenance/new', DESKTOP, async (page) => {
      await page.getByLabel('Title').fill('Switches');
      await page.getByLabel('Ends').fill('2020-01-01T00:00');
      const wrong = page.locator('.field.wrong');
      await wrong.filter({ hasText: 'Ends' }).waitFor();
      const message = await wrong.locator('.error-text').innerText();
      expect([await countOf(page, message), await countOf(page, SUMMARY)]).toEqual([1, 0]);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText(SUMMARY).waitFor();
      expect(await countOf(page, message)).toBe(1);
    });
  });

  test('appears once in the summary if it belongs to no visible field', async () => {
    const body = { name: 'Old', type: 'HTTP', target: 'https://old.example/', interval_seconds: 60 };
    const { id } = (await tenant.writeKey.post('/api/monitors', body)).data.monitor;
    await rig.open(tenant.owner, '/maintenance/new', DESKTOP, async (page) => {
      await page.getByLabel('Title').fill('Switches');
      await page.getByLabel('Old', { exact: true }).check();
      await tenant.writeKey.delete(`/api/monitors/${id}`);
      await page.getByRole('button', { name: 'Save' }).click();
      const note = page.locator('.error-note');
      await note.waitFor();
      await expect.poll(() => note.innerText()).toMatch(/^Some values are invalid\.\s+monitor_ids Unknown monitor: \S+$/);
      expect(await countOf(page, 'Unknown monitor')).toBe(1);
    });
  });
});

test('the subdomain of a new page follows its name until it is edited', async () => {
  await rig.open(tenant.owner, '/pages', DESKTOP, async (page) => {
    await page.getByRole('button', { name: 'New status page' }).first().click();
    const [name, subdomain] = [page.getByLabel('Name'), page.getByLabel('Subdomain')];
    // Typing does not wait for the dialog to open.
    await name.click();
    await name.pressSequentially('Café Ñandú & Söhne');
    await expect.poll(() => subdomain.inputValue()).toBe('cafe-nandu-sohne');
    await subdomain.fill('cafe');
    await name.fill('Another name');
    await expect.poll(() => subdomain.inputValue()).toBe('cafe');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Another name' }).waitFor();
    await page.getByText('/status/cafe', { exact: false }).first().waitFor();
  });
});

test('a subdomain that is taken is shown at its field', async () => {
  const other = await rig.newTenant();
  const pages = `/api/projects/${other.projectId}/status-pages`;
  expect((await other.writeKey.post(pages, { name: 'Taken', subdomain: 'taken' })).status).toBe(201);
  await rig.open(tenant.owner, '/pages', DESKTOP, async (page) => {
    await page.getByRole('button', { name: 'New status page' }).first().click();
    await page.getByLabel('Name').fill('Taken');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('.field.wrong', { hasText: 'Subdomain' }).getByText('This subdomain is taken').waitFor();
    await expect.poll(() => focused(page)).toMatch(/^Subdomain/);
    expect(await countOf(page, 'This subdomain is taken')).toBe(1);
  });
});
