import type { ServerResponse } from 'node:http';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { connect, nkeyAuthenticator, type NatsConnection } from 'nats';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programFile } from '../bundle.mjs';
import type { Loose } from '../helpers/api-client.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { startReceiver, type ReceivedRequest, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';
import { ProbeProcess } from './probe/probe-process.ts';

/** In every surface, so that searching it can succeed. */
const CONTROL = 'control-of-the-search';
const CORES = ['canary-4711', 'canary-4712'];
const [SECRET, NEXT_SECRET] = CORES.map((core) => `S3cr3t+/=&"${core}`) as [string, string];
const ADDRESS = '127.0.0.77';
const EVERYTHING = 'latin1';

const logged: string[] = [];
const onBus: string[] = [];
const dataDir = mkdtempSync(join(tmpdir(), 'farwatch-secret-'));
let rig: ControllerRig;
let bus: NatsConnection;
let echo: Receiver;
let hidden: Receiver;
let alerts: Receiver;
let startProbe: (...args: string[]) => ProbeProcess;
let probe: ProbeProcess;
let variables: string;

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const bundle = await programFile('probe');
  rig = await startControllerRig({ LOG_LEVEL: 'trace', SECRETS_KEY: 'a-key-with-more-than-32-characters' }, undefined, log);
  bus = await connect({ servers: rig.nats.url, authenticator: nkeyAuthenticator(Buffer.from(rig.nats.controllerSeed)) });
  bus.subscribe('>', {
    callback: (_error, { subject, data, headers }) =>
      void onBus.push(`${subject} ${headers?.toString() ?? ''} ${Buffer.from(data).toString(EVERYTHING)}`),
  });
  await bus.flush();
  [echo, hidden, alerts] = await Promise.all([startReceiver(), startReceiver({ host: ADDRESS }), startReceiver()]);
  for (const each of [echo, hidden]) each.choose(() => repeatRequest);
  const { projects: [project] } = await rig.session.ok<Loose>('GET', '/api/projects');
  variables = `/api/projects/${project.id}/variables`;
  const { enrolment_token: token } = await rig.session.ok<Loose>('POST', '/api/probes', { region_id: 'local', name: 'one' });
  startProbe = (...args) => new ProbeProcess(bundle, dataDir, args, { LOG_LEVEL: 'trace' });
  probe = startProbe('--controller', rig.controller.url, '--token', token);
  await probe.connected();
});
afterAll(async () => {
  await probe?.end();
  await bus?.close();
  await rig?.stop();
  await Promise.all([echo, hidden, alerts].map((each) => each?.close()));
  rmSync(dataDir, { recursive: true, force: true });
});

/** A target that shows what it is sent, in several encodings. */
function repeatRequest(response: ServerResponse, { path, rawHeaders, body }: ReceivedRequest): void {
  const sent = [path, ...rawHeaders, body.toString()].join('\n');
  const inHeader = encodeURIComponent(sent);
  response.writeHead(503, CONTROL, {
    'x-echo': inHeader.slice(0, 900), 'x-base64': Buffer.from(sent).toString('base64').slice(0, 900),
  });
  response.end([CONTROL, path, sent, JSON.stringify(sent), Buffer.from(`x${sent}`).toString('base64url')].join('\n'));
}

/** The encodings in which a secret could appear, independent of what precedes and follows it. */
function formsOf(core: string): string[] {
  const bytes = Buffer.from(core);
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64url');
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
  return [core, encodeURIComponent(core), bytes.toString('hex'), ...base64];
}

/** The files below a folder, by their bytes. */
function filesIn(folder: string, isIncluded: (name: string) => boolean = () => true): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isIncluded);
  const paths = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
  return paths.map((path) => `${path}\n${readFileSync(path, EVERYTHING)}`).join('\n');
}

