import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { ApiClient, type ApiResponse } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { linkIn } from '../helpers/read-mail.ts';
import { newPerson, PASSWORD, type Person } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

const OPT_IN = { 'x-farwatch-session': 'cookie' };
const WEEK_S = 7 * 86_400;

let app: TestApp;
let person: Person;
beforeAll(async () => {
  app = await makeApp();
  ({ person } = await newPerson(app));
});
afterAll(() => app.close());

/** Requests of a page in a browser that has this cookie. */
const page = (cookie: string, client = app.client): ApiClient => client.with({ ...OPT_IN, cookie });

const cookieOf = ({ headers }: ApiResponse): string => (headers.get('set-cookie') ?? '').split(';')[0] ?? '';

const logIn = (headers: Record<string, string> = OPT_IN, client = app.client): Promise<ApiResponse> =>
  client.with(headers).post('/api/auth/login', { email: person.email, password: person.password });

describe('the session of a page', () => {
  test('is in a cookie and not in the response if the page requests that', async () => {
    const response = await logIn();
    expect(response.data).toMatchObject({ token: null, expires_at: expect.stringMatching(/Z$/) as string });
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(
      new RegExp(`^farwatch_session=[\\w.-]{100,}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${WEEK_S}$`),
    )]);
    expect((await page(cookieOf(response)).get('/api/auth/me')).data.user.email).toBe(person.email);
    expect((await page(`a=b; ${cookieOf(response)}; c`).get('/api/monitors')).status).toBe(200);
  });

  test('is in the response otherwise', async () => {
    const response = await logIn({});
    expect(response.data.token).toMatch(/^[\w.-]{100,}$/);
    expect(response.headers.has('set-cookie')).toBe(false);
  });

  test('is in a cookie after every response that starts one', async () => {
    const registered = await page('').post(
      '/api/auth/register', { email: 'page@example.com', password: PASSWORD, name: 'Page' },
    );
    expect([registered.status, registered.data.token]).toEqual([201, null]);
    const first = cookieOf(registered);
    const changed = await page(first).post(
      '/api/auth/change-password', { current_password: PASSWORD, new_password: 'a new password 1' },
    );
    expect([changed.status, changed.data.token]).toEqual([200, null]);
    expect((await page(first).get('/api/auth/me')).code).toBe('INVALID_TOKEN');
    expect((await page(cookieOf(changed)).get('/api/auth/me')).status).toBe(200);

    await person.client.post('/api/organization/invitations', { email: 'page@example.com', role: 'viewer' });
    const mail = await until(() => app.mailsTo('page@example.com').find(({ text: body }) => {
      return body.includes('/accept-invitation');
    }), { what: 'the invitation' });
    const token = linkIn(mail, '/accept-invitation').searchParams.get('token');
    const credentials = { token, password: 'a new password 1' };
    const joined = await page('').post('/api/auth/accept-invitation', credentials);
    expect([joined.status, joined.data.token]).toEqual([200, null]);
    expect((await page(cookieOf(joined)).get('/api/auth/me')).data.organizations).toHaveLength(2);
  });

  test('ends with its cookie at sign-out, even if it had already ended', async () => {
    const ownPage = page(cookieOf(await logIn()));
    for (const [status, code] of [[200, undefined], [401, 'INVALID_TOKEN']] as const) {
      const out = await ownPage.post('/api/auth/logout');
      expect([out.status, out.code]).toEqual([status, code]);
      expect(out.headers.getSetCookie()).toEqual([
        'farwatch_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
      ]);
    }
    const without = await page('farwatch_session=').post('/api/auth/logout');
    expect([without.code, without.headers.has('set-cookie')]).toEqual(['MISSING_AUTH', true]);
  });

  test('is ignored if headers contain credentials, valid or not', async () => {
    const { person: other } = await newPerson(app);
    const ownPage = page(cookieOf(await logIn()));
    const { data: { key } } = await other.client.post('/api/auth/api-keys', { name: 'k' });
    const me = await ownPage.with({ authorization: `Bearer ${other.token}` }).get('/api/auth/me');
    expect(me.data.user.email).toBe(other.email);
    expect((await ownPage.with({ authorization: 'Bearer a.b.c' }).get('/api/auth/me')).code)
      .toBe('INVALID_TOKEN');
    expect((await ownPage.with({ 'x-api-key': key }).get('/api/auth/me')).code).toBe('JWT_REQUIRED');
    expect((await ownPage.with({ 'x-api-key': `fw_${'0'.repeat(64)}` }).get('/api/auth/me')).code)
      .toBe('INVALID_API_KEY');
  });
});

