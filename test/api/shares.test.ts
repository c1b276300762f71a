import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { SERVER_LIMITS } from '../../controller/http/limits/server-limits.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { OwnersBus } from '../helpers/owners-bus.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { newTenant, PASSWORD } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

const SHARE = 3;
let app: TestApp;
let commands = 0;

beforeAll(async () => {
  // Sign-ins: 10 per address, per account and per pair.
  app = await makeApp({
    env: { TRUST_PROXY: '1', RATE_LIMIT: '50' }, onCommand: () => (commands += 1),
  });
});
afterAll(() => app.close());

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const logIn = (email: string, password: string, address: string) =>
  app.client.post('/api/auth/login', { email, password }, from(address));

test('an address that guesses passwords gets 429 before any query, and others can sign in', async () => {
  const { body } = await app.client.post(
    '/api/auth/register', { email: 'victim@example.com', password: PASSWORD, name: 'V' }, from('192.0.2.1'),
  );
  expect(body.success).toBe(true);
  for (let at = 0; at < 10; at += 1) {
    expect((await logIn('victim@example.com', `wrong ${at}`, '2001:db8::1')).code).toBe('INVALID_CREDENTIALS');
  }
  const before = commands;
  const refused = await logIn('victim@example.com', PASSWORD, '2001:db8::2');
  expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  expect(Number(refused.headers.get('retry-after'))).toBe(refused.error.retryAfter);
  expect(refused.error.retryAfter).toBeGreaterThan(14 * 60);
  // Another account from the address that has used up its share, and work other than signing in.
  const others = await Promise.all([
    logIn('other@example.com', PASSWORD, '2001:db8::3'),
    app.client.post(
      '/api/auth/register', { email: 'n@example.com', password: PASSWORD, name: 'N' }, from('2001:db8::4'),
    ),
    app.client.post('/api/auth/reset-password', { token: 'x', password: PASSWORD }, from('2001:db8::5')),
    app.client.post('/api/auth/accept-invitation', { token: 'x', password: PASSWORD }, from('2001:db8::6')),
  ]);
  expect(others.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
  expect(commands).toBe(before);
  const { text } = await app.client.get('/metrics');
  expect(text).toMatch(/^farwatch_password_attempts_refused_total 5$/m);
});

test('guesses from many addresses are refused only for that account', async () => {
  await app.client.post(
    '/api/auth/register', { email: 'second@example.com', password: PASSWORD, name: 'S' }, from('192.0.2.9'),
  );
  expect((await logIn('second@example.com', PASSWORD, '192.0.2.9')).status).toBe(200);
  for (let at = 0; at < 10; at += 1) {
    const response = await logIn('second@example.com', 'wrong', `198.51.100.${at}`);
    expect(response.code).toBe('INVALID_CREDENTIALS');
  }
  const before = commands;
  expect((await logIn('second@example.com', PASSWORD, '198.51.100.77')).status).toBe(429);
  expect(commands).toBe(before);
  // Where the account has signed in before, the guesses do not lock it out.
  expect((await logIn('second@example.com', PASSWORD, '192.0.2.9')).status).toBe(200);
});

test('an address gets its share of connections and no more; others can connect', async () => {
  const limits = { ...SERVER_LIMITS, maxConnections: 50, maxConnectionsOfAddress: SHARE };
  const direct = await makeApp({ limits });
  const port = Number(new URL(direct.url).port);
  const open = (localAddress: string): Socket => connect({ port, host: '127.0.0.1', localAddress });
  const send = (localAddress: string) => new Promise<string>((resolve) => {
    let text = '';
    const socket = open(localAddress);
    socket.write('GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    socket.on('data', (chunk) => (text += chunk.toString())).on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
  const held = Array.from({ length: SHARE }, () => open('127.0.0.1'));
  await Promise.all(held.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  expect(await send('127.0.0.1')).toBe('');
  const other = await send('127.0.0.2');
  expect(other).toContain('HTTP/1.1 200');
  expect(other).toMatch(/^farwatch_http_connections_refused_total 1$/m);
  held.forEach((socket) => socket.destroy());
  await until(async () => (await send('127.0.0.1')).includes('HTTP/1.1 200'), { what: 'free places' });
  await direct.close();
});

test('near the limit of all connections, the largest holder loses its idle ones, least used first', async () => {
  const limits = { ...SERVER_LIMITS, maxConnections: 10, maxConnectionsOfAddress: 6 };
  const direct = await makeApp({ limits });
  const port = Number(new URL(direct.url).port);
  const closed: string[] = [];
  const held: Socket[] = [];
  /** Resolves once the server has responded on a connection that stays open. */
  const send = (socket: Socket) => new Promise<string>((resolve) => {
    socket.once('data', (chunk) => resolve(chunk.toString().split(' ')[1] ?? ''));
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  });
  const hold = async (localAddress: string, name: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    socket.on('close', () => closed.push(name));
    held.push(socket);
    expect(await send(socket)).toBe('200');
    return socket;
  };
  const greedy = [];
  for (let at = 0; at < 5; at += 1) greedy.push(await hold('127.0.0.1', `greedy ${at}`));
  for (let at = 0; at < 4; at += 1) await hold(`127.0.0.${at + 2}`, `modest ${at}`);
  expect(await send(greedy[0] as Socket)).toBe('200');
  for (const [at, name] of ['greedy 1', 'greedy 2'].entries()) {
    await hold(`127.0.0.${at + 6}`, `new ${at}`);
    await until(() => closed.length > at, { what: `${name} is closed` });
  }
  expect(closed).toEqual(['greedy 1', 'greedy 2']);
  held.forEach((socket) => socket.destroy());
  await direct.close();
});

test('an address gets its share of WebSockets, as the proxy reports it, and others keep theirs', async () => {
  const limits = { ...SERVER_LIMITS, maxConnections: 50, maxConnectionsOfAddress: SHARE };
  // Accepts connections and sends nothing.
  const nats = createServer();
  await new Promise<void>((resolve) => nats.listen(0, '127.0.0.1', resolve));
  const bus = Object.assign(new OwnersBus(), { server: `127.0.0.1:${(nats.address() as AddressInfo).port}` });
  const behind = await makeApp({ limits, bus, env: { TRUST_PROXY: '1' } });
  const held: WebSocket[] = [];
  const dial = (address: string) => new Promise<string>((resolve) => {
    const webSocket = new WebSocket(`${behind.url.replace('http', 'ws')}/api/bus`, from(address));
    held.push(webSocket);
    webSocket.on('open', () => resolve('open')).on('error', () => resolve('refused'));
  });
  const opened = Array.from({ length: SHARE + 1 }, () => dial('192.0.2.1'));
  expect((await Promise.all(opened)).sort()).toEqual(['open', 'open', 'open', 'refused']);
  expect(await dial('192.0.2.2')).toBe('open');
  const { text } = await behind.client.get('/metrics');
  expect(text).toMatch(/^farwatch_http_connections_refused_total 1$/m);
  held.forEach((webSocket) => webSocket.terminate());
  await behind.close();
  nats.close();
});

test('an organization that simulates nonstop does not block others', async () => {
  const busy = await makeApp();
  const [greedy, modest] = [await newTenant(busy), await newTenant(busy)];
  let release = (): void => undefined;
  const running = busy.controller.monitors.simulations.run('running', () => new Promise<void>((end) => (release = end)));
  const simulate = async ({ writeKey }: typeof greedy) => {
    const body = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
    const { id } = (await writeKey.post('/api/monitors', body)).data.monitor;
    return () => writeKey.post(`/api/monitors/${id}/simulate`, { confirmation_policy: { retries: 0 }, from: 0 });
  };
  const [ofGreedy, ofModest] = [await simulate(greedy), await simulate(modest)];
  const refused: (string | null)[] = [];
  const flood = Array.from({ length: 8 }, async () => {
    const response = await ofGreedy();
    if (response.code === 'RATE_LIMIT_EXCEEDED') refused.push(response.headers.get('retry-after'));
    return response.status;
  });
  await until(() => refused.length > 0, { what: 'those beyond five are refused' });
  const own = ofModest();
  await until(() => refused.length === 3, { what: 'the others wait' });
  release();
  expect((await own).status).toBe(200);
  expect((await Promise.all(flood)).filter((status) => status === 200)).toHaveLength(5);
  expect(refused).toEqual(['5', '5', '5']);
  await running;
  await busy.close();
});

test('names of destinations are resolved on behalf of their organization', async () => {
  const attempted: string[][] = [];
  const named = await makeApp({
    resolve: async (...both) => {
      attempted.push(both);
      return ['93.184.216.34'];
    },
  });
  const { owner, organizationId } = await newTenant(named);
  for (const [type, config] of [
    ['webhook', { url: 'https://hook.example/' }], ['slack', { webhook_url: 'https://chat.example/' }],
  ]) {
    const created = await owner.client.post('/api/integrations', { name: type, type, config });
    expect(created.status, created.text).toBe(201);
  }
  expect(attempted).toEqual([['hook.example', organizationId], ['chat.example', organizationId]]);
  await named.close();
});

test('imports whose bodies arrive slowly take no turns, and are aborted', async () => {
  const clock = new SimulatedClock(Date.now());
  const busy = await makeApp({ clock });
  const { hostname, port } = new URL(busy.url);
  const slow = await Promise.all(Array.from({ length: 4 }, async () => {
    const { writeKeyText } = await newTenant(busy);
    const seen = { text: '', isClosed: false };
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.on('data', (chunk) => (seen.text += chunk.toString())).on('close', () => (seen.isClosed = true));
    const lines = ['POST /api/import HTTP/1.1', 'Host: a', `X-API-Key: ${writeKeyText}`, 'Content-Length: 50000'];
    socket.write([...lines, 'Content-Type: application/json', '', '{'].join('\r\n'));
    return seen;
  }));
  const modest = await newTenant(busy);
  expect((await modest.writeKey.post('/api/import', { monitors: [] })).status).toBe(200);
  await until(async () => {
    await clock.advance(1000);
    return slow.every(({ isClosed }) => isClosed);
  }, { what: 'the slow ones are aborted' });
  for (const { text } of slow) expect(text).toMatch(/^HTTP\/1\.1 400 [^]*Request body arrives too slowly/);
  await busy.close();
});

test('an organization that imports nonstop delays another by at most one import', async () => {
  const busy = await makeApp();
  const [greedy, modest] = [await newTenant(busy), await newTenant(busy)];
  const document = (name: string, count: number) => ({
    monitors: Array.from({ length: count }, (_none, at) => ({
      name: `${name} ${at}`, type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60,
    })),
  });
  const ended: string[] = [];
  const flood = Array.from({ length: 20 }, async (_none, at) => {
    const response = await greedy.writeKey.post('/api/import', document(`flood ${at}`, 50));
    ended.push('greedy');
    return response;
  });
  const own = modest.writeKey.post('/api/import', document('own', 1)).finally(() => ended.push('modest'));
  const responses = await Promise.all(flood);
  expect((await own).status).toBe(200);
  // One runs and five wait.
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(6);
  const refused = responses.filter(({ code }) => code === 'RATE_LIMIT_EXCEEDED');
  expect(refused).toHaveLength(14);
  expect(refused[0]?.headers.get('retry-after')).toBe('10');
  expect(ended.indexOf('modest')).toBeLessThan(ended.lastIndexOf('greedy'));
  expect((await busy.client.get('/metrics')).text).toMatch(/^farwatch_documents_refused_total 14$/m);
  await busy.close();
});
