import { randomUUID } from 'node:crypto';
import type { Document } from 'mongodb';
import type { Msg } from 'nats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeliveryDoc } from '../../controller/delivery/delivery.ts';
import type { HeldAlertDoc } from '../../controller/dependencies/held-alert.ts';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import type { OutgoingDoc } from '../../controller/subscribers/notice.ts';
import { DEFAULT_PREFERENCES, type SubscriberDoc } from '../../controller/subscribers/subscriber.ts';
import type { EnrolResponse } from '../../shared/contracts/enrolment.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { checked, lettersOf, postAll } from '../faults/sender.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { startMailgunServer, type TestMailgunServer } from '../helpers/mailgun-server.ts';
import { pageSubscriber, SUBSCRIBERS } from '../helpers/page-subscriber.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { startRegistry, type Registry } from '../helpers/registry.ts';
import { openRequests, settled } from '../helpers/settled.ts';
import { until } from '../helpers/until.ts';
import { WarpClock } from '../helpers/warp-clock.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';

interface Heartbeat {
  id: string;
  heartbeat_token: string;
}

/** Where each kind of scheduled work stores its due time. */
const SCHEDULES = [
  ['delivery_queues', 'due_at'], ['maintenance_windows', 'due_at'], ['subscriber_notices', 'due_at'],
  ['subscriber_outbox', 'due_at'], ['domains', 'due_at'], ['held_alerts', 'due_at'], ['incidents', 'pages_due'],
] as const;
/** On the warped clock, polls happen every few seconds; those of an idle controller every minute. */
const ON_TIME_MS = 25_000;
const IDLE_FOR_MS = 20_000;
const STEP_MS = fewOrAll(10_000, 1000);
/**
 * After a longer step, the controller no longer trusts its leases, and waits in vain for its own response over the bus.
 * A probe that beats once in such a step is away before each beat, and so gets no monitors.
 */
const TRUSTED_STEP_MS = 1000;
/** Used while nothing is due for longer. */
const LONG_STEP_MS = fewOrAll(60_000, 5000);
/** Real time. */
const MAX_RESPONSE_MS = 5000;
const RETRIES = 3;
const REMINDERS = 2;
/** Mail to a busy provider is retried after 2, 4, 8, … s. */
const DEFERRALS = 5;
/** Mail to a subscriber is retried after 30 s, 2 minutes and 10 minutes. */
const MAIL_ATTEMPTS = 3;
const MAILS_AN_HOUR = 60;
const HOUR_MS = 3_600_000;
const HEARTBEAT_MS = 300_000;
/** The default of NO_DATA_AFTER_SECONDS. */
const NO_DATA_AFTER_MS = 300_000;
/** How long an alert is held for the check of a dependency, and after the last dependency recovered. */
const MAX_HELD_MS = 60_000;

/** How much time passes between two jumps. */
const PASSING = { maxBetweenMs: 1000 };

const clock = new WarpClock(PASSING);
const requests = openRequests();
/** When each collection was last searched, by the warped clock. */
const searched = new Map<string, number>();
let [rig, mongo, hook, registry, mailgun] =
  [] as unknown as [ControllerRig, Mongo, Receiver, Registry, TestMailgunServer];
let project: string;

beforeAll(async () => {
  [hook, registry, mailgun] = await Promise.all([startReceiver(), startRegistry(), startMailgunServer()]);
  const mail = { MAILGUN_API_KEY: 'key-1', MAILGUN_DOMAIN: 'mg.example', MAILGUN_URL: mailgun.url };
  const env = { ALLOW_PRIVATE_DESTINATIONS: 'true', DOMAIN_LOOKUPS: 'true', ...mail };
  const watch = (command: Document) => {
    if (typeof command['find'] === 'string') searched.set(command['find'], clock.now());
  };
  rig = await startControllerRig(env, watch, undefined, { clock, domainRoots: registry.roots });
  mongo = checkedMongo(rig.store.url);
  ({ projects: [{ id: project }] } = await rig.session.ok<{ projects: [{ id: string }] }>('GET', '/api/projects'));
  await rig.session.ok('POST', '/api/integrations', {
    name: 'Hook', type: 'webhook', is_default: true, config: { url: hook.url, method: 'POST' },
  });
});
afterAll(async () => {
  // Requests without a response end only when the clock moves on.
  clock.thaw();
  await mongo?.close();
  await rig?.stop();
  await Promise.all([hook, registry, mailgun].map((each) => each?.close()));
});

