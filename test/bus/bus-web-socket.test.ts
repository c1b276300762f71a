import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTcp, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, nkeyAuthenticator } from 'nats';
import { createUser, fromSeed } from 'nkeys.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import type { EnrolResponse } from '../../shared/contracts/enrolment.ts';
import { serverOptions } from '../../shared/nats-connection.ts';
import { programFile } from '../bundle.mjs';
import type { Loose } from '../helpers/api-client.ts';
import { makeCertificate } from '../helpers/certificate.ts';
import { ControllerProcess } from '../helpers/controller-process.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { makeApp } from '../helpers/make-app.ts';
import { testMongo } from '../helpers/mongo.ts';
import { startNats } from '../helpers/nats-server.ts';
import { OwnersBus } from '../helpers/owners-bus.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { Subscriber } from '../helpers/subscriber.ts';
import { startTarget, type Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import { ProbeProcess } from './probe/probe-process.ts';

const HANDSHAKE = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';

let rig: ControllerRig;
let busUrl = '';
const open: WebSocket[] = [];

beforeAll(async () => {
  const port = String(await freePort());
  const BASE_URL = `http://127.0.0.1:${port}/uptime`;
  rig = await startControllerRig({ PORT: port, BASE_URL, NATS_PUBLIC_URL: '', TRUST_PROXY: '1' });
  busUrl = `${rig.controller.url.replace('http', 'ws')}/api/bus`;
});
afterEach(() => open.splice(0).forEach((webSocket) => webSocket.terminate()));
afterAll(() => rig?.stop());

/** A WebSocket with what it has received. */
async function dial(headers: Record<string, string> = {}) {
  const webSocket = new WebSocket(busUrl, { headers });
  open.push(webSocket);
  const received: Buffer[] = [];
  webSocket.on('message', (data: Buffer) => received.push(data));
  const closed = new Promise<number>((resolve) => webSocket.on('close', resolve));
  await new Promise((resolve, reject) => webSocket.once('open', resolve).once('error', reject));
  const text = () => Buffer.concat(received).toString();
  await until(() => text().endsWith('\r\n') || webSocket.readyState === WebSocket.CLOSED, { what: 'INFO or the end' });
  return { webSocket, text, closed };
}

/** The same, admitted by NATS. */
async function dialAs(probe: TestProbe) {
  const dialed = await dial();
  const { nonce } = JSON.parse(dialed.text().slice('INFO '.length));
  const sig = Buffer.from(probe.user.sign(Buffer.from(nonce))).toString('base64url');
  dialed.webSocket.send(Buffer.from(`CONNECT ${JSON.stringify({ nkey: probe.publicKey, sig })}\r\nPING\r\n`));
  await until(() => dialed.text().includes('PONG'), { what: 'NATS admits the probe' });
  return dialed;
}

/** The whole response to a request whose connection the server closes. */
function send(lines: readonly string[], body = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp(Number(new URL(busUrl).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', reject);
    socket.on('close', () => resolve(text));
    socket.write(`${[...lines, 'Host: a'].join('\r\n')}\r\n\r\n${body}`);
  });
}

describe('a client over the bus', () => {
  test('gets the address below that of the API, and exchanges messages with the controllers', async () => {
    const probe = await rig.probe('direct');
    expect(probe.enrolment?.nats_url).toBe(busUrl);
    await probe.follow();
    const before = probe.revision;
    await rig.session.ok('POST', '/api/monitors', {
      name: 'Shop', type: 'TCP', target: '127.0.0.1:9', interval_seconds: 60,
    });
    probe.beat();
    await until(() => probe.revision > before, { what: 'an assignment arrives' });
    expect(probe.held.size).toBe(1);
  });

  test('cannot use another probe\'s subjects, and loses its connection within a second of its deletion', async () => {
    const probe = await rig.probe('revoked');
    const errors: string[] = [];
    void (async () => {
      for await (const { permissionContext } of probe.nats.status()) {
        if (permissionContext) errors.push(permissionContext.subject);
      }
    })();
    probe.nats.publish('beat.local.another', '{}');
    await until(() => errors.length > 0, { what: 'NATS refuses it' });
    expect(errors).toEqual(['beat.local.another']);
    const { probe_id: id } = probe.enrolment as EnrolResponse;
    await rig.session.ok('DELETE', `/api/probes/${id}`);
    await until(() => probe.nats.isClosed(), { what: 'the connection ends', timeoutMs: 1000 });
    const again = connect({
      ...await serverOptions(busUrl), authenticator: nkeyAuthenticator(probe.user.getSeed()), reconnect: false,
    });
    await expect(again).rejects.toMatchObject({ code: 'AUTHORIZATION_VIOLATION' });
  });

  test('may be a subscriber', async () => {
    const issued = await rig.session.ok<Loose>('POST', '/api/subscriptions', { name: 'Archive' });
    expect(issued['nats_url']).toBe(busUrl);
    const subscriber = await until(
      () => Subscriber.connect(issued as never).catch(() => null), { what: 'the subscriber connects' },
    );
    await subscriber.listen();
    await subscriber.nc.close();
  });

  test('is refused if NATS does not know its key', async () => {
    const stranger = connect({
      ...await serverOptions(busUrl), authenticator: nkeyAuthenticator(createUser().getSeed()), reconnect: false,
    });
    await expect(stranger).rejects.toMatchObject({ code: 'AUTHORIZATION_VIOLATION' });
  });
});

describe('the WebSocket', () => {
  test('begins with the INFO of NATS, which says nothing about the server\'s network', async () => {
    const { text } = await dial();
    const info = JSON.parse(text().slice('INFO '.length));
    expect(info).toMatchObject({ nonce: expect.any(String), max_payload: 1_048_576 });
    expect(info).not.toHaveProperty('client_ip');
    expect(info).not.toHaveProperty('connect_urls');
  });

  test('sends messages as large as NATS permits, in more than one frame', async () => {
    const probe = await rig.probe('longest');
    const subject = `beat.local.${(probe.enrolment as EnrolResponse).probe_id}`;
    probe.nats.publish(subject, 'x'.repeat(probe.nats.info?.max_payload ?? 0));
    await probe.nats.flush();
    expect(probe.nats.isClosed()).toBe(false);
  });

  test('is closed with 1003 by a text frame', async () => {
    const { webSocket, closed } = await dial();
    webSocket.send('PING\r\n');
    expect(await closed).toBe(1003);
  });

  test('is closed with 1009 by a frame larger than the payload limit', async () => {
    const { webSocket, closed } = await dialAs(await rig.probe('large'));
    webSocket.send(Buffer.alloc(1_048_577, '\n'));
    expect(await closed).toBe(1009);
  });

  test('ends when a client that NATS has not admitted sends more than 16 kB', async () => {
    const { webSocket, closed } = await dial();
    // Incomplete: the server would have to hold it.
    const { _socket: socket } = webSocket as unknown as { _socket: { write(data: Buffer): void } };
    socket.write(Buffer.concat([Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0]), Buffer.alloc(20_000)]));
    expect(await closed).toBe(1006);
  });

  test('gets pings while it is idle, before the shortest timeouts of proxies', async () => {
    const probe = await rig.probe('idle');
    const { webSocket } = await dialAs(probe);
    for (let pings = 0; pings < 2; pings += 1) await new Promise((resolve) => webSocket.once('ping', resolve));
    expect(webSocket.readyState).toBe(WebSocket.OPEN);
  });

  test('is closed with 1001 by a controller that stops', async () => {
    const { closed } = await dialAs(await rig.probe('stopped'));
    const startedAt = Date.now();
    await rig.restart(() => Promise.resolve());
    busUrl = `${rig.controller.url.replace('http', 'ws')}/api/bus`;
    expect(await closed).toBe(1001);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });
});

