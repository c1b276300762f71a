import { createHmac } from 'node:crypto';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { observeDeliveries } from '../../controller/wiring/metrics.ts';
import { attemptDelivery } from '../../controller/delivery/attempt.ts';
import { FailingCount } from '../../controller/delivery/failing-count.ts';
import { DeliveryStore } from '../../controller/delivery/store.ts';
import type { webhookPayload } from '../../controller/destinations/channels/webhook.ts';
import type { DestinationDoc } from '../../controller/destinations/destination.ts';
import { createAddressVetting } from '../../controller/platform/outbound/address-vetting.ts';
import { openMailer } from '../../controller/platform/mail/mailer.ts';
import { HttpPoster } from '../../controller/platform/outbound/poster.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock } from '../../shared/time.ts';
import { alertOf, DeliveryRig, monitorConfig } from '../helpers/delivery-rig.ts';
import { drip, type Drip } from '../helpers/drip.ts';
import { startReceiver, type ReceivedRequest, type Receiver } from '../helpers/receiver.ts';
import { startSmtpServer } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';
import { shardMap } from '../helpers/shard-map.ts';

type WebhookPayload = ReturnType<typeof webhookPayload>;

let rig: DeliveryRig;
let receiver: Receiver;
beforeEach(async () => {
  [rig, receiver] = await Promise.all([DeliveryRig.start(), startReceiver()]);
});
afterEach(async () => {
  await rig.stop();
  await receiver.close();
});

function payload(request: ReceivedRequest | undefined): WebhookPayload {
  return JSON.parse((request as ReceivedRequest).body.toString('utf8')) as WebhookPayload;
}

function isSigned(request: ReceivedRequest, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(
    `${String(request.headers['x-service-timestamp'])}.${request.body.toString('utf8')}`,
  ).digest('hex');
  return request.headers['x-service-signature'] === `sha256=${expected}`;
}

const settled = (incidentId: string, status: string, count = 1) =>
  until(
    async () => (await rig.log(incidentId)).filter((entry) => entry.status === status).length === count,
    { what: `${count} ${status}` },
  );