/** Advances time a little, with real time for due work. */
async function passStep(stepMs = STEP_MS): Promise<void> {
  // What has just begun would time out in the jump.
  clock.freeze();
  await workDone();
  clock.thaw(PASSING);
  clock.warp(stepMs);
  await workDone();
}

async function workDone(): Promise<void> {
  const areEnded = () => requests.size === 0;
  await settled(mongo, rig.commands);
  while (!areEnded()) {
    // One that gets no response ends only when the clock moves on.
    const hasEnded = await until(areEnded, { timeoutMs: MAX_RESPONSE_MS }).then(() => true, () => false);
    // What follows a response may be another request.
    await settled(mongo, rig.commands);
    if (!hasEnded) return;
  }
}

async function passUntil(isReached: () => boolean | Promise<boolean>, stepMs?: number): Promise<void> {
  await until(async () => {
    await passStep(stepMs);
    return isReached();
  }, { everyMs: 0 });
}

/** Advances time until a collection has been searched right after a long pause: nothing was due. */
async function idlePoll(collection: string): Promise<void> {
  let last = searched.get(collection) ?? 0;
  await passUntil(() => {
    const latest = searched.get(collection) ?? 0;
    const isIdle = latest - last > IDLE_FOR_MS;
    last = latest;
    return isIdle;
  });
}

/** Advances time until a condition holds. No work of any kind may stay due meanwhile. */
async function passOnTime(isReached: () => boolean | Promise<boolean>, stepMs?: number): Promise<void> {
  const late = new Set<string>();
  await passUntil(async () => {
    for (const [collection, field] of SCHEDULES) {
      const tooLong = { $lt: clock.now() - ON_TIME_MS };
      // Work that a change of an incident makes due at once is dated 0.
      const since = collection === 'incidents' ? { updated_at: tooLong } : {};
      const found = await mongo.db.collection(collection).findOne({ [field]: tooLong, ...since });
      if (found !== null) late.add(collection);
    }
    return late.size > 0 || isReached();
  }, stepMs);
  expect([...late], 'work that stayed due').toEqual([]);
}

/** The same until shortly before `dueAt`. */
async function passUntilNear(dueAt: number): Promise<void> {
  while (clock.now() < dueAt - ON_TIME_MS - LONG_STEP_MS) await passOnTime(() => true, LONG_STEP_MS);
  await passOnTime(() => clock.now() > dueAt - ON_TIME_MS);
}

async function heartbeat(seconds = 3600, more = {}): Promise<Heartbeat> {
  const timing = { heartbeat_interval: seconds, grace_period: 1 };
  const body = { name: `Job ${randomUUID()}`, type: 'HEARTBEAT', ...timing, ...more };
  return (await rig.session.ok<{ monitor: Heartbeat }>('POST', '/api/monitors', body)).monitor;
}

const ping = (one: Heartbeat, path = '') =>
  fetch(`${rig.controller.url}/api/heartbeat/${one.heartbeat_token}${path}`, { method: 'POST' });
const incidentsOf = async ({ id }: Heartbeat) => (await rig.session.ok<{ incidents: { started_at: string }[] }>(
  'GET', `/api/incidents?check_id=${id}`,
)).incidents;

/** Creates a destination that is not a default one; returns its id. */
const destination = async (body: object): Promise<string> => (await rig.session.ok<{ integration: { id: string } }>(
  'POST', '/api/integrations', { name: randomUUID(), is_default: false, ...body },
)).integration.id;
const mailsTo = (address: string) => mailgun.messages.filter(({ to }) => to === address);

/** Publishes a page that shows the monitor and has a subscriber. `path` is its path in the API. */
async function publishPage({ id }: Heartbeat, email: string, preferences: SubscriberDoc['preferences'] = DEFAULT_PREFERENCES) {
  const pages = `/api/projects/${project}/status-pages`;
  const { status_page: { id: pageId } } = await rig.session.ok<{ status_page: { id: string } }>(
    'POST', pages, { name: 'Acme', subdomain: `page-${randomUUID()}` },
  );
  await rig.session.ok('PUT', `${pages}/${pageId}/monitors`, { monitors: [{ monitor_id: id }] });
  await rig.session.ok('POST', `${pages}/${pageId}/publish`);
  const { organization_id: organizationId } = await mongo.db.collection('monitors').findOne({}) as Document;
  const of = { organizationId, projectId: project, pageId };
  const subscriber = pageSubscriber(of, email, { preferences });
  await mongo.db.collection<SubscriberDoc>(SUBSCRIBERS).insertOne(subscriber);
  const path = `${pages}/${pageId}`;
  const postIncident = () => rig.session.ok('POST', `${path}/incidents`, {
    title: 'Slow', message: 'We are investigating.', severity: 'critical', affected_monitor_ids: [id],
  });
  return { pageId, path, subscriber, postIncident };
}

