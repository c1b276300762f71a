import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiResponse } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { linkIn } from '../helpers/read-mail.ts';
import { newPerson, PASSWORD } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
beforeAll(async () => {
  app = await makeApp({ env: { REGISTRATION: 'open' } });
  // The first account needs no verification.
  await newPerson(app);
});
afterAll(() => app.close());

async function linkTo(email: string, page: string): Promise<URL> {
  const find = () => app.mailsTo(email).filter((mail) => mail.text.includes(`/${page}?`)).at(-1);
  return linkIn(await until(find, { what: `a mail with ${page}` }), `/${page}`);
}
const openPage = (link: URL) => app.client.get(`${link.pathname}${link.search}`);
/** Submits the page's form as a browser without JavaScript would. */
function submit(link: URL, page: ApiResponse, fields: Record<string, string>): Promise<ApiResponse> {
  const action = /<form method="post" action="([^"]+)">/.exec(page.text)?.[1] ?? '';
  const token = /name="token" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
  const target = new URL(action, link);
  return app.client.send('POST', target.pathname, {
    rawBody: new URLSearchParams({ token, ...fields }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

async function newAccount(): Promise<string> {
  const email = `m${Math.random().toString(36).slice(2)}@example.com`;
  await app.client.post('/api/auth/register', { email, password: PASSWORD, name: 'New' });
  return email;
}

describe('a mailed link opens a page that', () => {
  test('verifies the address only when its form is submitted', async () => {
    const email = await newAccount();
    const link = await linkTo(email, 'verify-email');
    const verified = async () =>
      (await app.db.collection('users').findOne({ email }))?.['email_verified'] as boolean;
    const page = await openPage(link);
    for (let at = 0; at < 3; at += 1) expect((await openPage(link)).status).toBe(200);
    expect((await app.client.send('HEAD', `${link.pathname}${link.search}`)).status).toBe(200);
    expect(await verified()).toBe(false);
    const done = await submit(link, page, {});
    expect([done.status, done.text]).toEqual([200, expect.stringContaining(email)]);
    expect(await verified()).toBe(true);
    expect(done.text).toContain('<a href="sign-in">');
    const again = await submit(link, page, {});
    expect(again.status).toBe(400);
    expect(again.text).toContain('This link is not valid');
  });

  test('changes the password, and shows the form again when the new one is too short', async () => {
    const { person } = await newPerson(app);
    await app.client.post('/api/auth/forgot-password', { email: person.email });
    const link = await linkTo(person.email, 'reset-password');
    const page = await openPage(link);
    expect(page.text).toMatch(/<label for="password">/);
    expect(page.text).toContain('autocomplete="new-password"');
    const short = await submit(link, page, { password: 'short' });
    expect(short.status).toBe(400);
    expect(short.text).toMatch(/<p class="bad" role="alert">Password must be at least 10 characters<\/p>/);
    expect(short.text).not.toContain('value="short"');
    expect((await submit(link, short, { password: 'a quite new password' })).status).toBe(200);
    expect((await app.client.post(
      '/api/auth/login', { email: person.email, password: 'a quite new password' },
    )).status)
      .toBe(200);
  });

  test('is in the reader\'s language, including its error messages', async () => {
    const headers = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' };
    const page = await app.client.send('GET', '/reset-password?token=dead', { headers });
    expect([page.headers.get('content-language'), page.text]).toEqual(['de', expect.stringContaining('Neues Passwort wählen')]);
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
    const short = await app.client.send('POST', '/reset-password', { rawBody: 'token=dead&password=short', headers: form });
    expect(short.text).toContain('Das Passwort muss 10 bis 200 Zeichen haben');
    const dead = await app.client.send('POST', '/verify-email', { rawBody: 'token=dead', headers: form });
    expect([dead.status, dead.text]).toEqual([400, expect.stringContaining('Dieser Link ist ungültig')]);
    expect((await app.client.send('GET', '/stop-alerts?token=dead', { headers })).text).toContain('Etwas ist schiefgegangen');
    const other = await app.client.send('GET', '/reset-password', { headers: { 'accept-language': 'fr' } });
    expect(other.headers.get('content-language')).toBe('en');
  });

  test('runs no script, loads nothing, sends no referrer and is not cached', async () => {
    const page =
      await openPage(new URL(`${app.url}/verify-email?token=${'a'.repeat(64)}&utm_source=mail&_hsmi=1`));
    const policy = page.headers.get('content-security-policy') ?? '';
    const style = /<style>([\s\S]*)<\/style>/.exec(page.text)?.[1] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.text).not.toMatch(/<script|<link|<img|https?:\/\//);
    expect(page.text).toContain('<html lang="en">');
    expect(style).toContain('prefers-color-scheme: dark');
  });

  test('shows any token as text', async () => {
    const page =
      await app.client.get(`/reset-password?token=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('<script>');
  });

  test('accepts only forms, and returns errors as a page', async () => {
    for (const rawBody of ['token=a&token=b', 'token=a&admin=true', `token=${'x'.repeat(2000)}`]) {
      const response = await app.client.send(
        'POST', '/verify-email',
        { rawBody, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      );
      expect([response.status, response.headers.get('content-type')], rawBody.slice(0, 30)).toEqual([
        400, 'text/html; charset=utf-8',
      ]);
    }
    const json = await app.client.post('/verify-email', { token: 'a' });
    expect([json.status, json.text]).toEqual([
      400, expect.stringContaining('application/x-www-form-urlencoded'),
    ]);
    const form = {
      rawBody: 'email=a%40b.example&password=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    expect((await app.client.send('POST', '/api/auth/login', form)).code).toBe('INVALID_INPUT');
  });
});