describe('an alert', () => {
  test('reaches its destination signed, and appears in the log and on the incident', async () => {
    const { alerts } = rig.controller();
    const custom = Object.entries({
      'X-Team': 'ops', 'content-type': 'text/evil', 'x-service-signature': 'forged', 'User-Agent': 'me',
    })
      .map(
      ([name, value]) => ({ name, value }),
    );
    const destination = await rig.destination({
      type: 'webhook', config: { url: `${receiver.url}/hook?key=1`, method: 'PUT', headers: custom },
    });
    const monitor = monitorConfig();
    const startedAt = rig.clock.now();
    const incidentId = newId(startedAt);
    await rig.outbox.open({
      id: incidentId, monitor, severity: 'major', type: 'status_code', error_message: 'Status 503',
      affected_regions: ['eu'], failure_count: 2,
      started_at: startedAt,
    });
    await alerts.fanOut(alertOf(monitor, incidentId, { startedAt }));
    await settled(incidentId, 'delivered');
    const [request] = receiver.requests as [ReceivedRequest];
    expect(request).toMatchObject({ method: 'PUT', path: '/hook?key=1' });
    expect(request.headers).toMatchObject({
      'content-type': 'application/json', 'user-agent': 'Service-Webhook/1.0',
      'x-service-event': 'monitor.down', 'x-team': 'ops',
      'x-service-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-service-timestamp': String(payload(request).timestamp),
    });
    expect(request.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()).filter(
      (name) => name.startsWith('x-service-sig'),
    ))
      .toHaveLength(1);
    expect(payload(request)).toMatchObject({
      version: '1', event: 'monitor.down',
      monitor: { id: monitor.monitor_id, name: 'Shop', url: 'https://shop.example/', type: 'HTTP', runbook_url: null },
      incident: {
        id: incidentId, started_at: startedAt, resolved_at: null,
        acknowledge_url: `https://farwatch.example/acknowledge?token=${incidentId}`,
      },
    });
    const secret = (await rig.destinations.findById(destination._id))?.secret as string;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    expect(isSigned(request, secret)).toBe(true);
    expect(await rig.log(incidentId)).toEqual([
      expect.objectContaining({
        channel: 'webhook', recipient: `${receiver.url}/hook`, status: 'delivered', error_message: null,
        retry_count: 0, max_retries: 5, last_retry_at: null,
      }),
    ]);
    expect(await rig.incidents.findById(incidentId)).toMatchObject({
      notification_sent: true, notification_channels: ['webhook'],
    });
    await until(
      async () => (await rig.queues.find(destination._id))?.due_at === undefined, { what: 'an idle queue' },
    );
    expect((await rig.queues.health([destination._id])).get(destination._id)).toMatchObject({
      status: 'healthy', failing_since: null,
    });
  });

  test('that is fanned out again creates no second delivery, even by two controllers concurrently', async () => {
    const [one, other] = [rig.controller(), rig.controller()];
    await rig.destination(receiver.url);
    const monitor = monitorConfig();
    const incidentId = newId(1);
    const alert = alertOf(monitor, incidentId, { startedAt: rig.clock.now() });
    await Promise.all([one.alerts.fanOut(alert), other.alerts.fanOut(alert), one.alerts.fanOut(alert)]);
    await settled(incidentId, 'delivered');
    await other.alerts.fanOut(alert);
    const after = alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() });
    await one.alerts.fanOut(after);
    await settled(incidentId, 'delivered', 2);
    expect(receiver.requests).toHaveLength(2);
  });

  test('is found by polling if no wake-up was sent', async () => {
    const sleepy = rig.controller({ ownsShard: () => false });
    await rig.destination(receiver.url);
    await sleepy.alerts.fanOut(alertOf(monitorConfig(), newId(1), { startedAt: rig.clock.now() }));
    rig.controller();
    await until(() => receiver.requests.length === 1);
  });

  test('of a recovery waits for the alert of the outage', async () => {
    const { alerts } = rig.controller();
    const destination = await rig.destination(receiver.url);
    const isWaiting = async () => ((await rig.queues.find(destination._id))?.due_at ?? 0) > rig.clock.now();
    receiver.choose(
      (request) => (receiver.requests.length <= 2 && payload(request).event === 'monitor.down' ? 503 : 200),
    );
    const monitor = monitorConfig();
    const incidentId = newId(1);
    const startedAt = rig.clock.now();
    await alerts.fanOut(alertOf(monitor, incidentId, { startedAt }));
    await alerts.fanOut(alertOf(monitor, incidentId, { startedAt, resolvedAt: startedAt + 61_000 }));
    await until(async () => receiver.requests.length === 1 && (await isWaiting()));
    rig.clock.warp(12_500);
    await until(async () => receiver.requests.length === 2 && (await isWaiting()));
    rig.clock.warp(37_000);
    await settled(incidentId, 'delivered', 2);
    expect(receiver.requests.map((request) => payload(request).event)).toEqual([
      'monitor.down', 'monitor.down', 'monitor.down', 'monitor.up',
    ]);
    expect(payload(receiver.requests[3]).subject).toBe('[UP] Shop — is back up after 1 min 1 s');
  });
});

describe('the destinations of an alert', () => {
  test('are those of its monitor, or the project\'s default ones', async () => {
    const { alerts } = rig.controller();
    const at = (path: string) => `${receiver.url}/${path}`;
    const named = await rig.destination(at('named'), { is_default: false });
    await rig.destination(at('default'));
    await rig.destination(at('disabled'), { enabled: false });
    await rig.destination(at('foreign'), { project_id: 'another' });
    await rig.destination(at('foreign'), { organization_id: 'another' });
    const receiversOf = async (ids: string[]) => {
      receiver.requests.length = 0;
      const incidentId = newId(1);
      await alerts.fanOut(
        alertOf(monitorConfig({ notification_target_ids: ids }), incidentId, { startedAt: rig.clock.now() }),
      );
      await settled(incidentId, 'delivered');
      return receiver.requests.map((request) => request.path);
    };
    expect(await receiversOf([])).toEqual(['/default']);
    expect(await receiversOf([named._id])).toEqual(['/named']);
    expect(await receiversOf([newId(5)])).toEqual(['/default']);
    expect(await receiversOf([newId(5), named._id])).toEqual(['/named']);
  });
});

