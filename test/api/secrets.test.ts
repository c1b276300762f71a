import { Writable } from 'node:stream';
import { MongoClient } from 'mongodb';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Loose } from '../helpers/api-client.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';

const PASSWORD = 'canary-password-1';
const NEW_PASSWORD = 'canary-password-2';

let rig: ControllerRig;
let token: string;
const lines: string[] = [];
const responses: string[] = [];

/** Every secret that authorizes its holder. */
const usable: Record<string, string> = { PASSWORD, NEW_PASSWORD };

async function call(
  method: string, path: string, body?: Loose, headers: Record<string, string> = {},
): Promise<Loose> {
  const credential: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(rig.controller.url + path, {
    method, headers: { 'content-type': 'application/json', ...credential, ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status >= 400) responses.push(text);
  return JSON.parse(text);
}

beforeAll(async () => {
  const log = pino(
    { level: 'trace' },
    new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) }),
  );
  rig = await startControllerRig({ REGISTRATION: 'open', LOG_LEVEL: 'trace' }, undefined, log);
  const registered = await call(
    'POST', '/api/auth/register', { email: 'canary@example.com', password: PASSWORD, name: 'Canary' },
  );
  await call('POST', '/api/auth/login', { email: 'canary@example.com', password: 'wrong-canary-password' });
  usable['session'] = registered.data.token;
  const db = (await MongoClient.connect(rig.store.url)).db();
  await db.collection<{ _id: string }>('users').updateOne(
    { _id: registered.data.user.id }, { $set: { email_verified: true } },
  );
  await db.client.close();
  token = usable['session'] as string;
  usable['session after the change'] = (await call(
    'POST', '/api/auth/change-password', { current_password: PASSWORD, new_password: NEW_PASSWORD },
  )).data.token;
  token = usable['session after the change'] as string;
  const key = (await call('POST', '/api/auth/api-keys', { name: 'canary', scope: 'read_write' })).data;
  usable['api key'] = key.key;
  usable['rotated api key'] = (await call('POST', `/api/auth/api-keys/${key.id}/rotate`)).data.key;
  await call('POST', '/api/auth/forgot-password', { email: 'canary@example.com' });
  await call('POST', '/api/organization/invitations', { email: 'guest@example.com', role: 'viewer' });
  await call('POST', '/api/regions', { id: 'canary', name: 'Canary', city: 'Berlin', country: 'DE' });
  usable['enrolment token'] = (await call(
    'POST', '/api/probes', { region_id: 'canary', name: 'Canary' },
  )).data.enrolment_token;
});
afterAll(() => rig.stop());

test('a copy of the database contains no usable password, session, key or token', async () => {
  const client = await MongoClient.connect(rig.store.url);
  const { collections } = rig.commands;
  expect(collections.size).toBeGreaterThan(10);
  const contents = [...collections].map((name) => client.db().collection(name).find({}).toArray());
  const dump = JSON.stringify(await Promise.all(contents));
  await client.close();
  expect(dump).toContain('canary@example.com');
  for (const [name, secret] of Object.entries(usable)) {
    expect(secret.length, name).toBeGreaterThan(10);
    expect(dump.includes(secret), name).toBe(false);
    expect(dump.includes(secret.replace(/^fw_/, '')), `${name} without its prefix`).toBe(false);
    expect(dump.includes(Buffer.from(secret).toString('base64')), `${name} in base64`).toBe(false);
  }
  expect(dump).not.toMatch(/"(?:token|password|key)":"(?:fw_)?[0-9a-f]{32,}"/);
});

test('no secret of a request or response appears in an error or in the log, even at its most detailed level', async () => {
  const secret = 'canary-of-a-target';
  const monitor = {
    name: 'Canary', type: 'HTTP', target: `https://shop.example/?access_token=${secret}-query`,
    interval_seconds: 60, headers: { 'X-Token': `${secret}-header` },
  };
  const made = await call('POST', '/api/monitors', {
    ...monitor, body: `${secret}-body`, method: 'POST',
    auth: { type: 'basic', username: 'u', password: `${secret}-auth` },
  });
  expect(made.data?.monitor.name, JSON.stringify(made)).toBe('Canary');
  const beat = (await call(
    'POST', '/api/monitors', { name: 'Beat', type: 'HEARTBEAT', heartbeat_interval: 60, grace_period: 60 },
  )).data.monitor.heartbeat_token;
  await call('POST', `/api/heartbeat/${beat}`, {});
  const hook = {
    name: 'Canary', type: 'slack', config: { webhook_url: `https://hooks.example.com/services/${secret}` },
  };
  const id = (await call('POST', '/api/integrations', hook)).data?.integration?.id as string | undefined;
  const signed = {
    name: 'Signed', type: 'webhook',
    config: { url: 'https://hooks.example.com/x', headers: { 'X-Token': `${secret}-hook` } },
  };
  const webhook = (await call('POST', '/api/integrations', signed)).data.integration.id;
  const signing = (await call('GET', `/api/integrations/${webhook}/secret`)).data.secret;
  await call('POST', `/api/integrations/${webhook}/test`);
  expect(id).toBeDefined();
  responses.length = 0;
  await call('POST', '/api/monitors', {
    ...monitor, interval_seconds: 'x', auth: { type: 'basic', username: 1, password: `${secret}-refused` },
  });
  await call('POST', '/api/monitors', `{"name":"${secret}-broken"`);
  await call('POST', '/api/auth/login', { email: 'canary@example.com', password: `${secret}-guess` });
  await call('GET', '/api/monitors', undefined, { authorization: `Bearer ${secret}-token` });
  await call('GET', '/api/monitors', undefined, { authorization: '', 'x-api-key': `fw_${secret}` });
  await call('POST', '/api/auth/reset-password', { token: `${secret}-reset`, password: NEW_PASSWORD });
  await call(
    'POST', '/api/incidents',
    { severity: 'major', type: 'timeout', error_message: 'x', title: 'x', source: 'system' },
  );
  expect(responses.length).toBeGreaterThan(5);
  expect(responses.join('')).not.toMatch(
    /canary-of-a-target|canary-password|mongodb:|127\.0\.0\.1|node_modules|\.ts:\d|at async/,
  );
  // The security page lists for operators what a copy of the database contains.
  const client = await MongoClient.connect(rig.store.url);
  const dump = JSON.stringify(await Promise.all(
    ['monitors', 'destinations', 'settings', 'key_rings'].map((name) => client.db().collection(name).find({}).toArray()),
  ));
  await client.close();
  for (const kind of ['-header', '-body', '-auth', '-hook']) expect(dump, kind).toContain(`${secret}${kind}`);
  for (const readable of [beat, signing, `services/${secret}`, 'signing_seed', 'box_seed']) {
    expect(dump).toContain(readable);
  }
  const log = lines.join('');
  expect(lines.length).toBeGreaterThan(3);
  for (const [name, value] of Object.entries({ ...usable, beat, signing, target: secret })) {
    expect(lines.find((line) => line.includes(value)), name).toBeUndefined();
  }
  expect(log).not.toContain('wrong-canary-password');
});
