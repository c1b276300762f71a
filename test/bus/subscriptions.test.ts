import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NatsBus } from '../../controller/platform/bus/bus.ts';
import { connectBus } from '../../controller/platform/bus/connect-bus.ts';
import { createLog } from '../../shared/log.ts';
import { startCalloutServer } from '../helpers/callout-server.ts';
import { startMongoProxy } from '../helpers/fault-proxy.ts';
import { fileServer, type RigNats } from '../helpers/fleet-rig.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { natsPrograms, natsVersions } from '../helpers/nats-programs.ts';
import { startNats } from '../helpers/nats-server.ts';
import { Subscriber, type IssuedSubscription } from '../helpers/subscriber.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';

/** Consecutive refusals after which no controller is expected to admit it. */
const REFUSALS = 30;
const log = createLog('test', 'silent');

/** Each way in which a server gets its subscribers. */
const servers: [string, () => Promise<RigNats>][] = natsVersions().map(
  (version) => [`user files, ${version}`, async () => fileServer(await startNats({ version }))],
);
if (natsPrograms().newest) {
  servers.push(['auth callout', async () => (await startCalloutServer()) as RigNats]);
}

describe.each(servers)('subscriptions with %s', (name, startServer) => {
  let nats: RigNats;
  let bus: NatsBus;
  let app: TestApp;
  let tenant: Tenant;
  let other: Tenant;
  let mine: IssuedSubscription;
  let subscriber: Subscriber;
  let neighbour: Subscriber;

  const openBus = () => connectBus({ url: nats.url, creds: nats.controllerCreds, name: 'controller', log });
  const settings = () => ({
    NATS_URL: nats.url, NATS_CREDS: nats.controllerCreds,
    ...(nats.users === null ? {} : { NATS_USERS_FILE: nats.users.file, NATS_PID_FILE: nats.users.pidFile }),
  });
  const subscribe = async ({ owner }: Tenant): Promise<IssuedSubscription> => {
    const response = await owner.client.post('/api/subscriptions', { name: 'Archive' });
    expect(response.status, response.text).toBe(201);
    return response.data;
  };
  const connected = (issued: IssuedSubscription) =>
    until(() => Subscriber.connect(issued).catch(() => null), { what: 'the subscriber connects' });
  const consumersOf = async (): Promise<string[]> => {
    const { consumers } = await bus.jetStream();
    return (await consumers.list('RAW').next()).map((one) => one.name);
  };
  const ownRaw = (of: Tenant, at: number): [string, string] =>
    [`raw.${of.organizationId}.${of.projectId}.m.r`, JSON.stringify({ of: of.organizationId, at })];

  beforeAll(async () => {
    nats = await startServer();
    bus = await openBus();
    app = await makeApp({ bus, env: settings() });
    // Repeats what failed, for example while NATS reads its new list of users.
    app.controller.subscriptions.stream.start();
    [tenant, other] = [await newTenant(app), await newTenant(app)];
    mine = await subscribe(tenant);
    subscriber = await connected(mine);
    neighbour = await connected(await subscribe(other));
    await Promise.all([subscriber.listen(), neighbour.listen()]);
    await until(async () => (await consumersOf().catch(() => [])).length === 2, { what: 'both consumers' });
  });
  afterAll(async () => {
    await Promise.all([subscriber, neighbour].map((one) => one?.nc.close()));
    await app?.close();
    await bus?.close();
    await nats?.stop();
  });

  test('a subscriber receives the results and events of its own organization live', async () => {
    for (const of of [other, tenant]) {
      bus.publish(...ownRaw(of, 1));
      bus.publish(`events.${of.organizationId}.${of.projectId}.incident`, `event of ${of.organizationId}`);
    }
    const own = ({ organizationId, projectId }: Tenant) => [
      { subject: `raw.${organizationId}.${projectId}.m.r`, text: ownRaw({ organizationId, projectId } as Tenant, 1)[1] },
      { subject: `events.${organizationId}.${projectId}.incident`, text: `event of ${organizationId}` },
    ];
    await until(() => subscriber.received.length >= 2 && neighbour.received.length >= 2, { what: 'messages' });
    expect(subscriber.received).toEqual(own(tenant));
    expect(neighbour.received).toEqual(own(other));
  });

  test('it fetches messages published while it was disconnected, and acknowledged ones only once', async () => {
    const away = await connected(await subscribe(tenant));
    expect(await away.fetch(10)).toEqual([ownRaw(tenant, 1)[1]]);
    await away.nc.close();
    for (let at = 2; at <= 4; at += 1) {
      bus.publish(...ownRaw(tenant, at));
      bus.publish(...ownRaw(other, at));
    }
    const back = await Subscriber.connect(away.issued);
    expect(await back.fetch(2)).toEqual([2, 3].map((at) => ownRaw(tenant, at)[1]));
    await back.nc.close();
    const again = await Subscriber.connect(away.issued);
    expect(await again.fetch(10)).toEqual([ownRaw(tenant, 4)[1]]);
    await again.nc.close();
  });

  test('a deleted subscription is disconnected at once, and its consumer is removed', async () => {
    const issued = await subscribe(tenant);
    const doomed = await connected(issued);
    const { id, consumer } = issued.subscription;
    await until(async () => (await consumersOf()).includes(consumer), { what: 'its consumer' });
    const ended = doomed.nc.closed();
    const { reconnects } = bus.stats();
    expect((await tenant.owner.client.delete(`/api/subscriptions/${id}`)).status).toBe(200);
    await ended;
    await expect(Subscriber.connect(issued)).rejects.toThrow(/Authorization/);
    await until(async () => !(await consumersOf()).includes(consumer), { what: 'its consumer is gone' });
    expect([subscriber.nc.isClosed(), neighbour.nc.isClosed()]).toEqual([false, false]);
    expect(bus.stats().reconnects).toBe(reconnects);
  });

  test('another controller is notified at once of created and deleted subscriptions', async () => {
    const second = await openBus();
    const rest = await makeApp({ bus: second, env: settings(), mongoUrl: app.mongoUrl });
    const { directory } = rest.controller.readers;
    await directory.start();
    const has = (id: string) => directory.all().some((one) => one._id === id);
    const { subscription: { id } } = await subscribe(tenant);
    await until(() => has(id), { what: 'the other controller knows it' });
    await tenant.owner.client.delete(`/api/subscriptions/${id}`);
    await until(() => !has(id), { what: 'the other controller has removed it' });
    await rest.close();
    await second.close();
  });

  test.runIf(name === 'auth callout')('a controller that cannot read a deletion admits no one', async () => {
    const toMongo = await startMongoProxy(app.mongoUrl);
    const second = await openBus();
    const rest = await makeApp({ bus: second, env: settings(), mongoUrl: toMongo.url });
    await rest.controller.readers.directory.start();
    const issued = await subscribe(tenant);
    const { fleet } = rest.controller;
    await fleet.lifecycle.start();
    await second.flush().then(() => fleet.identities.publish());
    toMongo.drop();
    await tenant.owner.client.delete(`/api/subscriptions/${issued.subscription.id}`);
    for (let at = 0; at < REFUSALS; at += 1) {
      await expect(Subscriber.connect(issued)).rejects.toThrow(/Authorization/);
    }
    toMongo.heal();
    await rest.close();
    await Promise.all([second.close(), toMongo.close()]);
  });

  test('a lost consumer is recreated, and an orphaned one is removed', async () => {
    const { consumers } = await bus.jetStream();
    await consumers.delete('RAW', mine.subscription.consumer);
    await consumers.add('RAW', { durable_name: 'subscriber-of-nobody', filter_subject: 'raw.o.>' });
    await app.controller.subscriptions.stream.run();
    const names = await consumersOf();
    expect(names).toContain(mine.subscription.consumer);
    expect(names).not.toContain('subscriber-of-nobody');
  });

  test.runIf(name.startsWith('user files'))('JetStream stops with the last subscription', async () => {
    const file = join(dirname(nats.users?.file ?? ''), 'subscribers.conf');
    for (const { owner } of [tenant, other]) {
      const { subscriptions } = (await owner.client.get('/api/subscriptions')).data;
      for (const { id } of subscriptions) await owner.client.delete(`/api/subscriptions/${id}`);
    }
    expect(readFileSync(file, 'utf8')).toBe('subscribers: []\n');
    expect(existsSync(nats.users?.file ?? '')).toBe(true);
    await until(() => bus.jetStream().then(({ streams }) => streams.info('RAW')).then(() => false, () => true));
    const first = await connected(await subscribe(tenant));
    await until(async () => (await consumersOf().catch(() => [])).length === 1, { what: 'one consumer' });
    await first.nc.close();
  });
});