describe('a receiver that fails', () => {
  test('with 500 gets five retries, each with its own id, timestamp and signature', async () => {
    const { alerts } = rig.controller();
    const destination = await rig.destination(receiver.url);
    receiver.behave(500);
    const incidentId = newId(1);
    await alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
    const waits = [10_000, 30_000, 120_000, 600_000, 3_600_000];
    for (const [at, waitMs] of waits.entries()) {
      await until(async () => (await rig.log(incidentId))[0]?.retry_count === at &&
        receiver.requests.length === at + 1 && (await isIdle(destination._id)));
      const due = (await rig.queues.find(destination._id))?.due_at as number;
      expect(due - rig.clock.now()).toBeGreaterThan(waitMs - 3000);
      expect(due - rig.clock.now()).toBeLessThanOrEqual(waitMs * 1.2);
      expect((await rig.log(incidentId))[0]).toMatchObject({
        status: 'pending', error_message: 'the receiver responded with status 500',
      });
      rig.clock.warp(waitMs * 1.2);
    }
    await settled(incidentId, 'failed');
    const [entry] = await rig.log(incidentId);
    expect(entry).toMatchObject({
      retry_count: 5, max_retries: 5, delivered_at: null, error_message: 'the receiver responded with status 500',
      last_retry_at: expect.any(Number),
    });
    expect(receiver.requests).toHaveLength(6);
    const secret = (await rig.destinations.findById(destination._id))?.secret as string;
    expect(receiver.requests.every((request) => isSigned(request, secret))).toBe(true);
    for (const name of ['x-service-delivery', 'x-service-timestamp', 'x-service-signature']) {
      expect(new Set(receiver.requests.map((request) => request.headers[name])).size).toBe(6);
    }
    const health = await until(async () => {
      const found = (await rig.queues.health([destination._id])).get(destination._id);
      return found?.consecutive_failures === 6 && found;
    });
    expect(health).toMatchObject({ status: 'failing', last_error: 'the receiver responded with status 500' });
  });

  test('and recovers gets the alert and is healthy again', async () => {
    const { alerts } = rig.controller();
    const destination = await rig.destination(receiver.url);
    receiver.choose(() => (receiver.requests.length < 2 ? 'close' : 204));
    const incidentId = newId(1);
    await alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
    await until(
      async () => (await rig.queues.health([destination._id])).get(destination._id)?.status === 'failing',
    );
    await until(() => isIdle(destination._id));
    rig.clock.warp(12_000);
    await settled(incidentId, 'delivered');
    expect((await rig.log(incidentId))[0]).toMatchObject({
      retry_count: 1, error_message: null, last_retry_at: expect.any(Number),
      delivered_at: expect.any(Number),
    });
    await until(
      async () => (await rig.queues.health([destination._id])).get(destination._id)?.status === 'healthy',
    );
  });

  test.each([400, 401, 404, 410, 429])('with %i is attempted once and stays enabled', async (status) => {
    const { alerts } = rig.controller();
    const destination = await rig.destination(receiver.url);
    receiver.behave(status);
    const incidentId = newId(1);
    await alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
    await settled(incidentId, 'failed');
    rig.clock.warp(8 * 3_600_000);
    await until(async () => (await rig.queues.find(destination._id))?.due_at === undefined);
    expect(receiver.requests).toHaveLength(1);
    expect((await rig.log(incidentId))[0]).toMatchObject({
      retry_count: 0, error_message: `the receiver responded with status ${status}`,
    });
    expect((await rig.destinations.findById(destination._id))?.enabled).toBe(true);
    await until(
      async () => (await rig.queues.health([destination._id])).get(destination._id)?.status === 'failing',
    );
  });

  test('with a redirect to a private address is not followed', async () => {
    const sink = await startReceiver();
    const { alerts } = rig.controller();
    await rig.destination(receiver.url);
    receiver.behave((response) => void response.writeHead(302, { location: sink.url }).end());
    const incidentId = newId(1);
    await alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
    await settled(incidentId, 'failed');
    expect([receiver.requests.length, sink.connections]).toEqual([1, 0]);
    await sink.close();
  });

  test('with a slow body after its 2xx gets the alert once and delays no others', async () => {
    const { alerts } = rig.controller();
    const well = await startReceiver();
    let body: Drip | null = null;
    receiver.behave((response) => void (body = drip(response, '.', 50)));
    await Promise.all([rig.destination(receiver.url), rig.destination(well.url)]);
    const incidentId = newId(1);
    await alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
    await settled(incidentId, 'delivered', 2);
    expect((await rig.log(incidentId)).map((entry) => [entry.retry_count, entry.error_message])).toEqual([
      [0, null], [0, null],
    ]);
    await until(() => body?.isOpen === false, { what: 'the slow connection is cut off' });
    expect([receiver.requests.length, well.requests.length]).toEqual([1, 1]);
    await well.close();
  });

  test.each([
    [
      'a name that was public when it was saved', 'rebind.example', [['93.184.216.34'], ['127.0.0.1']],
      '127.0.0.1 is a loopback address',
    ],
    [
      'a name one of whose addresses has become private', 'two.example',
      [['93.184.216.34'], ['93.184.216.34', '10.0.0.7']], '10.0.0.7 is a private address',
    ],
    [
      'a name that now resolves to the metadata service', 'meta.example',
      [['93.184.216.34'], ['::ffff:169.254.169.254']], null,
    ],
  ])('by %s is never connected to: the log shows failed, and there is no other attempt', async (
    _what, host, addressLists, reason,
  ) => {
    const resolve = async () => (addressLists.length > 1 ? addressLists.shift() : addressLists[0]) as string[];
    const vetting = createAddressVetting({ resolve, allowPrivate: false, clock: systemClock });
    const poster = new HttpPoster({ clock: systemClock, vetting });
    const { alerts } = rig.controller({ poster });
    const url = `http://${host}:${receiver.port}/hook`;
    expect(await vetting.urlRefusal(url, 'org-1')).toBeNull();
    const destination = await rig.destination(url);
    const incidentId = newId(1);
    await alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
    await settled(incidentId, 'failed');
    const [entry] = await rig.log(incidentId);
    expect(entry).toMatchObject({
      channel: 'webhook', recipient: url, retry_count: 0, delivered_at: null,
      error_message: reason === null ? expect.stringMatching(/^not sent: /) as string : `not sent: ${reason}`,
    });
    rig.clock.warp(8 * 3_600_000);
    await until(async () => (await rig.queues.find(destination._id))?.due_at === undefined);
    expect((await rig.log(incidentId))[0]).toEqual(entry);
    expect([receiver.connections, (await rig.queues.health([destination._id])).get(destination._id)?.status])
      .toEqual([0, 'failing']);
    await poster.close();
  });

  async function isIdle(destinationId: string): Promise<boolean> {
    return ((await rig.queues.find(destinationId))?.due_at ?? 0) > rig.clock.now();
  }
});

