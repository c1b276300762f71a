import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cleanEnvironment } from '../helpers/clean-environment.ts';
import { startFarwatch, type Farwatch } from '../helpers/farwatch.ts';
import { startTarget, type Target } from '../helpers/target.ts';
import { PASSWORD } from '../helpers/tenants.ts';
import { startChromium, takeScreenshot } from './chromium.ts';
import { DESKTOP } from './console-rig.ts';
import { enrolProbe } from './enrol-probe.ts';

/** Timeout of one step; only prevents hanging. */
const STEP_TIMEOUT_MS = 60_000;

let farwatch: Farwatch;
let target: Target;
let browser: Browser;
let page: Page;
let probe: ChildProcess | null = null;
const dir = mkdtempSync(join(tmpdir(), 'farwatch-console-probe-'));
const problems: string[] = [];

beforeAll(async () => {
  [farwatch, target, browser] = await Promise.all([
    startFarwatch({ env: { MIN_INTERVAL_SECONDS: '1' } }), startTarget(), startChromium(),
  ]);
  const context = await browser.newContext({ ...DESKTOP, locale: 'en-GB' });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
});
afterAll(async () => {
  if (probe?.pid !== undefined) process.kill(-probe.pid, 'SIGKILL');
  await Promise.all([browser?.close(), farwatch?.stop(), target?.close()]);
  rmSync(dir, { recursive: true, force: true });
});

test('a complete installation is set up in the browser: operator, first check, a second probe', async () => {
  await page.goto(farwatch.url);
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('Email address').fill('ada@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create operator account' }).click();
  await page.getByLabel('Address', { exact: true }).first().fill(target.url);
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('HTTP 200').waitFor();
  await page.getByRole('button', { name: 'Create monitor', exact: true }).click();
  await page.getByText('is checked every minute').waitFor();

  await enrolProbe(page, 'dublin-1', 'Dublin');
  await page.getByText('Waiting for the probe to come online').waitFor();
  const command = await page.locator('code', { hasText: 'npx farwatch probe' }).first().textContent() ?? '';
  // In its own process group, which is ended as a whole.
  probe = spawn('sh', ['-c', command], { env: cleanEnvironment({ DATA_DIR: dir }), stdio: 'ignore', detached: true });
  await page.getByText('dublin-1 is online').waitFor();
  expect(problems).toEqual([]);
});

test('an outage is shown live, from green to red and back, with the votes and the diagnosis', async () => {
  await checkEverySecond();
  await page.goto(farwatch.url);
  const row = page.locator('.monitor').first();
  await row.locator('.state-dot.up').waitFor();
  target.respondWith({ status: 503 });
  await row.locator('.state-dot.down').waitFor();
  await takeScreenshot(page, 'console-live-down');
  await page.getByRole('link', { name: 'Incidents' }).click();
  await page.getByRole('link', { name: /127\.0\.0\.1/ }).first().click();
  await page.getByText('Votes by region').waitFor();
  await page.getByRole('row', { name: /dublin.*down/i }).waitFor();
  const diagnosis = page.getByRole('region', { name: 'Diagnosis' });
  await diagnosis.getByText('Reached, but the check fails').first().waitFor();
  await takeScreenshot(page, 'console-live-incident');
  target.respondWith({ status: 200 });
  await page.getByText('Resolved').first().waitFor();
  await page.getByRole('link', { name: 'Monitors' }).first().click();
  await row.locator('.state-dot.up').waitFor();
  expect(problems).toEqual([]);
});

test('the live stream reconnects by itself after the controller was killed', async () => {
  await page.getByRole('status').getByText('Live').waitFor();
  await farwatch.kill9('controller');
  await page.locator('.live-sign:not(.live)').waitFor();
  await page.getByRole('status').getByText('Live').waitFor();
  const row = page.locator('.monitor').first();
  target.respondWith({ status: 503 });
  await row.locator('.state-dot.down').waitFor();
  target.respondWith({ status: 200 });
  await row.locator('.state-dot.up').waitFor();
});

test('the first result of a monitor fills its empty chart', async () => {
  const { request } = page.context();
  const created = await request.post(`${farwatch.url}/api/monitors`, {
    headers: { 'X-Farwatch-Session': 'cookie' },
    data: { name: 'Backup', type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 3600 },
  });
  const { id, heartbeat_token: token } = (await created.json()).data.monitor as { id: string; heartbeat_token: string };
  // A fixed time range, because a moving one would load the result, too.
  const range = `from=${Date.now() - 600_000}&to=${Date.now() + 600_000}`;
  await page.goto(`${farwatch.url}/monitors/${id}?${range}`);
  const empty = page.getByText('No response times in this time range');
  await empty.waitFor();
  await page.getByRole('status').getByText('Live').waitFor();
  for (const ping of ['start', '0']) expect((await request.get(`${farwatch.url}/api/heartbeat/${token}/${ping}`)).status()).toBe(200);
  await empty.waitFor({ state: 'hidden' });
});

test('signing out everywhere ends this session too', async () => {
  await page.goto(`${farwatch.url}/settings/account`);
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
});

/** Checked each second, in both regions. */
async function checkEverySecond(): Promise<void> {
  const headers = { 'X-Farwatch-Session': 'cookie' };
  const { request } = page.context();
  const { data } = await (await request.get(`${farwatch.url}/api/monitors`, { headers })).json() as { data: { monitors: { id: string }[] } };
  const response = await request.patch(`${farwatch.url}/api/monitors/${data.monitors[0]?.id}`, {
    headers, data: { interval_seconds: 1, monitoring_regions: ['local', 'dublin'] },
  });
  expect(response.status(), await response.text()).toBe(200);
}
