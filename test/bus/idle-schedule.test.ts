import { randomUUID } from 'node:crypto';
import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeliveryDoc } from '../../controller/delivery/delivery.ts';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { pageSubscriber, SUBSCRIBERS } from '../helpers/page-subscriber.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { startRegistry, type Registry } from '../helpers/registry.ts';
import { until } from '../helpers/until.ts';
import { WarpClock } from '../helpers/warp-clock.ts';
import { watchedMongo } from '../helpers/watched-mongo.ts';

interface Heartbeat {
  id: string;
  heartbeat_token: string;
}

/** Where each kind of scheduled work stores when it is due. */
const SCHEDULES = [
  ['delivery_queues', 'due_at'], ['maintenance_windows', 'due_at'], ['subscriber_notices', 'due_at'],
  ['subscriber_outbox', 'due_at'], ['domains', 'due_at'], ['incidents', 'pages_due'],
] as const;
/** By the warped clock: polls come every few seconds, those of an idle controller every minute. */
const ON_TIME_MS = 25_000;
const IDLE_FOR_MS = 20_000;
const RETRIES = 3;

const clock = new WarpClock();
/** When each collection was last searched, by the warped clock. */
const searched = new Map<string, number>();
let [rig, mongo, hook, registry] = [] as unknown as [ControllerRig, Mongo, Receiver, Registry];
let project: string;

beforeAll(async () => {
  [hook, registry] = await Promise.all([startReceiver(), startRegistry()]);
  const env = { ALLOW_PRIVATE_DESTINATIONS: 'true', DOMAIN_LOOKUPS: 'true' };
  const watch = (command: Document) => {
    if (typeof command['find'] === 'string') searched.set(command['find'], clock.now());
  };
  rig = await startControllerRig(env, watch, undefined, { clock, domainRoots: registry.roots });
  mongo = watchedMongo(rig.store.url);
  ({ projects: [{ id: project }] } = await rig.session.ok<{ projects: [{ id: string }] }>('GET', '/api/projects'));
  await rig.session.ok('POST', '/api/integrations', {
    name: 'Hook', type: 'webhook', is_default: true, config: { url: hook.url, method: 'POST' },
  });
});
afterAll(async () => {
  await mongo?.close();
  await rig?.stop();
  await Promise.all([hook, registry].map((each) => each?.close()));
});

/** Lets a second pass, with time for what is due then. */
async function passSecond(): Promise<void> {
  clock.warp(1000);
  for (let turn = 0; turn < 10; turn += 1) await mongo.ping();
}

async function passUntil(isReached: () => boolean | Promise<boolean>): Promise<void> {
  await until(async () => {
    await passSecond();
    return isReached();
  }, { everyMs: 0 });
}

/** Passes time until a collection has been searched right after a long pause: nothing was due. */
async function idlePoll(collection: string): Promise<void> {
  let last = searched.get(collection) ?? 0;
  await passUntil(() => {
    const latest = searched.get(collection) ?? 0;
    const isIdle = latest - last > IDLE_FOR_MS;
    last = latest;
    return isIdle;
  });
}

/** Passes time until a condition holds. No work of any kind may stay due meanwhile. */
async function passOnTime(isReached: () => boolean | Promise<boolean>): Promise<void> {
  const late = new Set<string>();
  await passUntil(async () => {
    for (const [collection, field] of SCHEDULES) {
      const tooLong = { $lt: clock.now() - ON_TIME_MS };
      // What a change of an incident makes due at once is dated 0.
      const since = collection === 'incidents' ? { updated_at: tooLong } : {};
      const found = await mongo.db.collection(collection).findOne({ [field]: tooLong, ...since });
      if (found !== null) late.add(collection);
    }
    return late.size > 0 || isReached();
  });
  expect([...late], 'work that stayed due').toEqual([]);
}

async function heartbeat(seconds = 3600): Promise<Heartbeat> {
  const body = { name: `Job ${randomUUID()}`, type: 'HEARTBEAT', heartbeat_interval: seconds, grace_period: 1 };
  return (await rig.session.ok<{ monitor: Heartbeat }>('POST', '/api/monitors', body)).monitor;
}

