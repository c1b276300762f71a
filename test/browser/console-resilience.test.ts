import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, type Tenant } from '../helpers/tenants.ts';
import { findViolationsInOverlay } from './chromium.ts';
import { DESKTOP, openConsole, TOUCH_PHONE, type ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
let tenant: Tenant;
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
});
afterAll(() => rig?.close());

const monitorsNamed = async (name: string) =>
  (await tenant.owner.client.get(`/api/monitors?search=${encodeURIComponent(name)}`)).data.monitors as { name: string }[];
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

describe('entered text', () => {
  test('survives the end of the session, and is saved once its owner has signed in again', async () => {
    await rig.open(tenant.owner, '/monitors/new', DESKTOP, async (page) => {
      await page.getByLabel('Target').fill('https://survivor.example');
      await page.getByLabel('Tags').fill('kept');
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.waitFor();
      for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Escape');
      expect(await findViolationsInOverlay(page)).toEqual([]);
      await dialog.getByLabel('Password').fill('wrong horse battery');
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await dialog.getByText('INVALID_CREDENTIALS').waitFor();
      await dialog.getByLabel('Password').fill(PASSWORD);
      await dialog.getByLabel('Password').press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(() => page.getByLabel('Tags').inputValue()).toBe('kept');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.waitForURL(/\/monitors\/[0-9a-f-]{36}$/);
      expect(await monitorsNamed('survivor.example')).toMatchObject([{ name: 'survivor.example' }]);
    });
  });

  test('is not discarded by the back button or a shortcut without confirmation', async () => {
    await rig.open(tenant.owner, '/incidents', DESKTOP, async (page) => {
      await heading(page, 'Incidents').waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('n');
      await page.getByLabel('Target').fill('https://half.example');
      const messages: string[] = [];
      page.on('dialog', (dialog) => {
        messages.push(dialog.message());
        void (messages.length < 3 ? dialog.dismiss() : dialog.accept());
      });
      await page.goBack();
      await page.getByRole('button', { name: 'Test now' }).focus();
      await page.keyboard.press('g');
      await page.keyboard.press('f');
      await expect.poll(async () => [page.url(), await page.getByLabel('Target').inputValue()])
        .toEqual([`${rig.app.url}/monitors/new`, 'https://half.example']);
      await page.goBack();
      await heading(page, 'Incidents').waitFor();
      expect(messages).toEqual(Array.from({ length: 3 }, () => expect.stringContaining('unsaved changes')));
    });
  });

  test('is sent completely, although the form is submitted before the next frame', async () => {
    await rig.open(tenant.owner, '/settings/projects', DESKTOP, async (page) => {
      await page.getByRole('button', { name: 'New project' }).click();
      const name = page.getByRole('dialog').getByRole('textbox');
      await name.fill('Half');
      await name.evaluate(async (element) => {
        const field = element as HTMLInputElement;
        field.value = 'Whole';
        field.dispatchEvent(new Event('input', { bubbles: true }));
        // The view renders meanwhile, without waiting for a frame.
        for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
        field.form?.requestSubmit();
      });
      await page.getByRole('row', { name: 'Whole' }).waitFor();
    });
  });

  test('is sent once however often the button is pressed, even over a slow connection', async () => {
    await rig.open(tenant.owner, '/monitors/new', DESKTOP, async (page) => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      let posts = 0;
      await page.route('**/api/monitors', async (route) => {
        if (route.request().method() === 'POST') {
          posts += 1;
          await held;
        }
        await route.continue();
      });
      await page.getByLabel('Target').fill('https://twice.example');
      await page.getByRole('button', { name: 'Create', exact: true }).dblclick();
      await page.getByLabel('Target').press('Enter');
      release();
      await page.waitForURL(/\/monitors\/[0-9a-f-]{36}$/);
      expect([posts, await monitorsNamed('twice.example')]).toEqual([1, [expect.anything()]]);
    });
  });
});

test('a page opened while the server cannot be reached loads once it can', async () => {
  await rig.open(tenant.owner, '/', DESKTOP, async (page) => {
    await page.route('**/api/auth/me', (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').getByText('Can’t reach the server').waitFor();
    await page.unroute('**/api/auth/me');
    await heading(page, 'Monitors').waitFor();
  });
});

describe('unusual data', () => {
  const NAMES = [
    `${'Wide '.repeat(50)}!`, 'x'.repeat(255), '👩‍👩‍👧‍👦🚨'.repeat(12), 'متجر الاختبار', '<script>document.title = "owned"</script>',
  ];

  test('in names fits on a phone and stays text', async () => {
    for (const [at, name] of NAMES.entries()) {
      const created = await tenant.writeKey.post('/api/monitors', {
        name, type: 'HTTP', target: `https://odd-${at}.example`, interval_seconds: 60, tags: [[...name].slice(0, 20).join('')],
      });
      if (created.status !== 201) throw new Error(created.text);
    }
    const [{ id }] = await monitorsNamed('x'.repeat(255)) as unknown as [{ id: string }];
    for (const path of ['/', '/?group=tag', `/monitors/${id}`, `/monitors/${id}/edit`, '/maintenance/new', '/wall']) {
      await rig.open(tenant.owner, path, TOUCH_PHONE, async (page, problems) => {
        await page.getByRole('heading', { level: 1 }).waitFor();
        await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth'), { message: path })
          .toBe(TOUCH_PHONE.viewport.width);
        expect(await page.title()).not.toContain('owned');
        expect(problems).toEqual([]);
      });
    }
  });

  test('in API responses shows an error with a retry', async () => {
    await rig.open(tenant.owner, '/settings/account', DESKTOP, async (page) => {
      await heading(page, 'Settings').waitFor();
      let failing: { status: number; code: string } | null = { status: 500, code: 'INTERNAL_ERROR' };
      await page.route('**/api/incidents?*', (route) => (failing === null ? route.continue() : route.fulfill({
        status: failing.status, json: { success: false, error: { code: failing.code, message: 'Some reason', retryAfter: 7 } },
      })));
      await page.keyboard.press('g');
      await page.keyboard.press('i');
      await page.getByRole('alert').getByText('Some reason').waitFor();
      failing = { status: 429, code: 'RATE_LIMIT_EXCEEDED' };
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('Try again in 7 s').waitFor();
      failing = null;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('No incidents').waitFor();
    });
  });

  test('in the browser\'s clock shows no event in the future', async () => {
    const { data: { monitor: { id } } } = await tenant.writeKey.post('/api/monitors', {
      name: 'Clock', type: 'HTTP', target: 'https://clock.example', interval_seconds: 60,
    });
    rig.app.owners.live.set(id, {
      status: 'down', since: Date.now() - 600_000, last_check_at: Date.now() - 9000, last_success_at: null,
      last_failure_at: null, open_incident: null, regions: [], in_maintenance: false,
    });
    await rig.open(tenant.owner, '/settings/account', DESKTOP, async (page) => {
      // The browser's clock is an hour behind.
      await page.addInitScript('{ const real = Date.now.bind(Date); Date.now = () => real() - 3_600_000; }');
      await page.goto(`${rig.app.url}/monitors/${id}`);
      await page.getByText(/^for 10 min$/).waitFor();
      await page.close();
    });
  });
});
