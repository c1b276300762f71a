import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { bundleFile, programFile } from '../bundle.mjs';
import { ProbeProcess } from '../bus/probe/probe-process.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { ControllerProcess } from '../helpers/controller-process.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { startReceiver, type ReceivedRequest, type Receiver } from '../helpers/receiver.ts';
import { NO_EXAMINATIONS, startTarget, type Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import { fault, longFault } from './fault.ts';

let bundles: Record<'controller' | 'dying' | 'probe', string>;
let nats: TestNats;
let store: TestMongo;
let receiver: Receiver;
let target: Target;
let probe: ProbeProcess | null = null;
let controller: ControllerProcess | null = null;
let dir = '';
let url = '';
let env: Record<string, string> = {};

beforeAll(async () => {
  const [controller, dying, probe] = await Promise.all([
    programFile('controller'), bundleFile('test/faults/dying-controller.ts'), programFile('probe'),
  ]);
  bundles = { controller, dying, probe };
});
beforeEach(async () => {
  [
    nats, store, receiver, target,
  ] = await Promise.all([startNats(), testMongo(), startReceiver(), startTarget()]);
  dir = mkdtempSync(join(tmpdir(), 'farwatch-kill-'));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  env = {
    PORT: String(
      port,
    ), DATA_DIR: join(
      dir, 'controller',
    ), MONGODB_URL: store.url, NATS_URL: nats.url, NATS_CREDS: nats.controllerCreds, NATS_USERS_FILE: nats.usersFile,
    NATS_PID_FILE: nats.pidFile, NATS_PUBLIC_URL: nats.url, RATE_LIMIT: '1000000', MIN_INTERVAL_SECONDS: '1',
    ALLOW_PRIVATE_DESTINATIONS: 'true',
  };
});
afterEach(async () => {
  await probe?.end('SIGKILL');
  await controller?.kill9();
  await Promise.all([nats.stop(), store.stop(), receiver.close(), target.close()]);
  rmSync(dir, { recursive: true, force: true });
});

/** Kills the controller at the given point of an alert's delivery, and restarts it with the remaining data. */
async function outageWithDeathAt(
  point: string,
): Promise<{ session: ApiSession; left: { incidents: number; deliveries: number; requests: number } }> {
  controller = await ControllerProcess.start(bundles.dying, { ...env, DIE_AT: point });
  const session = await new ApiSession(url).begin();
  await session.ok(
    'POST', '/api/integrations',
    { name: 'On call', type: 'webhook', is_default: true, config: { url: receiver.url } },
  );
  const { enrolment_token: token } =
    await session.ok<{ enrolment_token: string }>('POST', '/api/probes', { region_id: 'local', name: 'p' });
  probe = new ProbeProcess(bundles.probe, join(dir, 'probe'), ['--controller', url, '--token', token], NO_EXAMINATIONS);
  target.respondWith({ status: 503 });
  await session.ok(
    'POST', '/api/monitors', { name: 'Shop', type: 'HTTP', target: target.url, interval_seconds: 1 },
  );
  expect(await controller.ended()).toBe('SIGKILL');
  const left = {
    incidents: await count('incidents'), deliveries: await count('deliveries'),
    requests: receiver.requests.length,
  };
  controller = await ControllerProcess.start(bundles.controller, env);
  return { session, left };
}

async function count(collection: string): Promise<number> {
  const client = await MongoClient.connect(store.url);
  const found = await client.db().collection(collection).countDocuments();
  await client.close();
  return found;
}

interface AlertFacts {
  incident: string;
  event: string;
  attempt: string | string[] | undefined;
}

function alertFacts(request: ReceivedRequest): AlertFacts {
  const { event, incident } =
    JSON.parse(request.body.toString()) as { event: string; incident: { id: string } };
  return { event, incident: incident.id, attempt: request.headers['x-service-delivery'] };
}

/**
 * Waits until the outage and its recovery are reported, and returns the incident. Any other alert would have
 * arrived by then.
 */
async function recovered(session: ApiSession): Promise<string> {
  const eventIs = (event: string) => () => receiver.requests.some((request) => alertFacts(request).event === event);
  await until(eventIs('monitor.down'), { what: 'monitor.down' });
  target.respondWith({ status: 200 });
  await until(eventIs('monitor.up'), { what: 'monitor.up' });
  const { incidents } =
    await session.ok<{ incidents: { id: string; status: string }[] }>('GET', '/api/incidents?limit=100');
  expect(incidents.map(({ status }) => status)).toEqual(['resolved']);
  const { notifications } = await until(async () => {
    const log = await session.ok<{ notifications: { status: string; retry_count: number }[] }>(
      'GET', `/api/incidents/${incidents[0]?.id}/notifications`,
    );
    return log.notifications.every(({ status }) => status === 'delivered') && log;
  }, { what: 'every delivery is recorded' });
  expect(notifications).toHaveLength(2);
  return incidents[0]?.id as string;
}

async function resumed(): Promise<number> {
  return Number(
    /^farwatch_delivery_resumed_total (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1],
  );
}

for (const { point, deliveries, declare } of [
  { point: 'incident written', deliveries: 0, declare: fault },
  // F3 is killed only a moment later.
  { point: 'delivery written', deliveries: 1, declare: longFault },
]) {
  declare('F2', `kill -9 as soon as the ${point.replace(' ', ' is ')}, before anything is sent`, async () => {
    const { session, left } = await outageWithDeathAt(point);
    expect(left).toEqual({ incidents: 1, deliveries, requests: 0 });
    const incident = await recovered(session);
    expect(receiver.requests.map(alertFacts)).toMatchObject([
      { event: 'monitor.down', incident }, { event: 'monitor.up', incident },
    ]);
    expect(await resumed()).toBe(0);
    return '1 incident, 1 alert for the outage, sent after the restart';
  });
}

fault('F3', 'kill -9 as soon as the alert is posted, before that is recorded', async () => {
  const { session, left } = await outageWithDeathAt('alert posted');
  expect(left).toEqual({ incidents: 1, deliveries: 1, requests: 1 });
  const incident = await recovered(session);
  const all = receiver.requests.map(alertFacts);
  expect(all).toMatchObject([
    { event: 'monitor.down', incident }, { event: 'monitor.down', incident },
    { event: 'monitor.up', incident },
  ]);
  expect(new Set(all.map(({ attempt }) => attempt)).size).toBe(3);
  expect(await resumed()).toBe(1);
  return '1 incident, 2 posts of one incident and event under two ids: 1 duplicate, counted';
});