const latestStatus = async (id: string) => (await rig.session.ok<{ history: { status: string; from: number }[] }>(
  'GET', `/api/monitors/${id}/status-history`,
)).history[0];
const alertsOf = (id: string) => hook.requests
  .map(({ body }) => body.toString()).filter((text) => text.includes(id))
  .map((text) => (JSON.parse(text) as { event: string }).event);

/** The alert is held for a minute from `since`, Unix ms, and then sent on time. */
async function expectRelease({ id }: Heartbeat, since: number): Promise<void> {
  await passOnTime(() => clock.now() > since + MAX_HELD_MS - ON_TIME_MS, TRUSTED_STEP_MS);
  expect(alertsOf(id)).toEqual([]);
  await passOnTime(() => clock.now() > since + MAX_HELD_MS + ON_TIME_MS, TRUSTED_STEP_MS);
  expect(alertsOf(id)).toEqual(['monitor.down']);
}

const heldAlerts = () => mongo.db.collection<HeldAlertDoc>('held_alerts');
const outbox = () => mongo.db.collection<OutgoingDoc>('subscriber_outbox');
const domains = () => mongo.db.collection<{ failures: number }>('domains');

describe('a single controller that is idle, with default settings', () => {
  test('retries a webhook that returned 503 when the retry is due', async () => {
    hook.behave(503);
    const job = await heartbeat();
    await idlePoll('delivery_queues');
    await ping(job, '/fail');
    const deliveries = mongo.db.collection<DeliveryDoc>('deliveries');
    for (let attempts = 1; attempts <= RETRIES; attempts += 1) {
      await passOnTime(async () => ((await deliveries.findOne({ monitor_id: job.id }))?.attempts ?? 0) >= attempts);
    }
    expect(hook.requests).toHaveLength(RETRIES);
    hook.behave(200);
    await ping(job);
    await passOnTime(async () => await deliveries.countDocuments({ status: 'pending' }) === 0);
  });

  test('resends a mail that a busy provider refused when each retry is due', async () => {
    const to = 'patient@example.com';
    const notification_target_ids = [await destination({ type: 'email', config: { to: [to] } })];
    const job = await heartbeat(86_400, { notification_target_ids });
    await idlePoll('delivery_queues');
    mailgun.fail(429);
    await ping(job, '/fail');
    const deliveries = mongo.db.collection<DeliveryDoc>('deliveries');
    const delivery = () => deliveries.findOne({ recipient: to });
    for (let times = 1; times <= DEFERRALS; times += 1) {
      await passOnTime(async () => ((await delivery())?.deferrals ?? 0) >= times);
    }
    mailgun.accept();
    await passOnTime(async () => (await delivery())?.status === 'delivered');
    expect(mailsTo(to)).toHaveLength(1);
  });

  test('reminds a destination of an open incident when each reminder is due', async () => {
    const to = 'reminded@example.com';
    const reminding = { type: 'email', reminder_minutes: 5, config: { to: [to] } };
    const job = await heartbeat(86_400, { notification_target_ids: [await destination(reminding)] });
    await ping(job, '/fail');
    const deliveries = mongo.db.collection<DeliveryDoc>('deliveries');
    const queued = (reminder: number) => deliveries.findOne({ recipient: to, reminder });
    for (let reminder = 1; reminder <= REMINDERS; reminder += 1) {
      await passOnTime(async () => await queued(reminder) !== null);
      const dueAt = (await queued(reminder))?.next_attempt_at as number;
      await idlePoll('delivery_queues');
      await passUntilNear(dueAt);
      expect(mailsTo(to)).toHaveLength(reminder);
      await passOnTime(() => clock.now() > dueAt + ON_TIME_MS, TRUSTED_STEP_MS);
      expect(mailsTo(to)).toHaveLength(reminder + 1);
    }
    await ping(job);
    await passOnTime(async () => await deliveries.countDocuments({ recipient: to, status: 'pending' }) === 0);
  });

  test('mails a subscriber again when each retry is due', async () => {
    const { postIncident, subscriber } = await publishPage(await heartbeat(), 'patient-reader@example.com');
    await idlePoll('subscriber_outbox');
    mailgun.fail(503);
    await postIncident();
    const mail = () => outbox().findOne({ subscriber_id: subscriber._id });
    for (let attempts = 1; attempts <= MAIL_ATTEMPTS; attempts += 1) {
      await passUntilNear((await mail())?.due_at ?? 0);
      await passOnTime(async () => ((await mail())?.attempts ?? 0) >= attempts);
    }
    mailgun.accept();
    await passOnTime(async () => (await mail())?.state === 'sent');
    expect(mailsTo(subscriber.email)).toHaveLength(1);
  });

  test('looks up the domain of a new monitor', async () => {
    await idlePoll('domains');
    registry.http.behave(500);
    await rig.session.ok('POST', '/api/monitors', {
      name: 'Shop', type: 'HTTP', target: 'http://shop.example.com', interval_seconds: 60,
      domain_monitoring: { enabled: true, expiry_warning_days: [30] },
    });
    await passOnTime(async () => (await domains().findOne({}))?.failures === 1);
  });

  test('sends digests at the end of the hour, and repeats a failed domain lookup an hour later', async () => {
    const to = 'many@example.com';
    const notification_target_ids = [await destination({ type: 'email', config: { to: [to] } })];
    const hourly = { ...DEFAULT_PREFERENCES, frequency: 'hourly' as const };
    const { postIncident, subscriber } = await publishPage(await heartbeat(86_400), 'hourly@example.com', hourly);
    await postIncident();
    for (let at = 0; at <= MAILS_AN_HOUR; at += 1) {
      await ping(await heartbeat(86_400, { notification_target_ids }), '/fail');
    }
    const deliveries = mongo.db.collection<DeliveryDoc>('deliveries');
    await passOnTime(async () => await deliveries.countDocuments({ recipient: to }) === MAILS_AN_HOUR + 1);
    await until(() => mailsTo(to).length === MAILS_AN_HOUR);
    const dueAt = (await deliveries.findOne({ recipient: to, status: 'pending' }))?.digest_at as number;
    expect(dueAt - clock.now()).toBeGreaterThan(HOUR_MS / 2);
    await idlePoll('delivery_queues');
    await passUntilNear(dueAt);
    await passOnTime(() => clock.now() > dueAt + ON_TIME_MS, TRUSTED_STEP_MS);
    expect(mailsTo(to).at(-1)?.subject).toBe('[DIGEST] 1 more alert from the last hour');
    await passOnTime(async () => (await domains().findOne({}))?.failures === 2);
    expect(await outbox().findOne({ subscriber_id: subscriber._id })).toMatchObject({ channel: 'digest', state: 'sent' });
    expect(mailsTo(subscriber.email)).toHaveLength(1);
  });

  test('alerts when a monitor has had no data for five minutes', async () => {
    const alerted = await destination({
      type: 'webhook', events: ['monitor.no_data'], config: { url: hook.url, method: 'POST' },
    });
    const probe = await rig.probe('silent');
    await probe.follow();
    const { monitor: { id } } = await rig.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
      name: 'Quiet', type: 'HTTP', target: 'http://shop.example/', interval_seconds: 60,
      notification_target_ids: [alerted],
    });
    await passUntil(() => {
      probe.beat({ sent_at: clock.now() });
      return probe.held.has(id);
    }, TRUSTED_STEP_MS);
    await postAll(lettersOf(probe, 'epoch-1', [checked(id, clock.now(), true)]), (letters) => letters);
    await idlePoll('delivery_queues');
    await passOnTime(async () => (await latestStatus(id))?.status === 'unknown');
    const unknownSince = (await latestStatus(id))?.from as number;
    await passUntilNear(unknownSince + NO_DATA_AFTER_MS);
    expect(alertsOf(id)).toEqual([]);
    await passOnTime(() => clock.now() > unknownSince + NO_DATA_AFTER_MS + ON_TIME_MS, TRUSTED_STEP_MS);
    expect(alertsOf(id)).toEqual(['monitor.no_data']);
  });

  test('holds an alert for at most a minute while a dependency is being checked', async () => {
    const probe = await rig.probe('slow');
    await probe.follow();
    const { region_id, probe_id } = probe.enrolment as EnrolResponse;
    const orders: Msg[] = [];
    probe.nats.subscribe(subjects.run(region_id, probe_id), { callback: (_error, order) => orders.push(order) });
    const { monitor: router } = await rig.session.ok<{ monitor: Heartbeat }>('POST', '/api/monitors', {
      name: 'Router', type: 'HTTP', target: 'http://router.example/', interval_seconds: 60,
    });
    const job = await heartbeat(86_400, { depends_on: [router.id] });
    await idlePoll('held_alerts');
    const beatUntil = (isReached: () => boolean) => () => {
      probe.beat({ sent_at: clock.now() });
      return isReached();
    };
    await passUntil(beatUntil(() => probe.held.has(router.id)), TRUSTED_STEP_MS);
    await ping(job, '/fail');
    // Only a probe that is not silent is asked for a check.
    await passOnTime(beatUntil(() => orders.length > 0), TRUSTED_STEP_MS);
    await expectRelease(job, (await heldAlerts().findOne({ monitor_id: job.id }))?.held_at as number);
    orders[0]?.respond('{}');
  });

  test('sends a held alert a minute after the last dependency recovered', async () => {
    const [router, uplink] = [await heartbeat(86_400), await heartbeat(86_400)];
    const job = await heartbeat(86_400, { depends_on: [router.id, uplink.id] });
    for (const one of [router, uplink]) await ping(one, '/fail');
    await passOnTime(async () => (await incidentsOf(router)).length + (await incidentsOf(uplink)).length === 2);
    await idlePoll('held_alerts');
    await ping(job, '/fail');
    const held = () => heldAlerts().findOne({ monitor_id: job.id });
    await passOnTime(async () => (await held())?.was_down === true, TRUSTED_STEP_MS);
    await ping(router);
    await passOnTime(async () => (await latestStatus(router.id))?.status === 'up', TRUSTED_STEP_MS);
    const recoveredAt = (await latestStatus(router.id))?.from as number;
    await passOnTime(() => clock.now() > recoveredAt + MAX_HELD_MS + ON_TIME_MS, TRUSTED_STEP_MS);
    await ping(uplink);
    await passOnTime(async () => (await latestStatus(uplink.id))?.status === 'up', TRUSTED_STEP_MS);
    await expectRelease(job, (await latestStatus(uplink.id))?.from as number);
  });

  test('announces the start and end of maintenance, and posts an outage that outlasts it', async () => {
    const job = await heartbeat();
    const { pageId, path } = await publishPage(job, 'reader@example.com');
    const [from, to] = [clock.now() + 90_000, clock.now() + 180_000];
    await rig.session.ok('POST', `/api/projects/${project}/maintenance-windows`, {
      title: 'Move', monitor_ids: [job.id], status_page_ids: [pageId], suppress_alerts: true,
      starts_at: new Date(from).toISOString(), ends_at: new Date(to).toISOString(),
    });
    await idlePoll('maintenance_windows');
    await passOnTime(() => clock.now() > from + ON_TIME_MS, TRUSTED_STEP_MS);
    await ping(job, '/fail');
    await passOnTime(() => clock.now() > to + 2 * ON_TIME_MS, TRUSTED_STEP_MS);
    const posts = await rig.session.ok<{ incidents: unknown[] }>('GET', `${path}/incidents`);
    expect(posts.incidents).toHaveLength(1);
    const sent = await outbox().countDocuments({ page_id: pageId, state: 'sent' });
    expect(sent, 'announced, begun, ended, and the outage').toBeGreaterThanOrEqual(3);
  });

  test('opens an incident when a heartbeat is overdue, and sends its alert', async () => {
    const job = await heartbeat(HEARTBEAT_MS / 1000);
    await ping(job);
    const [before, pingedAt] = [hook.requests.length, clock.now()];
    await idlePoll('delivery_queues');
    await passUntilNear(pingedAt + HEARTBEAT_MS);
    await passOnTime(async () => (await incidentsOf(job)).length === 1, TRUSTED_STEP_MS);
    const overdueAt = Date.parse((await incidentsOf(job))[0]?.started_at as string);
    // It is found, journaled and opened in steps of their own.
    expect(clock.now() - overdueAt).toBeLessThan(2 * ON_TIME_MS);
    await passOnTime(() => hook.requests.length > before);
  });
});