test('reaches a NATS server that requires TLS', async () => {
  const certificate = makeCertificate({ names: ['localhost'] });
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-tls-'));
  const authority = join(dir, 'ca.pem');
  writeFileSync(authority, certificate.cert);
  const [store, port, nats] = await Promise.all([
    testMongo(), freePort(),
    startNats({ tls: certificate, configure: (text) => text.replace('allow_non_tls: true', '') }),
  ]);
  const controller = await ControllerProcess.start(await programFile('controller'), {
    DATA_DIR: dir, PORT: String(port), MONGODB_URL: store.url, NATS_URL: nats.url.replace('nats://127.0.0.1', 'tls://localhost'),
    NATS_CREDS: nats.controllerCreds, NATS_USERS_FILE: nats.usersFile, NATS_PID_FILE: nats.pidFile,
    NODE_EXTRA_CA_CERTS: authority,
  });
  try {
    const url = `ws://127.0.0.1:${port}/api/bus`;
    const as = async (key: { getSeed(): Uint8Array }) => connect({
      ...await serverOptions(url), authenticator: nkeyAuthenticator(key.getSeed()), reconnect: false,
    });
    await expect(as(createUser())).rejects.toMatchObject({ code: 'AUTHORIZATION_VIOLATION' });
    const known = await as(fromSeed(Buffer.from(nats.controllerSeed)));
    await known.flush();
    await known.close();
  } finally {
    await controller.kill9();
    await Promise.all([nats.stop(), store.stop()]);
    rmSync(dir, { recursive: true, force: true });
  }
});