const ping = (one: Heartbeat, path = '') =>
  fetch(`${rig.controller.url}/api/heartbeat/${one.heartbeat_token}${path}`, { method: 'POST' });
const incidentsOf = async ({ id }: Heartbeat) => (await rig.session.ok<{ incidents: { started_at: string }[] }>(
  'GET', `/api/incidents?check_id=${id}`,
)).incidents;

describe('a single controller that is idle, with default settings', () => {
  test('retries a webhook that answers 503 when the retry is due', async () => {
    hook.behave(503);
    const job = await heartbeat();
    await idlePoll('delivery_queues');
    await ping(job, '/fail');
    const deliveries = mongo.db.collection<DeliveryDoc>('deliveries');
    for (let attempts = 1; attempts <= RETRIES; attempts += 1) {
      await passOnTime(async () => (await deliveries.findOne({ monitor_id: job.id }))?.attempts === attempts);
    }
    expect(hook.requests).toHaveLength(RETRIES);
    hook.behave(200);
    await ping(job);
    await passOnTime(async () => await deliveries.countDocuments({ status: 'pending' }) === 0);
  }, 300_000);

  test('announces the beginning and end of maintenance, and posts an outage that outlasts it', async () => {
    const job = await heartbeat();
    const pages = `/api/projects/${project}/status-pages`;
    const { status_page: { id: pageId } } = await rig.session.ok<{ status_page: { id: string } }>(
      'POST', pages, { name: 'Acme', subdomain: `page-${randomUUID()}` },
    );
    await rig.session.ok('PUT', `${pages}/${pageId}/monitors`, { monitors: [{ monitor_id: job.id }] });
    await rig.session.ok('POST', `${pages}/${pageId}/publish`);
    const { organization_id: organizationId } = await mongo.db.collection('monitors').findOne({}) as Document;
    await mongo.db.collection<{ _id: string }>(SUBSCRIBERS).insertOne(
      pageSubscriber({ organizationId, projectId: project, pageId }, 'reader@example.com'),
    );
    const [from, to] = [clock.now() + 90_000, clock.now() + 180_000];
    await rig.session.ok('POST', `/api/projects/${project}/maintenance-windows`, {
      title: 'Move', monitor_ids: [job.id], status_page_ids: [pageId], suppress_alerts: true,
      starts_at: new Date(from).toISOString(), ends_at: new Date(to).toISOString(),
    });
    await idlePoll('maintenance_windows');
    await passOnTime(() => clock.now() > from + ON_TIME_MS);
    await ping(job, '/fail');
    await passOnTime(() => clock.now() > to + 2 * ON_TIME_MS);
    const posts = await rig.session.ok<{ incidents: unknown[] }>('GET', `${pages}/${pageId}/incidents`);
    expect(posts.incidents).toHaveLength(1);
    const sent = await mongo.db.collection('subscriber_outbox').countDocuments({ state: 'sent' });
    expect(sent, 'announced, begun, ended, and the outage').toBeGreaterThanOrEqual(3);
  }, 300_000);

  test('opens an incident when a heartbeat is overdue, and sends its alert', async () => {
    const job = await heartbeat(90);
    await ping(job);
    const before = hook.requests.length;
    await idlePoll('delivery_queues');
    await passOnTime(async () => (await incidentsOf(job)).length === 1);
    const overdueAt = Date.parse((await incidentsOf(job))[0]?.started_at as string);
    expect(clock.now() - overdueAt).toBeLessThan(ON_TIME_MS);
    await passOnTime(() => hook.requests.length > before);
  }, 300_000);

  test('looks up the domain of a new monitor', async () => {
    await idlePoll('domains');
    registry.http.behave(500);
    await rig.session.ok('POST', '/api/monitors', {
      name: 'Shop', type: 'HTTP', target: 'http://shop.example.com', interval_seconds: 60,
      domain_monitoring: { enabled: true, expiry_warning_days: [30] },
    });
    const domains = mongo.db.collection<{ failures: number }>('domains');
    await passOnTime(async () => ((await domains.findOne({}))?.failures ?? 0) >= 1);
  }, 300_000);
});
