import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ProbeProcess } from '../bus/probe/probe-process.ts';
import { programFile } from '../bundle.mjs';
import type { Loose } from '../helpers/api-client.ts';
import { makeCertificate } from '../helpers/certificate.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { startRegistry, type Registry } from '../helpers/registry.ts';
import { until } from '../helpers/until.ts';
import { findViolationsInOverlay, findViolationsInSweptView, startChromium, takeScreenshot } from './chromium.ts';
import { DESKTOP } from './console-rig.ts';

/** Timeout of one step; only prevents hanging. */
const STEP_TIMEOUT_MS = 60_000;
const DAY_MS = 86_400_000;
const REGIONS = [['lima', 'Lima'], ['oslo', 'Oslo']] as const;

const certificate = makeCertificate({ names: ['www.farshop.com'], notAfter: Date.now() + 10.5 * DAY_MS });
const dir = mkdtempSync(join(tmpdir(), 'farwatch-checks-'));
const probes: ProbeProcess[] = [];
const problems: string[] = [];
let registry: Registry;
let server: Server;
let rig: ControllerRig;
let browser: Browser;
let page: Page;
let bundle = '';
let id = '';

beforeAll(async () => {
  server = createServer(certificate, (_request, response) => void response.end('In stock'));
  const listening = new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  [registry, bundle, browser] = await Promise.all([
    startRegistry(), programFile('probe'), startChromium(), listening,
  ]);
  registry.expiries.set('farshop.com', new Date(Date.now() + 20.5 * DAY_MS).toISOString());
  const env = { DOMAIN_LOOKUPS: 'true', ALLOW_PRIVATE_DESTINATIONS: 'true' };
  rig = await startControllerRig(env, undefined, undefined, { domainRoots: registry.roots, consoleDir: inject('consoleDir') });
  for (const [region, name] of REGIONS) await startProbe(region, name);
  id = (await rig.session.ok<Loose>('POST', '/api/monitors', {
    name: 'Shop', type: 'HTTP', target: 'https://www.farshop.com/', verify_ssl: false, interval_seconds: 3600,
    connect_to: `127.0.0.1:${(server.address() as AddressInfo).port}`, monitoring_regions: REGIONS.map(([region]) => region),
    ssl_monitoring: { enabled: true, expiry_warning_days: [14] }, domain_monitoring: { enabled: true },
  })).monitor.id;
  const context = await browser.newContext({ ...DESKTOP, locale: 'en-GB' });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  await context.request.post(`${rig.controller.url}/api/auth/login`, {
    headers: { 'X-Farwatch-Session': 'cookie' }, data: { email: 'operator@example.com', password: 'correct horse battery' },
  });
  page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
});
afterAll(async () => {
  await browser?.close();
  await Promise.all(probes.map((probe) => probe.end()));
  await rig?.stop();
  await registry?.close();
  server?.close();
  if (dir !== '') rmSync(dir, { recursive: true, force: true });
});

async function startProbe(region: string, name: string): Promise<void> {
  await rig.session.ok('POST', '/api/regions', { id: region, name, city: name, country: 'NO', visibility: 'shared' });
  const { enrolment_token: token } = await rig.session.ok<Loose>('POST', '/api/probes', { region_id: region, name });
  const args = ['--controller', rig.controller.url, '--token', String(token)];
  const probe = new ProbeProcess(bundle, join(dir, region), args, { PROBE_ALLOW_PRIVATE: 'true' });
  probes.push(probe);
  await probe.connected();
}

const visit = async (path: string) => void await page.goto(`${rig.controller.url}${path}`);
const read = async (path: string) => (await rig.session.call('GET', `/api/monitors/${id}${path}`));