describe('another site', () => {
  const host = () => new URL(app.url).host;
  const foreign: [what: string, headers: () => Record<string, string>][] = [
    ['a form, an image or a link, which cannot send the header', () => ({ 'x-farwatch-session': '' })],
    ['another value of the header', () => ({ 'x-farwatch-session': 'header' })],
    ['another origin', () => ({ origin: 'https://evil.example' })],
    ['an origin that is hidden', () => ({ origin: 'null' })],
    ['an origin that begins alike', () => ({ origin: `${app.url}.evil.example` })],
    ['another port of the host', () => ({ origin: 'http://127.0.0.1:1' })],
    ['a page of another site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['a page of a sister domain', () => ({ 'sec-fetch-site': 'same-site' })],
    ['a page that claims two sites', () => ({ 'sec-fetch-site': 'same-origin, cross-site' })],
  ];

  test.each(foreign)('cannot use the cookie: %s', async (_what, headers) => {
    const ownPage = page(cookieOf(await logIn())).with(headers());
    const name = { name: 'Stolen' };
    const responses = [
      await ownPage.get('/api/auth/me'), await ownPage.post('/api/auth/logout'), await ownPage.get('/api/events'),
      await ownPage.post('/api/projects', name), await ownPage.patch('/api/organization', name),
    ];
    expect(responses.map(({ code }) => code)).toEqual(Array(responses.length).fill('MISSING_AUTH'));
    expect(responses.map((response) => response.headers.has('set-cookie'))).toEqual(responses.map(() => false));
  });

  test.each(foreign)('cannot have a browser store a session: %s', async (_what, headers) => {
    const response = await logIn({ ...OPT_IN, ...headers() });
    expect([response.status, response.headers.has('set-cookie')]).toEqual([200, false]);
  });

  test('is distinguished from a page of the same origin', async () => {
    const ownPage = page(cookieOf(await logIn()));
    const sent: Record<string, string>[] = [
      { origin: `http://${host()}` }, { origin: `https://${host()}` }, { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' }, { origin: app.url, 'sec-fetch-site': 'same-origin' },
    ];
    for (const headers of sent) {
      expect((await ownPage.with(headers).get('/api/auth/me')).status, JSON.stringify(headers)).toBe(200);
    }
  });

  test('is not allowed to send the header', async () => {
    for (const path of ['/api/auth/login', '/api/auth/logout', '/api/monitors']) {
      const preflight = await app.client.send('OPTIONS', path, { headers: {
        origin: 'https://evil.example', 'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-farwatch-session',
      } });
      expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

test('no response can be framed', async () => {
  const ownPage = page(cookieOf(await logIn()));
  for (const path of ['/api/auth/me', '/api/docs', '/reset-password', '/api/auth/nothing']) {
    const { headers } = await ownPage.get(path);
    expect(headers.get('x-frame-options'), path).toBe('DENY');
    expect(headers.get('content-security-policy'), path).toContain("frame-ancestors 'none'");
  }
});

describe('behind https', () => {
  let secure: TestApp;
  /** Sent to the controller directly, as a proxy does. */
  let direct: ApiClient;
  beforeAll(async () => {
    const port = await freePort();
    secure = await makeApp({ mongoUrl: app.mongoUrl, env: {
      PORT: String(port), BASE_URL: 'https://app.farwatch.example/', STATUS_PAGE_DOMAIN: 'pages.example',
    } });
    direct = new ApiClient(`http://127.0.0.1:${port}`, secure.routes);
  });
  afterAll(() => secure.close());

  test('the cookie is only for this host and never sent unencrypted', async () => {
    const response = await logIn(OPT_IN, direct);
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(
      /^__Host-farwatch_session=[\w.-]{100,}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=\d+$/,
    )]);
    const ownPage = page(cookieOf(response), direct);
    expect((await ownPage.get('/api/auth/me')).status).toBe(200);
    const planted = cookieOf(response).replace('__Host-', '');
    expect((await page(planted, direct).get('/api/auth/me')).code).toBe('MISSING_AUTH');
    expect((await ownPage.post('/api/auth/logout')).headers.get('set-cookie')).toBe(
      '__Host-farwatch_session=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0',
    );
  });

  test('a proxy may replace Host, because BASE_URL determines the origin', async () => {
    const ownPage = page(cookieOf(await logIn(OPT_IN, direct)), direct);
    const meOf = (origin: string) => ownPage.with({ origin }).get('/api/auth/me');
    expect((await meOf('https://app.farwatch.example')).status).toBe(200);
    expect((await meOf('http://app.farwatch.example')).code).toBe('MISSING_AUTH');
    expect((await meOf('https://app.farwatch.example:8443')).code).toBe('MISSING_AUTH');
  });

  test('the host of a status page neither sets nor reads it', async () => {
    const cookie = cookieOf(await logIn(OPT_IN, direct));
    const send = (host: string, method: string, path: string, body = '') => {
      return new Promise<{ status: number | undefined; cookie: unknown; body: string }>((resolve, reject) => {
        const headers = { ...OPT_IN, host, cookie, 'content-type': 'application/json' };
        request(direct.url + path, { method, headers }, (response) => {
          const { statusCode: status, headers: { 'set-cookie': set } } = response;
          text(response).then((read) => resolve({ status, cookie: set, body: read }), reject);
        }).on('error', reject).end(body);
      });
    };
    const credentials = JSON.stringify({ email: person.email, password: person.password });
    expect((await send('app.farwatch.example', 'POST', '/api/auth/login', credentials)).cookie).toBeDefined();
    for (const [method, path, body] of [
      ['POST', '/api/auth/login', credentials], ['POST', '/api/auth/logout', '{}'],
      ['GET', '/api/auth/me', ''],
    ] as const) {
      const response = await send('acme.pages.example', method, path, body);
      expect([response.status, response.cookie], path).toEqual([404, undefined]);
      expect(response.body).not.toContain(person.email);
    }
  });
});
