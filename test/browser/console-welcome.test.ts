import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { linkIn } from '../helpers/read-mail.ts';
import { PASSWORD } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';
import { findAccessibilityViolations, findViolationsInSweptView, takeScreenshot } from './chromium.ts';
import { DESKTOP, openConsole, PHONE, type ConsoleRig } from './console-rig.ts';
import { enrolProbe } from './enrol-probe.ts';

const EMAIL = 'ada@example.com';
let rig: ConsoleRig;
beforeAll(async () => {
  rig = await openConsole();
});
afterAll(() => rig?.close());

async function register(page: Page, email: string): Promise<void> {
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
}

describe('setup', () => {
  test('leads from an empty installation to a monitor, a delivered alert and a probe', async () => {
    await rig.open(null, '/', DESKTOP, async (page, problems) => {
      await page.getByRole('heading', { level: 1, name: 'Welcome to Farwatch' }).waitFor();
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await takeScreenshot(page, 'console-welcome-first');
      await register(page, EMAIL);
      await page.getByRole('button', { name: 'Create operator account' }).click();
      await page.getByRole('heading', { level: 1, name: 'Welcome, Ada' }).waitFor();

      await page.getByLabel('Address', { exact: true }).first().fill('shop.example/start?x=1');
      await page.getByRole('button', { name: 'Check now' }).click();
      await page.getByText('No online probe can run this check.').waitFor();
      await page.getByRole('button', { name: 'Create monitor anyway' }).click();
      await page.getByText('shop.example/start is checked every minute.').waitFor();

      await page.getByRole('button', { name: 'Save and send test alert' }).click();
      await page.getByText('Test alert sent').waitFor();
      await until(() => rig.app.mailsTo(EMAIL).length > 0, { what: 'the test alert in the mail' });

      await takeScreenshot(page, 'console-welcome');
      await enrolProbe(page, 'dublin-1', 'EU West');
      await page.getByText(`npx farwatch probe --controller ${rig.app.url}`).waitFor();
      await page.getByText('Waiting for the probe to come online').waitFor();
      expect(await findAccessibilityViolations(page)).toEqual([]);
      expect(problems.filter((line) => !line.includes('401'))).toEqual([]);
    });
    const { monitors, destinations, regions } = await stored();
    expect(monitors).toEqual([expect.objectContaining({ target: 'https://shop.example/start?x=1', interval_seconds: 60 })]);
    expect(destinations).toEqual([expect.objectContaining({ is_default: true, type: 'email', config: { to: [EMAIL] } })]);
    expect(regions).toContainEqual(expect.objectContaining({ _id: 'eu-west', visibility: 'shared', city: 'Dublin' }));
  });

  test('of another account begins with verifying its address by mail', async () => {
    const email = 'bob@example.com';
    await rig.open(null, '/sign-in', { ...PHONE, colorScheme: 'dark' }, async (page) => {
      await page.getByRole('link', { name: 'Create an account' }).click();
      await register(page, EMAIL);
      await page.getByRole('button', { name: 'Create an account' }).click();
      await page.getByRole('alert').getByText('RESOURCE_ALREADY_EXISTS').waitFor();
      await page.getByLabel('Email address').fill(email);
      await page.getByRole('button', { name: 'Create an account' }).click();
      await page.getByText(`We’ve emailed a link to ${email}`).waitFor();
      expect(await findAccessibilityViolations(page)).toEqual([]);
      await takeScreenshot(page, 'console-session-unverified-phone');
      await page.getByRole('button', { name: 'I’ve verified it' }).click();
      await page.getByText('isn’t verified yet').waitFor();
      const link = await mailedLink(email, 'verify-email');
      await page.goto(link);
      await page.getByRole('button', { name: 'Verify address' }).click();
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor();
    });
  });

  test('is not repeated after resetting a forgotten password', async () => {
    await rig.open(null, '/sign-in', DESKTOP, async (page) => {
      await page.getByRole('link', { name: 'Forgot your password?' }).click();
      await page.getByLabel('Email address').fill(EMAIL);
      await page.getByRole('button', { name: 'Send link' }).click();
      await page.getByText(`If ${EMAIL} has an account`).waitFor();
      expect(await findViolationsInSweptView(page)).toEqual([]);
      await page.goto(await mailedLink(EMAIL, 'reset-password'));
      await page.getByLabel('New password').fill('another horse battery');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByLabel('Email address').fill(EMAIL);
      await page.getByLabel('Password').fill('another horse battery');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor();
    });
  });
});

async function mailedLink(email: string, name: string): Promise<string> {
  const find = () => rig.app.mailsTo(email).find(({ text }) => text.includes(`/${name}?`));
  return linkIn(await until(find, { what: `a mail with ${name}` }), `/${name}`).href;
}

async function stored() {
  const all = (name: string) => rig.app.db.collection(name).find({}).toArray();
  const [monitors, destinations, regions] = await Promise.all(['monitors', 'destinations', 'regions'].map(all));
  return { monitors, destinations, regions };
}
