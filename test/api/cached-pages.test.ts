import { randomUUID } from 'node:crypto';
import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { newTenant } from '../helpers/tenants.ts';

const LIMIT = 40;

let app: TestApp;
let commands: string[] = [];
const note = (command: object): void => void commands.push(Object.keys(command)[0] ?? '');
let publish: () => Promise<string>;

beforeAll(async () => {
  app = await makeApp();
  const tenant = await newTenant(app);
  const pages = `/api/projects/${tenant.projectId}/status-pages`;
  publish = async () => {
    const body = { name: 'Acme', subdomain: `page-${randomUUID()}`, description: 'How we are. '.repeat(80) };
    const { id, subdomain } = (await tenant.writeKey.post(pages, body)).data.status_page;
    await tenant.writeKey.post(`${pages}/${id}/publish`);
    return subdomain;
  };
});
afterAll(() => app.close());

/** The response as it was sent. */
async function fetchRaw(path: string, headers: IncomingHttpHeaders = {}, method = 'GET', url = app.url) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${url}${path}`, { method, headers, agent: false }, resolve).once('error', reject).end();
  });
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

test.each([
  ['/status/', 'text/html; charset=utf-8', 'Accept-Language, Accept-Encoding'],
  ['/api/public/status-pages/', 'application/json; charset=utf-8', 'Accept-Encoding'],
])(
  '%s: the first reader and all others get the same, compressed if they accept it',
  async (start, type, vary) => {
    const path = start + (await publish());
    const unpack = { identity: (body: Buffer) => body, gzip: gunzipSync, br: brotliDecompressSync };
    const texts = new Set<string>();
    for (const encoding of ['identity', 'gzip', 'br'] as const) {
      const sent = { 'accept-encoding': encoding };
      const [first, second] = [await fetchRaw(path, sent), await fetchRaw(path, sent)];
      const facts = ({ headers: { date: _date, ...headers } }: typeof first) => ({
        ...headers, 'x-request-id': '', 'x-ratelimit-remaining': '', 'x-ratelimit-reset': '',
      });
      expect(facts(second)).toEqual(facts(first));
      expect(first.headers).toMatchObject({
        'content-type': type, vary, 'cache-control': 'public, max-age=1',
        'x-content-type-options': 'nosniff',
      });
      expect(first.headers['content-encoding'] ?? 'identity').toBe(encoding);
      for (const { body } of [first, second]) texts.add(String(unpack[encoding](body)));
    }
    expect(texts.size).toBe(1);
  },
);

test('clients with a current copy of a page get 304 without a body, by either validator', async () => {
  const path = `/status/${await publish()}`;
  const { headers: { etag } } = await fetchRaw(path);
  for (const held of [String(etag), `W/${etag}`]) {
    const { status, body, headers } = await fetchRaw(path, { 'if-none-match': held });
    expect([status, body.length, headers.etag]).toEqual([304, 0, etag]);
    expect(headers['cache-control']).toBe('public, max-age=1');
  }
  expect((await fetchRaw(path, { 'if-none-match': '"older"' })).status).toBe(200);
});

test('readers of the same language get the same bytes, others get different ones', async () => {
  const path = `/status/${await publish()}`;
  const tags: (string | undefined)[] = [];
  for (const language of ['de', 'fr;q=0.5, de;q=0.7', 'ja', 'ja']) {
    const { headers } = await fetchRaw(path, { 'accept-language': language });
    tags.push(headers.etag);
    expect(headers['content-language']).toBe(language.slice(-2) === 'ja' ? 'ja' : 'de');
  }
  for (const language of ['de', 'de']) {
    tags.push((await fetchRaw(`${path}?lang=${language}`, { 'accept-language': 'ja' })).headers.etag);
  }
  expect(tags).toEqual([0, 0, 2, 2, 0, 0].map((at) => tags[at]));
  expect(tags[2]).not.toBe(tags[0]);
});

test('HEAD has the headers of GET and no body', async () => {
  const path = `/status/${await publish()}`;
  const { headers } = await fetchRaw(path);
  const head = await fetchRaw(path, {}, 'HEAD');
  expect([head.status, head.body.length]).toEqual([200, 0]);
  expect(head.headers).toMatchObject({ etag: headers.etag, 'content-length': headers['content-length'] });
});

test('a hundred concurrent readers cost the database one read', async () => {
  // A read is valid for a second, which never passes on this clock.
  const still = await makeApp({
    mongoUrl: app.mongoUrl, clock: new SimulatedClock(Date.now()), onCommand: (command) => note(command),
  });
  const read = (subdomain: string) => fetchRaw(`/status/${subdomain}`, {}, 'GET', still.url);
  const [one, other] = [await publish(), await publish()];
  commands = [];
  expect((await read(one)).status).toBe(200);
  const once = commands.length;
  expect(once).toBeGreaterThan(0);
  commands = [];
  await Promise.all(Array.from({ length: 100 }, () => read(other)));
  expect(commands).toHaveLength(once);
  await still.close();
});

test('readers of cached pages are counted and limited like all others', async () => {
  const limited = await makeApp({ mongoUrl: app.mongoUrl, env: { RATE_LIMIT: String(LIMIT) } });
  const path = `/status/${await publish()}`;
  const statuses = [];
  for (let at = 0; at <= LIMIT; at += 1) statuses.push((await fetchRaw(path, {}, 'GET', limited.url)).status);
  const metrics = await fetchRaw('/metrics', {}, 'GET', limited.url);
  await limited.close();
  expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT);
  expect(statuses.at(-1)).toBe(429);
  expect(String(metrics.body)).toContain(
    `farwatch_http_requests_total{method="GET",route="/status/:subdomain",status="200"} ${LIMIT}`,
  );
});

test('on one connection, each response has its own id and counts for the client that the proxy reports', async () => {
  const proxied = await makeApp({ mongoUrl: app.mongoUrl, env: { RATE_LIMIT: '10', TRUST_PROXY: '1' } });
  const path = `${proxied.url}/status/${await publish()}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const seen: (string | undefined)[][] = [];
  for (const from of ['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.1', '192.0.2.2']) {
    const response = await new Promise<IncomingMessage>((resolve) => {
      request(path, { headers: { 'x-forwarded-for': from }, agent }, resolve).end();
    });
    await buffer(response);
    seen.push(['x-request-id', 'x-ratelimit-remaining'].map((name) => String(response.headers[name])));
  }
  agent.destroy();
  await proxied.close();
  expect(seen.map(([, remaining]) => remaining)).toEqual(['9', '9', '8', '7', '8']);
  const ids = new Set(seen.map(([id]) => id));
  expect(ids.size).toBe(5);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});
