import { connect, nkeyAuthenticator, type NatsConnection } from 'nats';
import { createUser } from 'nkeys.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reconcileRawConsumers } from '../../controller/platform/bus/raw-consumers.ts';
import { ensureRawStream } from '../../controller/platform/bus/raw-stream.ts';
import type { NatsBus } from '../../controller/platform/bus/bus.ts';
import { connectBus } from '../../controller/platform/bus/connect-bus.ts';
import { subscriberUser, type SubscriptionDoc, viewSubscription } from '../../controller/subscriptions/subscription.ts';
import { createLog } from '../../shared/log.ts';
import { natsVersions } from '../helpers/nats-programs.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { Subscriber } from '../helpers/subscriber.ts';
import { until } from '../helpers/until.ts';
import { connectProbe, makeProbeUser } from './probe-user.ts';

const THEIRS = 'subscriber-victim';
/** Subjects that someone with a subscriber's credential would try to read. */
const FORBIDDEN_SUBSCRIPTIONS = [
  '>', '*.>', 'raw.>', 'raw.org-2.>', 'raw.*.project.>', 'raw', 'events.>', 'events.org-2.>', 'events.*.>',
  'results.>', 'sync.>', 'beat.>', 'evidence.>', 'assign.>', 'run.>', 'ask.>', 'poke.>', 'live.>',
  '_INBOX.>', '_INBOX_victim.>', '_R_.>', '$JS.>', '$JS.API.>', '$JS.ACK.>', '$JS.EVENT.>', '$SYS.>',
];
/** And to publish to. */
const FORBIDDEN_PUBLISHES = [
  'raw.org-1.project.monitor.eu', 'raw.org-2.project.monitor.eu', 'events.org-1.project.incident',
  'events.org-2.project.incident', 'results.05.eu.probe-1', 'sync.eu.probe-1', 'beat.eu.probe-1',
  'evidence.eu.probe-1', 'assign.eu.probe-1', 'run.eu.probe-1', 'ask.05.open', 'poke.05',
  'poke.subscriptions', 'live.projects', 'live.ask', '_INBOX_victim.x', '_R_.x.y',
  ...['INFO', 'STREAM.LIST', 'STREAM.NAMES', 'STREAM.INFO.RAW', 'STREAM.PURGE.RAW', 'STREAM.DELETE.RAW',
    'STREAM.CREATE.MINE', 'STREAM.UPDATE.RAW', 'STREAM.MSG.GET.RAW', 'STREAM.MSG.DELETE.RAW',
    'DIRECT.GET.RAW', 'STREAM.SNAPSHOT.RAW', 'CONSUMER.LIST.RAW', 'CONSUMER.NAMES.RAW',
    'CONSUMER.CREATE.RAW', 'CONSUMER.CREATE.RAW.mine.raw.org-2.>', 'CONSUMER.DURABLE.CREATE.RAW.mine',
    'CONSUMER.DELETE.RAW.subscriber-thief', 'CONSUMER.PAUSE.RAW.subscriber-thief',
    `CONSUMER.INFO.RAW.${THEIRS}`, `CONSUMER.MSG.NEXT.RAW.${THEIRS}`,
  ].flatMap((call) => [`$JS.API.${call}`, `$JS.FARWATCH.API.${call}`]),
  `$JS.ACK.RAW.${THEIRS}.1.1.1.1.0`, '$JS.ACK.RAW.>', '$JS.FC.RAW.x', '$SYS.REQ.SERVER.PING',
  '$SYS.REQ.USER.AUTH', 'nats.connections',
];