test('the log drops entries after 400 days', async () => {
  const { alerts } = rig.controller();
  await rig.destination(receiver.url);
  const incidentId = newId(1);
  await alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
  await settled(incidentId, 'delivered');
  rig.clock.warp(399 * 86_400_000);
  await until(() => rig.mongo.ping().then(() => true));
  expect(await rig.log(incidentId)).toHaveLength(1);
  rig.clock.warp(2 * 86_400_000);
  await until(async () => (await rig.log(incidentId)).length === 0);
});

test('a failing store delays deliveries, and loses or repeats none', async () => {
  const deliveries = new DeliveryStore(rig.mongo.db);
  let failures = 0;
  const failing = <T extends unknown[], R>(method: (...args: T) => Promise<R>, times: number) => {
    let left = times;
    return async (...args: T): Promise<R> => {
      if (left-- <= 0) return method(...args);
      failures += 1;
      throw new Error('the store is away');
    };
  };
  deliveries.pending = failing(deliveries.pending.bind(deliveries), 2);
  deliveries.claim = failing(deliveries.claim.bind(deliveries), 2);
  deliveries.settle = failing(deliveries.settle.bind(deliveries), 2);
  const { alerts } = rig.controller({ deliveries });
  await rig.destination(receiver.url);
  const incidentId = newId(1);
  await alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
  await until(async () => {
    rig.clock.warp(500);
    return (await rig.log(incidentId))[0]?.status === 'delivered';
  });
  expect(failures).toBe(6);
  expect(receiver.requests).toHaveLength(1);
});

