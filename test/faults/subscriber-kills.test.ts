import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, type Db } from 'mongodb';
import { afterAll, beforeAll, expect } from 'vitest';
import type { SubscriberDoc } from '../../controller/subscribers/subscriber.ts';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { programFile } from '../bundle.mjs';
import { ApiSession } from '../helpers/api-session.ts';
import { ControllerProcess } from '../helpers/controller-process.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { pageSubscriber, SUBSCRIBERS } from '../helpers/page-subscriber.ts';
import { startSmtpServer, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import { repeats, toOutcome } from './tally.ts';

/** Mails that the controller sends to subscribers concurrently. */
const CONCURRENT_MAILS = 8;
const ON_CALL = 'on-call@example.com';

let bundle: string;
let nats: TestNats;
let store: TestMongo;
let smtp: TestSmtpServer;
let client: MongoClient;
let db: Db;
let controller: ControllerProcess;
let dir: string;
let url: string;
let env: Record<string, string>;

beforeAll(async () => {
  [bundle, nats, store, smtp] =
    await Promise.all([programFile('controller'), startNats(), testMongo(), startSmtpServer()]);
  client = await MongoClient.connect(store.url);
  db = client.db();
  dir = mkdtempSync(join(tmpdir(), 'farwatch-subscribers-'));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  env = {
    PORT: String(port), DATA_DIR: dir, MONGODB_URL: store.url, NATS_URL: nats.url,
    NATS_CREDS: nats.controllerCreds, NATS_USERS_FILE: nats.usersFile, NATS_PID_FILE: nats.pidFile,
    SMTP_URL: smtp.url, MAIL_FROM: 'farwatch@example.com', RATE_LIMIT: '1000000', MIN_INTERVAL_SECONDS: '1',
  };
  controller = await ControllerProcess.start(bundle, env);
});
afterAll(async () => {
  await controller.kill9();
  await client.close();
  await Promise.all([nats.stop(), store.stop(), smtp.stop()]);
  rmSync(dir, { recursive: true, force: true });
});

/** A published page with this many subscribers, and a monitor to post about. */
async function createPage(session: ApiSession, count: number) {
  const { organizations, projects } =
    await session.ok<Record<'organizations' | 'projects', { id: string }[]>>('GET', '/api/auth/me');
  const [organizationId, projectId] = [organizations[0]?.id as string, projects[0]?.id as string];
  const pages = `/api/projects/${projectId}/status-pages`;
  const heartbeat = async (name: string) => (await session.ok<{ monitor: { id: string; heartbeat_token: string } }>(
    'POST', '/api/monitors', { name, type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 3600 },
  )).monitor;
  const { id: monitor_id } = await heartbeat('Shop');
  const { status_page: { id: pageId } } =
    await session.ok<{ status_page: { id: string } }>('POST', pages, { name: 'Acme', subdomain: 'acme' });
  await session.ok('PUT', `${pages}/${pageId}/monitors`, { monitors: [{ monitor_id }] });
  await session.ok('POST', `${pages}/${pageId}/publish`);
  const subscribers = Array.from({ length: count }, (_, at) =>
    pageSubscriber({ organizationId, projectId, pageId }, `s${at}@example.com`));
  for (let at = 0; at < count; at += 1000) {
    await db.collection<SubscriberDoc>(SUBSCRIBERS).insertMany(subscribers.slice(at, at + 1000));
  }
  await session.ok('POST', '/api/integrations', {
    name: 'On call', type: 'email', is_default: true, config: { to: [ON_CALL] },
  });
  return { posts: `${pages}/${pageId}/incidents`, monitor_id, other: await heartbeat('Backup') };
}

fault('F62', 'the controller is killed while it mails an incident to thousands of subscribers', async () => {
  const [count, kills] = [repeats(400, 10_000), repeats(1, 4)];
  const session = await new ApiSession(url).begin();
  const { posts, monitor_id, other } = await createPage(session, count);
  const received = () => smtp.mails.filter((mail) => mail.to[0] !== ON_CALL);
  await session.ok('POST', posts, {
    title: 'Shop is down', message: 'We look into it.', severity: 'critical', affected_monitor_ids: [monitor_id],
  });
  for (let kill = 1; kill <= kills; kill += 1) {
    const enough = Math.floor((count * kill) / (kills + 2));
    await until(() => received().length >= enough, { what: `${enough} mails` });
    await controller.kill9();
    expect(received().length).toBeLessThan(count);
    controller = await ControllerProcess.start(bundle, env);
  }
  await fetch(`${url}/api/heartbeat/${other.heartbeat_token}/fail`, { method: 'POST' });
  await until(() => smtp.mails.some((mail) => mail.to[0] === ON_CALL), { what: 'the alert' });
  const before = received().length;
  expect(before).toBeLessThan(count);
  const left = () => db.collection('subscriber_outbox').countDocuments({ state: { $ne: 'sent' } });
  await until(async () => received().length >= count && (await left()) === 0, {
    what: 'all mails',
  });
  const idOf = new Map(received().map((mail) => [mail.to[0], mail.headers['message-id']]));
  expect(idOf.size).toBe(count);
  // Sent but not recorded when the process died; mail programs recognize such a mail by its id.
  const repeated = received().length - count;
  expect(repeated).toBeLessThanOrEqual(CONCURRENT_MAILS * kills);
  for (const mail of received()) expect(mail.headers['message-id']).toBe(idOf.get(mail.to[0]));
  expect(await db.collection('subscriber_outbox').countDocuments()).toBe(count);
  const summary = `${idOf.size} of ${count} subscribers mailed, ${repeated} of them twice under one id`;
  return toOutcome({ injected: kills }, `${summary}; an alert was mailed after ${before} of them`);
});