async function databaseText(): Promise<string> {
  const client = await MongoClient.connect(rig.store.url);
  const names = (await client.db().listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  const all = await Promise.all(names.map((name) => client.db().collection(name).find({}).toArray()));
  await client.close();
  return JSON.stringify(all, (_name, value: unknown) =>
    (value instanceof Uint8Array ? Buffer.from(value).toString(EVERYTHING) : value));
}

/** The folder of the embedded store; null with TEST_MONGODB_URL. */
function storeFolder(): string | null {
  const socket = /^mongodb:\/\/([^/?]+m\.sock)/.exec(rig.store.url)?.[1];
  return socket === undefined ? null : join(decodeURIComponent(socket), '..');
}

test('the value of a secret reaches the target, and nothing else but its sealed assignment', async () => {
  const { session } = rig;
  const texts: string[] = [];
  const record = async (method: string, path: string, body?: unknown): Promise<Loose> => {
    const response = await session.call(method, path, body);
    texts.push(JSON.stringify(response));
    expect(response.status, texts.at(-1)).toBeLessThan(300);
    return response.data;
  };
  const { variable: token } = await record('POST', variables, { name: 'token', value: SECRET, is_secret: true });
  await record('POST', variables, { name: 'address', value: ADDRESS, is_secret: true });
  await record('POST', '/api/integrations', { name: 'Hook', type: 'webhook', is_default: true, config: { url: alerts.url } });
  const common = { interval_seconds: 1, confirmation_policy: { retries: 0 } };
  const http = { ...common, type: 'HTTP', headers: { 'X-Token': 'a{{token}}b' } };
  const request = {
    ...http, name: `Echo ${CONTROL}`, target: `${echo.url}/{{token}}?q={{token}}`, method: 'POST',
    body: '{"token":"{{token}}"}', auth: { type: 'basic', username: 'user', password: '{{token}}' },
  };
  const monitors = [
    request,
    { ...http, name: 'Keyword', type: 'KEYWORD', target: echo.url, keywords: [{ text: 'no {{token}}' }], expected_status: [503] },
    { ...common, name: 'TCP', type: 'TCP', target: `127.0.0.1:${echo.port}`, send: 'GET /{{token}} HTTP/1.0\\r\\n\\r\\n', expect: 'never' },
    { ...common, name: 'Host', type: 'HTTP', target: `http://{{address}}:${hidden.port}/` },
    { ...common, name: 'Refused', type: 'HTTP', target: 'http://{{address}}:9/' },
  ];
  const ids: string[] = [];
  for (const each of monitors) ids.push((await record('POST', '/api/monitors', each)).monitor.id);
  await record('POST', '/api/monitors/test', { ...request, name: undefined, interval_seconds: undefined });
  await record('POST', `/api/monitors/${ids[0]}/check`);
  const sent = (value: string) => echo.requests.some(({ headers, body, path }) =>
    headers['x-token'] === `a${value}b` && body.toString().includes(value) && decodeURIComponent(path).includes(value)
    && Buffer.from(headers.authorization?.slice(6) ?? '', 'base64').toString() === `user:${value}`);
  await until(() => sent(SECRET), { what: 'the target gets the value' });
  await until(() => hidden.requests.length > 0, { what: 'a target whose address is a secret is checked' });
  for (const id of ids) {
    const evidence = async () => (await session.ok<Loose>('GET', `/api/monitors/${id}/evidence`)).evidence;
    await until(async () => (await evidence()).length > 0, { what: 'evidence of each monitor' });
  }
  const incidents = async () => (await session.ok<Loose>('GET', '/api/incidents?limit=100')).incidents;
  await until(async () => (await incidents()).length === ids.length, { what: 'an incident of each monitor' });
  const named = ({ body }: { body: Buffer }) => body.toString().includes(CONTROL);
  await until(() => alerts.requests.some(named), { what: 'an alert' });

  await probe.end();
  const changedAt = Date.now();
  const firstLog = JSON.stringify(probe.lines) + probe.stderr;
  await record('PATCH', `${variables}/${token.id}`, { value: NEXT_SECRET });
  probe = startProbe();
  await until(() => sent(NEXT_SECRET), { what: 'the probe has synchronized the new value' });
  const isRecent = ({ evidence }: Loose) => evidence[0].checked_at > changedAt;
  await until(async () => isRecent(await session.ok('GET', `/api/monitors/${ids[0]}/evidence`)));

  for (const id of ids) {
    for (const part of ['', '/evidence', '/results', '/regions']) await record('GET', `/api/monitors/${id}${part}`);
  }
  const lists = ['monitors', 'export', 'incidents?limit=100', 'audit-log?limit=100'].map((path) => `/api/${path}`);
  for (const path of [...lists, variables]) await record('GET', path);
  const { key } = await session.ok<Loose>('POST', '/api/auth/api-keys', { name: 'all', scope: 'read_write' });
  const headers = { 'x-api-key': key };
  const plain = await Promise.all(['/metrics', '/api/export?format=yaml'].map(async (path) =>
    (await fetch(rig.controller.url + path, { headers })).text()));
  const folder = storeFolder();
  const surfaces: Record<string, string> = {
    responses: texts.join('\n'), database: await databaseText(), bus: onBus.join('\n'),
    alerts: alerts.requests.map(({ body, headers: own }) => JSON.stringify(own) + body.toString()).join('\n'),
    ...(folder === null ? {} : { 'database files': filesIn(folder) }),
  };
  for (const [name, text] of Object.entries(surfaces)) expect(text.includes(CONTROL), `${name}: control`).toBe(true);
  Object.assign(surfaces, {
    metrics: plain[0], yaml: plain[1], 'log of the controller': logged.join('\n'),
    'log of the probe': firstLog + JSON.stringify(probe.lines) + probe.stderr,
    'spool of the probe': filesIn(dataDir, (name) => name.startsWith('spool')),
  });
  for (const [name, text] of Object.entries(surfaces)) {
    expect(text.length, name).toBeGreaterThan(100);
    for (const form of [...CORES.flatMap(formsOf), ADDRESS]) {
      const at = text.indexOf(form);
      expect(at < 0 ? null : text.slice(Math.max(0, at - 200), at + 100), `${form} in: ${name}`).toBeNull();
    }
  }
  expect(JSON.stringify(echo.requests.map(({ path }) => path)), 'what the search would find').toContain(CORES[0]);
});
