import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { Load } from '../faults/load.ts';
import { Several, type Member } from '../faults/several.ts';
import { makeCertificate } from '../helpers/certificate.ts';
import { PASSWORD } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';
import { runNginx } from '../services/nginx.ts';
import type { Service } from '../services/service.ts';
import { startChromium } from './chromium.ts';
import { DESKTOP } from './console-rig.ts';

/** Timeout of one step; only prevents hanging. */
const STEP_TIMEOUT_MS = 60_000;
const MEGABYTE = 1 << 20;

let load: Load<Several>;
let nginx: Service | null = null;
let browser: Browser;
let page: Page;
/** Writes for which nginx found no controller. Reads may wait for the owner of a shard. */
const lost: string[] = [];
/** `mistaken`: where nginx replaces the Host header, as it does by default. */
const ports = { http: 0, https: 0, mistaken: 0 };

beforeAll(async () => {
  [load, browser, ports.http, ports.https, ports.mistaken] =
    await Promise.all([Load.on(Several.start(2)), startChromium(), freePort(), freePort(), freePort()]);
  nginx = await startNginx(load.farwatch.members);
  const context = await browser.newContext({ ...DESKTOP, locale: 'en-GB', ignoreHTTPSErrors: true });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  page = await context.newPage();
  page.on('response', (response) => {
    if (response.status() === 502 && response.request().method() !== 'GET') lost.push(response.url());
  });
});
afterAll(async () => {
  await Promise.all([browser?.close(), nginx?.stop()]);
  await load?.stop();
});

test('the console works behind the manual\'s nginx configuration, even when the responding controller is killed', async () => {
  const id = await load.createMonitor('/shop', { name: 'Shop' });
  await page.goto(`https://localhost:${ports.https}`);
  await signIn();
  const row = page.locator('.monitor').first();
  await row.locator('.state-dot.up').waitFor();
  await page.getByRole('status').getByText('Live').waitFor();
  expect(await page.context().cookies()).toMatchObject([
    { name: 'farwatch_session', httpOnly: true, sameSite: 'Strict' },
  ]);

  const [first, second] = load.farwatch.members as [Member, Member];
  await first.process.kill9();
  await load.farwatch.sharedBy([second]);
  load.target.respondWith({ status: 503 });
  await row.locator('.state-dot.down').waitFor();
  await row.getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Pause' }).click();
  await row.locator('.state-dot.paused').waitFor();
  expect(await load.session.ok('GET', `/api/monitors/${id}`)).toMatchObject({ monitor: { status: 'paused' } });
  expect(lost).toEqual([]);
  await first.restart();
});

test('sign-in explains a proxy that does not pass on the Host header', async () => {
  await page.context().clearCookies();
  await page.goto(`http://localhost:${ports.mistaken}`);
  await signIn();
  await page.getByRole('alert').getByText('passes the Host header').waitFor();
});

test('an import of many megabytes passes through it', async () => {
  const through = load.session.at(`http://localhost:${ports.http}`);
  const document = { version: 1, padding: 'x'.repeat(20 * MEGABYTE) };
  await until(async () => (await through.call('GET', '/readyz').catch(() => null))?.status === 200, { what: 'ready' });
  // Farwatch itself rejects the document, so it has read it.
  expect(await through.call('POST', '/api/import', document)).toMatchObject({
    status: 400, error: { code: 'VALIDATION_ERROR' },
  });
});

async function signIn(): Promise<void> {
  await page.getByLabel('Email address').fill('operator@example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Uses the manual's configuration, with its gaps filled in. */
async function startNginx(members: readonly Member[]): Promise<Service> {
  const manual = readFileSync('docs/operating.md', 'utf8');
  const [, example = ''] = /```nginx\n(.*?)```/s.exec(manual) ?? [];
  const addresses = members.map(({ url }) => new URL(url).host);
  return runNginx({
    ports: Object.values(ports), certificate: makeCertificate({ names: ['localhost'] }),
    sites: (tls) => `
      ${example
        .replace(/10\.0\.0\.(\d):3000/g, (_found, at: string) => addresses[Number(at) - 1] ?? '')
        .replace('# listen, ssl_certificate …', `
          listen 127.0.0.1:${ports.http};
          listen 127.0.0.1:${ports.https} ssl;
          ${tls}`)}
      server {
        listen 127.0.0.1:${ports.mistaken};
        location / { proxy_pass http://farwatch; }
      }`,
  });
}
