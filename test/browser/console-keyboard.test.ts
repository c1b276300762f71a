import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, type Tenant } from '../helpers/tenants.ts';
import { DESKTOP, openConsole, type ConsoleRig } from './console-rig.ts';
import { seedMonitor } from './seeded-monitor.ts';

let rig: ConsoleRig;
let tenant: Tenant;
let incident: string;
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
  ({ incident } = await seedMonitor(rig.app, tenant, Date.now()));
});
afterAll(() => rig?.close());

interface Focused {
  name: string;
  /** Whether the focus is visible. */
  isSeen: boolean;
}

const FOCUSED = `(() => {
  const at = document.activeElement;
  const name = at.getAttribute('aria-label') ?? (at.id && document.querySelector('label[for="' + at.id + '"]')?.textContent)
    ?? at.closest('label')?.textContent ?? at.textContent;
  const { outlineStyle, outlineWidth } = getComputedStyle(at.closest('.type') ?? at);
  const { width, height } = at.getBoundingClientRect();
  return { name: name || at.textContent, isSeen: outlineStyle !== 'none' && outlineWidth !== '0px' && width > 0 && height > 0 };
})()`;

const focused = (page: Page) => page.evaluate<Focused>(FOCUSED);

/** Presses Tab until an element with that name has the focus, which must be visible at every step. */
async function tabTo(page: Page, name: string): Promise<void> {
  const visited: string[] = [];
  while (visited.length < 80) {
    await page.keyboard.press('Tab');
    const at = await focused(page);
    if (!at.isSeen) throw new Error(`the focus is not seen at “${at.name}”`);
    if (at.name.startsWith(name)) return;
    visited.push(at.name);
  }
  throw new Error(`Tab does not lead to “${name}”: ${visited.join(', ')}`);
}

test('the keyboard alone suffices from signing in to acknowledging an incident', async () => {
  const { owner } = tenant;
  await rig.open(null, '/', DESKTOP, async (page) => {
    const waitForHeading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await waitForHeading('Sign in');
    await tabTo(page, 'Email address');
    await page.keyboard.type(owner.email);
    await tabTo(page, 'Password');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await waitForHeading('Monitors');

    await page.keyboard.press('g');
    await page.keyboard.press('n');
    await waitForHeading('New monitor');
    // The first stop on a page skips to the content.
    await page.locator('main:focus').waitFor();
    await page.reload();
    await waitForHeading('New monitor');
    await tabTo(page, 'Skip to content');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Target');
    await page.keyboard.type('https://keys.example');
    await tabTo(page, 'Create');
    await page.keyboard.press('Enter');
    await waitForHeading('keys.example');
    await tabTo(page, 'More actions');
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toMatchObject({ name: 'More actions' });

    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await waitForHeading('Incidents');
    await page.getByRole('link', { name: 'Shop is down' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await waitForHeading('Shop is down');
    await tabTo(page, 'Acknowledge');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, 'Note for the timeline');
    await page.keyboard.type('By keys');
    await tabTo(page, 'Acknowledge');
    await page.keyboard.press('Enter');
    await page.getByText('Acknowledged by').waitFor();
    expect((await owner.client.get(`/api/incidents/${incident}`)).data.incident.status).toBe('acknowledged');
  });
});

test('a dialog is open as soon as it is on the page, so a key pressed at once reaches it', async () => {
  await rig.open(tenant.owner, '/settings/projects', DESKTOP, async (page) => {
    const button = page.getByRole('button', { name: 'New project' });
    const wasOpen = await button.evaluate((element) => new Promise<boolean>((resolve) => {
      new MutationObserver((_, observer) => {
        const dialog = document.querySelector('dialog');
        if (dialog === null) return;
        observer.disconnect();
        resolve(dialog.open);
      }).observe(document.body, { childList: true, subtree: true });
      (element as HTMLElement).click();
    }));
    expect(wasOpen).toBe(true);
  });
});

test('a field can have the focus as soon as its view is on the page', async () => {
  await rig.open(tenant.owner, '/', DESKTOP, async (page) => {
    // The code of the view is loaded once it was opened.
    await page.getByRole('link', { name: 'Shop' }).waitFor();
    await page.keyboard.type('gf');
    await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
    await page.evaluate(() => {
      new MutationObserver((_, observer) => {
        if (document.querySelector('[type=search]') === null) return;
        observer.disconnect();
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }));
      }).observe(document.body, { childList: true, subtree: true });
    });
    await page.keyboard.type('gm');
    await page.locator('[type=search]:focus').waitFor();
    await page.evaluate(() => new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame)));
    await page.keyboard.type('shop');
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('shop');
  });
});