test('Check now checks in every region, and shows the actual result of each', async () => {
  await visit(`/monitors/${id}`);
  await page.getByText('Up in all 2 regions').waitFor();
  await page.keyboard.press('r');
  const runs = page.getByRole('dialog', { name: 'Check now' }).locator('.runs li');
  await runs.nth(1).waitFor();
  const texts = await runs.allInnerTexts();
  for (const [, name] of REGIONS) {
    expect(texts.filter((text) => new RegExp(`Passed[\\s\\S]*${name}[\\s\\S]*200[\\s\\S]*\\d ms`).test(text))).toHaveLength(1);
  }
  await runs.first().getByRole('img', { name: /TLS \d/ }).waitFor();
  expect(await findViolationsInOverlay(page)).toEqual([]);
  await takeScreenshot(page, 'console-checks-run-now');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await page.getByRole('button', { name: 'Check again' }).click();
  await runs.filter({ hasText: 'Failed' }).nth(1).waitFor();
  await runs.filter({ hasText: /refused/i }).nth(1).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test('the target\'s certificate and the registry\'s expiry date of the domain are shown', async () => {
  await until(async () => (await read('/certificate')).status === 200 && (await read('/domain')).data?.['domain']?.['expires_at'] !== null, {
    what: 'the certificate and the domain are known',
  });
  await visit(`/monitors/${id}/expiry`);
  await page.getByText('Not trusted').waitFor();
  await page.getByText('The certificate is self-signed').waitFor();
  await page.getByText('in 10 d', { exact: true }).waitFor();
  await page.getByText('EC P-256, TLSv1.3').waitFor();
  await page.getByText(new X509Certificate(certificate.cert).fingerprint256).waitFor();
  await page.getByText('Example Registrar').waitFor();
  await page.getByText('in 20 d', { exact: true }).waitFor();
  expect(await findViolationsInSweptView(page)).toEqual([]);
  await takeScreenshot(page, 'console-checks-expiry');
});

test('the policy is changed in the form and shown, and the API returns it', async () => {
  await visit(`/monitors/${id}/edit`);
  await page.getByLabel('Regions that must agree').selectOption('all');
  await page.getByLabel('Rechecks after a failure').fill('2');
  await page.getByText('Down when 2 of 2 regions fail 3 checks in a row.').waitFor();
  await page.getByLabel('Checks before recovery').fill('4');
  await page.getByLabel('Expect the check to fail').check();
  await page.getByLabel('Severity of incidents').selectOption('Major');
  await page.getByLabel('Runbook').fill('https://wiki.example/shop');
  expect(await findViolationsInSweptView(page)).toEqual([]);
  await takeScreenshot(page, 'console-checks-policy');
  await page.getByRole('button', { name: 'Review 6 changes' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('row', { name: 'Regions that must agree majority all' }).waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL(new RegExp(`/monitors/${id}$`));
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
  await page.getByRole('link', { name: 'Settings' }).last().click();
  await page.getByText('"regions": "all"').waitFor();
  expect((await read('/settings')).data?.['settings']).toMatchObject({
    confirmation_policy: { regions: 'all', retries: 2, recoveries: 4 }, is_inverted: true, alert_severity: 'major',
    runbook_url: 'https://wiki.example/shop',
  });
  await page.getByRole('link', { name: 'Policy replay' }).click();
  await expect.poll(() => page.getByRole('combobox').first().inputValue()).toBe('all');
  await expect.poll(() => page.getByLabel('Checks before recovery').inputValue()).toBe('4');
});

test('a copy has all settings, and is deleted only after confirmation', async () => {
  await visit(`/monitors/${id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Shop (copy)' }).waitFor();
  const copy = page.url().split('/').at(-1) ?? '';
  const settingsOf = async (one: string) => (await rig.session.ok<Loose>('GET', `/api/monitors/${one}/settings`)).settings;
  expect(await settingsOf(copy)).toEqual({ ...await settingsOf(id), name: 'Shop (copy)' });
  const openDeleteDialog = async () => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('dialog', { name: 'Delete “Shop (copy)”?' }).waitFor();
  };
  await openDeleteDialog();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect((await rig.session.call('GET', `/api/monitors/${copy}`)).status).toBe(200);
  await openDeleteDialog();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('“Shop (copy)” was deleted').waitFor();
  expect((await rig.session.call('GET', `/api/monitors/${copy}`)).status).toBe(404);
  await page.getByRole('link', { name: 'Shop', exact: true }).waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'Shop (copy)' }).count()).toBe(0);
  expect(problems).toEqual([]);
});

test('a job that reports its start and end shows how long it ran', async () => {
  const job = { name: 'Backup', type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 300 };
  const { monitor } = await rig.session.ok<Loose>('POST', '/api/monitors', job);
  await visit(`/monitors/${monitor.id}`);
  await page.getByText('none so far').waitFor();
  const ping = (end: string) => fetch(`${rig.controller.url}/api/heartbeat/${monitor.heartbeat_token}${end}`, { method: 'POST' });
  expect((await ping('/start')).status).toBe(200);
  expect((await ping('/0')).status).toBe(200);
  const result = await until(async () => (
    await rig.session.ok<Loose>('GET', `/api/monitors/${monitor.id}/results`)
  ).results[0] as Loose | undefined, { what: 'the run is in the history' });
  expect(result.response_time_ms).toBeGreaterThan(0);
  await page.getByText('none so far').waitFor({ state: 'detached' });
  await page.getByText('Late after').waitFor();
  // A chart advances every minute; a reload shows the newest data.
  await page.reload();
  const chart = page.getByRole('region', { name: 'Run times' });
  await chart.getByText('View as table').click();
  await chart.getByRole('cell', { name: `${Math.round(result.response_time_ms)} ms` }).waitFor();
  await takeScreenshot(page, 'console-checks-run-time');
  expect((await ping('/3')).status).toBe(200);
  await page.getByRole('link', { name: 'Checks' }).click();
  await page.locator('.checks li').nth(1).waitFor();
  await page.locator('.checks li').filter({ hasText: 'exit code 3' }).waitFor();
  await takeScreenshot(page, 'console-checks-heartbeat');
  expect(await findViolationsInSweptView(page)).toEqual([]);
  expect(problems).toEqual([]);
});
