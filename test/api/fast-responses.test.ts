import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../shared/time.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
let path: string;

beforeAll(async () => {
  app = await makeApp();
  const tenant = await newTenant(app);
  const pages = `/api/projects/${tenant.projectId}/status-pages`;
  const body = { name: 'Acmé ✓', subdomain: `page-${randomUUID()}`, description: 'How we are. '.repeat(80) };
  const { id, subdomain } = (await tenant.writeKey.post(pages, body)).data.status_page;
  await tenant.writeKey.post(`${pages}/${id}/publish`);
  path = `/status/${subdomain}`;
});
afterAll(() => app.close());

const dial = (url = app.url) => connect(Number(new URL(url).port), '127.0.0.1');

/** A request with keep-alive. */
const requestText = (method = 'GET', headers: string[] = [], of = path) =>
  `${[`${method} ${of} HTTP/1.1`, 'Host: a', 'Accept-Encoding: br', ...headers].join('\r\n')}\r\n\r\n`;

interface RawResponse {
  line: string;
  headers: Record<string, string>;
  body: string;
}

/** Parses the received latin1 text into the responses to requests with these methods. */
function responsesIn(text: string, methods: string[]): RawResponse[] {
  const responses: RawResponse[] = [];
  let at = 0;
  for (const method of methods) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end === -1) break;
    const [line = '', ...fields] = text.slice(at, end).split('\r\n');
    const headers = Object.fromEntries(fields.map((field) => field.split(/: (.*)/s).slice(0, 2)));
    const bytes = method === 'HEAD' || line.includes(' 304 ') ? 0 : Number(headers['Content-Length']);
    const body = text.slice(end + 4, end + 4 + bytes);
    if (body.length < bytes) break;
    at = end + 4 + bytes;
    responses.push({ line, headers, body });
  }
  return responses;
}

/** All responses on a connection that sends these requests at once, or each after the previous response. */
async function converse(requests: string[], atOnce: boolean, socket = dial()): Promise<RawResponse[]> {
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  const methods = requests.map((request) => request.split(' ')[0] as string);
  const has = (count: number) => until(() => responsesIn(text, methods).length >= count, { what: `response ${count}` });
  if (atOnce) socket.write(requests.join(''));
  for (const [at, request] of requests.entries()) {
    if (!atOnce) socket.write(request);
    await has(at + 1);
  }
  socket.destroy();
  return responsesIn(text, methods);
}

/** Everything received until the server ends the connection. */
async function untilEnd(request: string): Promise<RawResponse> {
  const socket = dial();
  socket.write(request);
  return responsesIn((await buffer(socket)).toString('latin1'), ['GET'])[0] as RawResponse;
}

/** Removes what differs between any two requests. */
function same({ line, headers: { Date: _date, ...headers }, body }: RawResponse): RawResponse {
  const own = { 'X-Request-ID': '', 'X-RateLimit-Remaining': '', 'X-RateLimit-Reset': '' };
  return { line, headers: { ...headers, ...own }, body };
}

const CLOSING = ['Connection: close'];

test('a cached page has the bytes that Node would send, with or without keep-alive', async () => {
  const [first, second, third] = await converse([requestText(), requestText(), requestText()], false);
  expect(second?.line).toBe('HTTP/1.1 200 OK');
  expect(Object.keys(second?.headers ?? {}).slice(-3)).toEqual(['Date', 'Connection', 'Keep-Alive']);
  expect(second?.headers).toMatchObject({ Connection: 'keep-alive', 'Keep-Alive': 'timeout=65' });
  expect(Math.abs(Date.parse(second?.headers['Date'] ?? '') - systemClock.now())).toBeLessThan(60_000);
  expect(same(second as RawResponse)).toEqual(same(first as RawResponse));
  expect(same(third as RawResponse)).toEqual(same(second as RawResponse));
  const { 'Keep-Alive': _time, ...headers } = same(second as RawResponse).headers;
  const closed = { ...same(second as RawResponse), headers: { ...headers, Connection: 'close' } };
  expect(same(await untilEnd(requestText('GET', CLOSING)))).toEqual(closed);
  expect(same(await untilEnd(requestText('GET', []).replace('HTTP/1.1', 'HTTP/1.0')))).toEqual(closed);
});

test('HEAD and 304 end after their headers', async () => {
  const [page] = await converse([requestText()], false);
  const held = [`If-None-Match: ${page?.headers['ETag']}`];
  const [head, unchanged, whole] = await converse([requestText('HEAD'), requestText('GET', held), requestText()], false);
  expect(head).toMatchObject({ line: 'HTTP/1.1 200 OK', body: '' });
  expect(head?.headers['Content-Length']).toBe(page?.headers['Content-Length']);
  expect(unchanged).toMatchObject({ line: 'HTTP/1.1 304 Not Modified', body: '' });
  expect(unchanged?.headers).not.toHaveProperty('Content-Length');
  expect(whole?.body).toBe(page?.body);
});

test('pipelined requests get their responses in order', async () => {
  await converse([requestText()], false);
  const requests = [requestText(), requestText('GET', [], '/healthz'), requestText('HEAD'), requestText(), requestText('GET', [], '/none'), requestText()];
  const responses = await converse(requests, true);
  expect(responses.map(({ line, headers }) => [line.split(' ')[1], headers['Content-Type']?.split(';')[0]])).toEqual([
    ['200', 'text/html'], ['200', 'application/json'], ['200', 'text/html'], ['200', 'text/html'],
    ['404', 'application/json'], ['200', 'text/html'],
  ]);
});

test('data that is not HTTP is rejected after a cached page', async () => {
  await converse([requestText()], false);
  const socket = dial();
  socket.write(`${requestText()}hello\r\n\r\n`);
  const text = (await buffer(socket)).toString('latin1');
  const [page, refusal] = responsesIn(text, ['GET', 'GET']);
  expect([page?.line, refusal?.line]).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 400 Bad Request']);
});

test('a slow reader gets the whole page, even while the server stops', async () => {
  const other = await makeApp({ mongoUrl: app.mongoUrl });
  const plain = requestText().replace('Accept-Encoding: br', 'Accept-Encoding: identity');
  const [{ body }] = (await converse([plain], false, dial(other.url))) as [RawResponse];
  const socket: Socket = dial(other.url);
  // More than the system buffers for a reader, so the server must.
  const requests = Array.from({ length: Math.ceil(12e6 / body.length) }, () => plain);
  socket.write(requests.join(''));
  await once(socket, 'readable');
  await until(() => socket.writableLength === 0);
  const closing = other.close();
  const text = (await buffer(socket)).toString('latin1');
  await closing;
  const responses = responsesIn(text, requests.map(() => 'GET'));
  expect(responses.length).toBeGreaterThan(0);
  expect(text.slice(-20)).toBe(body.slice(-20));
  for (const response of responses) expect(response.body).toBe(body);
});