describe('two controllers that serve the same destination', () => {
  test('send each alert once, and those of a monitor in order', async () => {
    const [one, other] = [rig.controller(), rig.controller()];
    await rig.destination(receiver.url);
    const monitors = Array.from({ length: 10 }, () => monitorConfig());
    const incidentId = newId(1);
    const startedAt = rig.clock.now();
    for (let iteration = 0; iteration < 4; iteration += 1) {
      await Promise.all(monitors.map(async (monitor, at) => {
        const from = at % 2 === 0 ? one : other;
        await from.alerts.fanOut(alertOf(
          monitor, incidentId, iteration % 2 === 0 ? { startedAt } : { startedAt, resolvedAt: startedAt + iteration },
        ));
      }));
    }
    await settled(incidentId, 'delivered', 40);
    expect(receiver.requests).toHaveLength(40);
    for (const monitor of monitors) {
      const events = receiver.requests.map(payload).filter(
        (sent) => sent.monitor?.id === monitor.monitor_id,
      ).map((sent) => sent.event);
      expect(events).toEqual(['monitor.down', 'monitor.up', 'monitor.down', 'monitor.up']);
    }
  });
});

describe('a destination', () => {
  test('fails its waiting alerts when it is deleted or disabled', async () => {
    const { alerts, service } = rig.controller();
    receiver.behave(500);
    const [gone, off] = [await rig.destination(receiver.url), await rig.destination(receiver.url)];
    const [first, second] = [newId(1), newId(2)];
    const named = (id: string) => monitorConfig({ notification_target_ids: [id] });
    await alerts.fanOut(alertOf(named(gone._id), first, { startedAt: rig.clock.now() }));
    await alerts.fanOut(alertOf(named(off._id), second, { startedAt: rig.clock.now() }));
    await until(async () => (await rig.log(first))[0]?.error_message && (await rig.log(second))[0]?.error_message);
    await rig.destinations.remove(
      { organizationId: gone.organization_id, projectId: gone.project_id }, gone._id,
    );
    await rig.queues.markDeleted(gone._id, rig.clock.now());
    service.wake([gone._id]);
    await rig.destinations.change(off, { enabled: false, updated_at: 1 });
    await settled(first, 'failed');
    expect((await rig.log(first))[0]).toMatchObject({ error_message: 'the integration was deleted' });
    await until(async () => (await rig.queues.find(gone._id)) === null, { what: 'the queue is removed' });
    rig.clock.warp(12_000);
    await settled(second, 'failed');
    expect((await rig.log(second))[0]).toMatchObject({ error_message: 'the integration was disabled' });
    expect(receiver.requests).toHaveLength(2);
  });

  test('for mail logs the bounced address, and is failing while one address fails', async () => {
    const smtp = await startSmtpServer();
    const mail = {
      from: 'Farwatch <farwatch@example.com>', isFromConfigured: true, mailgun: null, smtpUrl: smtp.url,
    };
    const mailer =
      openMailer(mail, { folder: 'unused', clock: systemClock, log: createLog('test', 'silent') });
    const { alerts } = rig.controller({ mailer });
    const [well, gone] = ['ops@example.com', 'gone@example.com'];
    const destination = await rig.destination({ type: 'email', config: { to: [well, gone] } });
    const failing = new FailingCount(
      () => rig.queues.countFailing([...shardMap.all]), rig.clock,
    );
    failing.start();
    const registry = new Registry();
    observeDeliveries(registry, { service: rig.controller({ ownsShard: () => false }).service, failing });
    const health = async () => (await rig.queues.health([destination._id])).get(destination._id);
    const outcomesOfAlert = async () => {
      const incidentId = newId(rig.clock.now());
      await alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
      await settled(incidentId, 'pending', 0);
      await until(
        async () => (await rig.queues.find(destination._id))?.due_at === undefined,
        { what: 'an idle queue' },
      );
      return (await rig.log(incidentId)).map(
        (entry) => [entry.recipient, entry.status, entry.error_message],
      ).toSorted();
    };
    await smtp.behave({ code: 550, text: 'no such user', at: 'rcpt', to: gone });
    for (const _time of [1, 2]) {
      expect(await outcomesOfAlert()).toEqual([
        [gone, 'bounced', expect.stringContaining('no such user')], [well, 'delivered', null],
      ]);
      expect(await health()).toMatchObject({
        status: 'failing', failing_recipients: [gone],
        last_error: expect.stringMatching(/^gone@example\.com: .*no such user/) as string,
      });
    }
    expect((await health())?.consecutive_failures).toBe(2);
    const gauge = async () =>
      Number(/^farwatch_destinations_failing (\d+)$/m.exec(await registry.metrics())?.[1]);
    rig.clock.warp(10_000);
    await until(async () => (await gauge()) === 1, { what: 'the destination counts as failing' });
    await smtp.behave('accept');
    expect(await outcomesOfAlert()).toEqual([[gone, 'delivered', null], [well, 'delivered', null]]);
    expect(await health()).toMatchObject({
      status: 'healthy', failing_since: null, failing_recipients: [], consecutive_failures: 0,
      last_error: null,
    });
    // The address was removed while an attempt to it was in flight.
    const [seen, change] = [
      await rig.destinations.findById(destination._id) as DestinationDoc,
      { config: { to: [well] }, updated_at: rig.clock.now() },
    ];
    await rig.destinations.change(seen, change);
    await rig.queues.clearFailures(destination._id);
    await rig.queues.recordFailure(
      destination._id, { reason: 'no such user', recipient: gone }, rig.clock.now(),
    );
    expect(await outcomesOfAlert()).toEqual([[well, 'delivered', null]]);
    expect(await health()).toMatchObject({
      status: 'healthy', failing_since: null, failing_recipients: [], consecutive_failures: 0,
      last_error: null,
    });
    rig.clock.warp(10_000);
    await until(async () => (await gauge()) === 0, { what: 'the destination does not count as failing' });
    await failing.stop();
    await mailer.close();
    await smtp.stop();
  });

  test('sends an alert that had to wait for the database', async () => {
    const { alerts } = rig.controller({ ownsShard: () => false });
    const destination = await rig.destination(`${receiver.url}/hook`);
    await alerts.fanOut(alertOf(monitorConfig(), newId(1), { startedAt: rig.clock.now() }));
    const [waiting] = await rig.deliveries.pending(destination._id, 1);
    const runInTurn = <T>(work: () => Promise<T>): Promise<T> => {
      rig.clock.warp(25_000);
      return work();
    };
    const deps = { ...rig.stores().attempt, runInTurn };
    const attempt = attemptDelivery(deps, { id: waiting?.id as string }, new AbortController().signal);
    expect(await attempt).toMatchObject({ outcome: { kind: 'sent' }, isResumed: false });
    expect(receiver.requests).toHaveLength(1);
  });

  test('whose address changes between two attempts gets the second one at the new address', async () => {
    const { alerts } = rig.controller();
    const destination = await rig.destination(`${receiver.url}/old`);
    receiver.choose((request) => (request.path === '/old' ? 503 : 200));
    const incidentId = newId(1);
    await alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
    await until(async () => (await rig.log(incidentId))[0]?.error_message);
    expect((await rig.log(incidentId))[0]?.recipient).toBe(`${receiver.url}/old`);
    await until(async () => ((await rig.queues.find(destination._id))?.due_at ?? 0) > rig.clock.now());
    await rig.destinations.change(
      destination, { config: { url: `${receiver.url}/new`, method: 'POST', headers: [] }, updated_at: 1 },
    );
    rig.clock.warp(12_000);
    await settled(incidentId, 'delivered');
    expect((await rig.log(incidentId))[0]).toMatchObject({
      recipient: `${receiver.url}/new`, retry_count: 1,
    });
    expect(receiver.requests.map((request) => request.path)).toEqual(['/old', '/new']);
  });

  test('whose secret is rotated gets the next attempt signed with the new one', async () => {
    const { alerts } = rig.controller();
    const destination = await rig.destination(receiver.url, { secret: 'whsec_old' });
    receiver.behave(500);
    const incidentId = newId(1);
    await alerts.fanOut(alertOf(monitorConfig(), incidentId, { startedAt: rig.clock.now() }));
    await until(async () => (await rig.log(incidentId))[0]?.error_message);
    receiver.behave(200);
    await rig.destinations.replaceSecret(
      { organizationId: destination.organization_id, projectId: destination.project_id }, destination._id,
      'whsec_new',
    );
    await until(async () => ((await rig.queues.find(destination._id))?.due_at ?? 0) > rig.clock.now());
    rig.clock.warp(12_000);
    await settled(incidentId, 'delivered');
    expect(
      receiver.requests.map((request) => [isSigned(request, 'whsec_old'), isSigned(request, 'whsec_new')]),
    ).toEqual([[true, false], [false, true]]);
  });
});
