import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { ApiClient } from '../helpers/api-client.ts';
import { makeCertificate } from '../helpers/certificate.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { PASSWORD } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';
import { runNginx } from '../services/nginx.ts';
import type { Service } from '../services/service.ts';
import { DESKTOP, openConsole, type ConsoleRig } from './console-rig.ts';
import { publishPage } from './seeded-page.ts';

/** The manual's configurations for nginx: the whole one, and the locations of each setup below a path. */
const MANUAL = [...readFileSync('docs/operating.md', 'utf8').matchAll(/```nginx\n(.*?)```/gs)]
  .map(([, text]) => text as string);
const [WHOLE = '', PASSED_ON = '', STRIPPED = ''] = MANUAL;

let rig: ConsoleRig;
let nginx: Service | null = null;
const ports = { controller: 0, passedOn: 0, stripped: 0 };

beforeAll(async () => {
  for (const name of ['controller', 'passedOn', 'stripped'] as const) ports[name] = await freePort();
  const BASE_URL = `https://localhost:${ports.passedOn}/uptime`;
  const [upstream = ''] = /upstream farwatch \{.*?\n\}/s.exec(WHOLE) ?? [];
  nginx = await runNginx({
    ports: [ports.passedOn, ports.stripped], certificate: makeCertificate({ names: ['localhost'] }),
    sites: (tls) => `
      ${upstream.replace(/10\.0\.0\.\d:3000/g, `127.0.0.1:${ports.controller}`)}
      server { listen 127.0.0.1:${ports.passedOn} ssl; ${tls} ${locations(PASSED_ON)} }
      server { listen 127.0.0.1:${ports.stripped} ssl; ${tls} ${locations(STRIPPED)} }`,
  });
  rig = await openConsole({ env: { PORT: String(ports.controller), BASE_URL, TRUST_PROXY: '1' } });
});
afterAll(async () => {
  await rig?.close();
  await nginx?.stop();
});

/** Locations below a path, with the other lines of the same location in the whole configuration in place of `…`. */
function locations(below: string): string {
  const others = new Map([...WHOLE.matchAll(/ location (?:= )?(\S+) \{\n *proxy_pass [^\n]*\n(.*?)\n {2}\}/gs)]
    .map(([, path, lines]) => [path, lines]));
  return below.replace(/^location (?:= )?\/uptime(\S+) \{(.*)…/gm, (line, path: string) => (
    line.replace('…', `\n${others.get(path) ?? others.get('/')}\n`)
  ));
}

const SETUPS = [['passes the path on', 'passedOn'], ['strips the path', 'stripped']] as const;
test.each(SETUPS.slice(0, fewOrAll(1, SETUPS.length)))(
  'the console and a public page work below a path behind nginx that %s', async (_what, setup) => {
    const origin = `https://localhost:${ports[setup]}`;
    const context = await rig.browser.newContext({ ...DESKTOP, locale: 'en-GB', ignoreHTTPSErrors: true });
    context.setDefaultTimeout(60_000);
    try {
      const page = await context.newPage();
      const [outside, failed]: [string[], string[]] = [[], []];
      page.on('request', (request) => {
        if (!request.url().startsWith(`${origin}/uptime/`) && !request.url().startsWith('data:')) outside.push(request.url());
      });
      page.on('response', (response) => {
        if (response.status() >= 400 && response.status() !== 401) failed.push(response.url());
      });
      await page.goto(`${origin}/uptime/`);
      await signUp(page, `${setup}@example.com`, origin);
      expect(await context.cookies()).toMatchObject([
        { name: '__Secure-farwatch_session', path: '/uptime', secure: true, httpOnly: true, sameSite: 'Strict' },
      ]);

      await page.goto(`${origin}/uptime/monitors/new`);
      await page.getByLabel('Target').fill('https://shop.example/cart');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.waitForURL(/\/uptime\/monitors\/[0-9a-f-]{36}$/);
      await page.getByRole('heading', { level: 1, name: 'shop.example' }).waitFor();
      const deepLink = page.url();
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'shop.example' }).waitFor();
      await page.getByRole('status').getByText('Live').waitFor();
      await expect.poll(() => page.url()).toBe(deepLink);
      await page.getByRole('link', { name: 'Incidents' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'shop.example' }).waitFor();
      await expect.poll(() => page.url()).toBe(deepLink);

      const client = new ApiClient(`http://127.0.0.1:${ports.controller}`, rig.app.routes);
      const { subdomain } = await publishPage({ ...rig.app, client });
      await page.goto(`${origin}/uptime/status/${subdomain}`);
      await page.getByRole('link', { name: 'Payments fail' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Payments fail' }).waitFor();
      await page.getByRole('link', { name: 'Back' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor();
      expect([outside, failed]).toEqual([[], []]);
    } finally {
      await context.close();
    }
  },
);

/** The first user is the operator; each later one verifies an address by mail. */
async function signUp(page: Page, email: string, origin: string): Promise<void> {
  const isFirst = email.startsWith('passedOn');
  if (!isFirst) await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: isFirst ? 'Create operator account' : 'Create an account' }).click();
  if (isFirst) return page.getByRole('heading', { level: 1, name: 'Welcome, Ada' }).waitFor();
  const mail = await until(() => rig.app.mailsTo(email)[0], { what: 'the mail' });
  const [, path = ''] = /https:\/\/localhost:\d+(\/uptime\/verify-email\S+)/.exec(mail.text) ?? [];
  await page.goto(`${origin}${path}`);
  await page.getByRole('button', { name: 'Verify address' }).click();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor();
}