describe.each(natsVersions())('a stolen subscriber credential on %s', (version) => {
  const [thiefKey, victimKey] = [createUser(), createUser()];
  const docOf = (id: string, organization_id: string, public_key: string): SubscriptionDoc =>
    ({ _id: id, organization_id, name: id, public_key, created_by: 'u', created_at: 0 });
  const docs = [
    docOf('thief', 'org-1', thiefKey.getPublicKey()), docOf('victim', 'org-2', victimKey.getPublicKey()),
  ] as const;
  let nats: TestNats;
  let control: NatsBus;
  let thief: Subscriber;
  let victim: Subscriber;
  const receivedByControl: string[] = [];

  beforeAll(async () => {
    nats = await startNats({ version, jetStream: true });
    const listOf = (users: readonly SubscriptionDoc[]) =>
      users.map(subscriberUser).map(({ public_key: nkey, permissions }) => ({ nkey, permissions }));
    await nats.setSubscribers(listOf(docs));
    const log = createLog('test', 'silent');
    control = await connectBus({ url: nats.url, creds: nats.controllerCreds, name: 'control', log });
    await ensureRawStream(control);
    const wanted = () => docs.map(({ _id, organization_id }) =>
      ({ name: `subscriber-${_id}`, filter: `raw.${organization_id}.>` }));
    await reconcileRawConsumers(control, { wanted, reloadWanted: async () => wanted() });
    control.subscribe('>', ({ subject, data }) => {
      if (Buffer.from(data).toString() === 'forged') receivedByControl.push(subject);
    });
    const issued = (doc: SubscriptionDoc, key: typeof thiefKey) => ({
      subscription: viewSubscription(doc), nats_url: nats.url, seed: Buffer.from(key.getSeed()).toString(),
    });
    thief = await Subscriber.connect(issued(docs[0], thiefKey));
    victim = await Subscriber.connect(issued(docs[1], victimKey));
    await victim.listen();
    victim.nc.subscribe('_INBOX_victim.>', { callback: (_error, message) =>
      void victim.received.push({ subject: message.subject, text: message.string() }) });
    await victim.nc.flush();
  });
  afterAll(async () => {
    await Promise.all([thief?.nc.close(), victim?.nc.close(), control?.close()]);
    await nats?.stop();
  });

  test('can subscribe only to its own organization, and receives nothing else', async () => {
    const seen: string[] = [];
    for (const subject of FORBIDDEN_SUBSCRIPTIONS) {
      thief.nc.subscribe(subject, { callback: (error, message) => void (error ?? seen.push(message.subject)) });
    }
    for (const subject of FORBIDDEN_SUBSCRIPTIONS) {
      await until(() => thief.refused.includes(`subscription ${subject}`), { what: `refusal of ${subject}` });
    }
    for (const bait of ['raw.org-2.project.monitor.eu', 'events.org-2.project.incident', 'poke.05', 'live.ask']) {
      control.publish(bait, 'bait');
    }
    await until(() => victim.received.length >= 2, { what: 'the victim receives its own' });
    expect(await victim.fetch(1)).toEqual(['bait']);
    await thief.nc.flush();
    expect(seen).toEqual([]);
  });

  test('cannot publish, and can use only its own consumer of JetStream', async () => {
    const before = victim.received.length;
    for (const subject of FORBIDDEN_PUBLISHES) thief.nc.publish(subject, 'forged');
    for (const subject of FORBIDDEN_PUBLISHES) {
      await until(() => thief.refused.includes(`publish ${subject}`), { what: `refusal of ${subject}` });
    }
    await victim.nc.flush();
    expect(receivedByControl).toEqual([]);
    expect(victim.received.slice(before)).toEqual([]);
    const { streams, consumers } = await control.jetStream();
    expect((await streams.info('RAW')).config.subjects).toEqual(['raw.>']);
    expect((await consumers.list('RAW').next()).map(({ name }) => name).sort()).toEqual(
      ['subscriber-thief', THEIRS],
    );
  });

  test('everything it is permitted to do still works', async () => {
    await thief.listen();
    control.publish('raw.org-1.project.monitor.eu', 'its own');
    await until(() => thief.received.some(({ text }) => text === 'its own'), { what: 'its own result, live' });
    expect(await thief.fetch(10)).toContain('its own');
  });

  test('a forged reply delivers at most what the attacker can read itself, recognizably', async () => {
    control.publish('raw.org-1.project.monitor.eu', JSON.stringify({ organization_id: 'org-1' }));
    const before = victim.received.length;
    const own = thief.issued.subscription.consumer;
    for (const responseSubject of ['raw.org-2.project.monitor.eu', 'events.org-2.project.incident', '_INBOX_victim.x']) {
      const next = JSON.stringify({ batch: 1, no_wait: true });
      thief.nc.publish(`$JS.FARWATCH.API.CONSUMER.MSG.NEXT.RAW.${own}`, next, { reply: responseSubject });
      thief.nc.publish(`$JS.FARWATCH.API.CONSUMER.INFO.RAW.${own}`, '', { reply: responseSubject });
    }
    await until(() => victim.received.length > before, { what: 'a message of the attacker arrives' });
    await thief.nc.flush();
    const forged = victim.received.slice(before).filter(({ text }) => organizationOf(text) === 'org-2');
    expect(forged).toEqual([]);
  });

  test('a reply subject reserved by the server is refused', async () => {
    const own = thief.issued.subscription.consumer;
    thief.nc.publish(`$JS.FARWATCH.API.CONSUMER.INFO.RAW.${own}`, '', { reply: '_R_.abcdef.ghijkl' });
    await until(() => /Reply/.test(nats.log()), { what: 'the server logs a violation' });
  });

  test('a probe receives nothing of subscribers, and cannot reach JetStream through their domain', async () => {
    const probe = makeProbeUser('eu', 'probe-1');
    await nats.setUsers([probe.entry]);
    const { nc, statuses } = await connectProbe(nats.url, probe);
    nc.subscribe('raw.>', { callback: () => undefined });
    nc.publish(`$JS.FARWATCH.API.CONSUMER.MSG.NEXT.RAW.${THEIRS}`, '1');
    for (const what of ['subscription raw.>', `publish $JS.FARWATCH.API.CONSUMER.MSG.NEXT.RAW.${THEIRS}`]) {
      await until(() => statuses.some((status) => status.endsWith(what)), { what });
    }
    await nc.close();
  });

  test('clients cannot connect without a key, with an unknown one, or as another user', async () => {
    const attempt = (options: Parameters<typeof connect>[0]): Promise<NatsConnection> =>
      connect({ servers: nats.url, reconnect: false, tls: null, ...options });
    const unknownUser = nkeyAuthenticator(createUser().getSeed());
    const asVictim = (nonce?: string) =>
      ({ ...nkeyAuthenticator(thiefKey.getSeed())(nonce), nkey: victimKey.getPublicKey() });
    for (const options of [
      {}, { user: 'a', pass: 'b' }, { token: 't' }, { authenticator: unknownUser }, { authenticator: asVictim },
    ]) {
      await expect(attempt(options as object)).rejects.toThrow(/Authorization/);
    }
  });

  test('the server listens on its one port only: no monitoring, WebSocket, MQTT or cluster', () => {
    const listening = nats.log().match(/Listening for .*/g) ?? [];
    expect(listening).toHaveLength(1);
    expect(listening[0]).toContain('client connections on 127.0.0.1');
    expect(/Starting https? monitor/.test(nats.log())).toBe(false);
  });
});

function organizationOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { organization_id?: unknown }).organization_id;
  } catch {
    return undefined;
  }
}
