import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newMember, type Tenant } from '../helpers/tenants.ts';
import { findBarriers, takeScreenshot } from './chromium.ts';
import { DESKTOP, openConsole, PHONE, type ConsoleRig } from './console-rig.ts';

let rig: ConsoleRig;
let tenant: Tenant;
beforeAll(async () => {
  rig = await openConsole();
  tenant = await rig.newTenant();
});
afterAll(() => rig?.close());

/** The parts of the settings, by what they show once they are read. */
const PARTS = { account: 'This one', keys: 'reader' };

describe('settings in the console', () => {
  test.each([['light', DESKTOP], ['dark', DESKTOP], ['phone', PHONE]] as const)('nothing bars anybody (%s)', async (name, options) => {
    const colorScheme = name === 'light' ? 'light' : 'dark';
    await rig.open(tenant.owner, '/settings', { ...options, colorScheme }, async (page, noted) => {
      for (const [part, shown] of Object.entries(PARTS)) {
        await page.goto(`${rig.app.url}/settings/${part}`);
        await page.getByText(shown).first().waitFor();
        expect(await findBarriers(page), part).toEqual([]);
        await takeScreenshot(page, `console-settings-${part}-${name}`);
      }
      expect(noted).toEqual([]);
    });
  });

  test('an API key is shown once, works, is replaced and revoked', async () => {
    const works = async (key: string) => (await rig.app.client.with({ 'x-api-key': key }).get('/api/monitors')).status === 200;
    await rig.open(tenant.owner, '/settings/keys', DESKTOP, async (page, noted) => {
      await page.getByRole('button', { name: 'New API key' }).click();
      await page.getByLabel('Name').fill('Deployments');
      await page.getByLabel('May').selectOption('read_write');
      await page.getByRole('button', { name: 'Create' }).click();
      const shown = page.getByRole('dialog').locator('code');
      const first = await shown.innerText();
      expect(await works(first)).toBe(true);
      await page.getByRole('button', { name: 'I have stored it' }).click();
      expect(await page.content()).not.toContain(first);
      await page.getByRole('button', { name: 'Replace Deployments' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
      await page.getByText('not shown again').waitFor();
      const second = await shown.innerText();
      expect([await works(first), await works(second)]).toEqual([false, true]);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Revoke Deployments' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('Revoked').waitFor();
      expect(await works(second)).toBe(false);
      expect(noted).toEqual([]);
    });
  });

  test('a person changes the password, ends a session, and signs out everywhere', async () => {
    const person = (await rig.newTenant()).owner;
    await rig.open(person, '/settings/account', DESKTOP, async (page) => {
      await page.getByLabel('Current password').fill('not the password');
      await page.getByLabel('New password').fill('a new long password');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByRole('alert').waitFor();
      await page.getByLabel('Current password').fill(person.password);
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('Password changed').waitFor();
      expect((await person.client.get('/api/auth/me')).status).toBe(401);
      const other = await rig.app.client.post('/api/auth/login', { email: person.email, password: 'a new long password' });
      const client = rig.app.client.with({ authorization: `Bearer ${other.data.token}` });
      await page.reload();
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await expect.poll(async () => (await client.get('/api/auth/me')).status).toBe(401);
      await page.getByRole('button', { name: 'Sign out everywhere' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
      await page.waitForURL(/sign-in/);
    });
  });

  test('a member is offered their own account alone', async () => {
    const member = await newMember(rig.app, tenant, 'member');
    await rig.open(member, '/settings/keys', DESKTOP, async (page) => {
      await page.getByText('There is nothing at this address').waitFor();
      await page.goto(`${rig.app.url}/settings`);
      await page.getByText('Where you are signed in').waitFor();
      expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
    });
  });
});