test('does not lead to a NATS server that admits everyone', async () => {
  const nats = createServer((socket) => socket.on('error', () => undefined).write('INFO {"max_payload":1048576} \r\n'));
  await new Promise<void>((resolve) => nats.listen(0, '127.0.0.1', resolve));
  const server = `127.0.0.1:${(nats.address() as AddressInfo).port}`;
  const app = await makeApp({ bus: Object.assign(new OwnersBus(), { server }) });
  const webSocket = new WebSocket(`${app.url.replace('http', 'ws')}/api/bus`);
  const received: unknown[] = [];
  webSocket.on('message', (data) => received.push(data));
  expect(await new Promise((resolve) => webSocket.once('close', resolve))).toBe(1013);
  expect(received).toEqual([]);
  await app.close();
  nats.close();
});

describe('requests', () => {
  test('without an upgrade, or with a malformed one, are invalid', async () => {
    const url = busUrl.replace('ws', 'http');
    const plain = await fetch(url);
    expect([plain.status, ((await plain.json()) as Loose)['error'].code]).toEqual([400, 'VALIDATION_ERROR']);
    const malformed = await send(['GET /api/bus HTTP/1.1', ...HANDSHAKE, 'Sec-WebSocket-Key: x', 'Connection: close']);
    expect(malformed).toMatch(/^HTTP\/1\.1 400 [\s\S]*"VALIDATION_ERROR"/);
  });

  test('for another protocol or path are served without the upgrade', async () => {
    const other = await send(['GET /healthz HTTP/1.1', ...HANDSHAKE, KEY, 'Connection: close']);
    expect(other).toMatch(/^HTTP\/1\.1 200 /);
    const body = JSON.stringify({ email: 'nobody@example.com', password: 'wrong password' });
    const http2 = await send([
      'POST /api/auth/login HTTP/1.1', 'Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__',
      'Content-Type: application/json', `Content-Length: ${body.length}`,
    ], body);
    expect(http2).toMatch(/^HTTP\/1\.1 401 [\s\S]*"INVALID_CREDENTIALS"/);
  });
});

describe('a probe', () => {
  let target: Target;
  let probe: ProbeProcess;
  let id = '';
  const dataDir = mkdtempSync(join(tmpdir(), 'farwatch-probe-'));
  beforeAll(async () => {
    target = await startTarget();
    const { key } = await rig.session.ok<Loose>('POST', '/api/regions/local/enrolment-keys', { name: 'rack' });
    const args = ['--controller', rig.controller.url];
    probe = new ProbeProcess(await programFile('probe'), dataDir, args, { FARWATCH_TOKEN: String(key) });
    await probe.connected();
    id = identity().enrolment.probe_id;
  });
  afterAll(async () => {
    await probe?.end('SIGKILL');
    await target?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const identity = (): Loose => JSON.parse(readFileSync(join(dataDir, 'identity.json'), 'utf8'));
  const reports = async (name: string): Promise<void> => {
    const { monitor } = await rig.session.ok<Loose>('POST', '/api/monitors', {
      name, type: 'HTTP', target: `${target.url}/${name}`, interval_seconds: 1,
    });
    await until(
      async () => (await rig.session.ok<Loose>('GET', '/api/monitors')).monitors
        .some((one: Loose) => one.id === monitor.id && one.runtimeStatus === 'up'),
      { what: `a result of ${name}` },
    );
  };

  test('enrols and reports results', async () => {
    expect(identity().enrolment.nats_url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/uptime\/api\/bus$/);
    await drainOthers();
    await reports('first');
  });

  test('replaces its keys', async () => {
    const { user_seed: first } = identity();
    await rig.session.ok('POST', `/api/probes/${id}/rotate-keys`);
    await until(() => {
      const { user_seed, next, former } = identity();
      return user_seed !== first && next === undefined && former === undefined;
    }, { what: 'only the new keys are left' });
    await reports('second');
  });

  test('is back after NATS was down', async () => {
    await rig.nats.kill9();
    await until(() => probe.logged('NATS link down'), { what: 'it notices' });
    await rig.nats.restart();
    await reports('third');
  });

  /** The probes of other tests run no checks. */
  async function drainOthers(): Promise<void> {
    const { probes } = await rig.session.ok<Loose>('GET', '/api/probes');
    for (const other of probes) if (other.id !== id) await rig.session.ok('DELETE', `/api/probes/${other.id}`);
  }
});
