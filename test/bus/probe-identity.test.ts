import { readFileSync, writeFileSync } from 'node:fs';
import { connect, nkeyAuthenticator, type Msg, type NatsConnection } from 'nats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NatsUsersFile, probesFileContent } from '../../controller/platform/bus/nats-users.ts';
import { probeUser } from '../../controller/probes/bus-user.ts';
import { createLog } from '../../shared/log.ts';
import { startCalloutServer } from '../helpers/callout-server.ts';
import { fileServer, FleetRig, monitorDoc, type RigNats } from '../helpers/fleet-rig.ts';
import { startMongoProxy } from '../helpers/fault-proxy.ts';
import { natsPrograms, natsVersions } from '../helpers/nats-programs.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';

const log = createLog('test', 'silent');
/** Consecutive refusals after which no controller is expected to admit it. */
const REFUSALS = 30;

/** Each way in which a server gets its probes. */
const servers: [string, () => Promise<RigNats>][] = natsVersions().map(
  (version) => [`a user file, ${version}`, async () => fileServer(await startNats({ version }))],
);
if (natsPrograms().newest) {
  servers.push(['auth callout', async () => (await startCalloutServer()) as RigNats]);
}

describe.each(servers)('probe identities with %s', (name, startServer) => {
  let rig: FleetRig;
  let probe: TestProbe;
  let other: TestProbe;

  beforeAll(async () => {
    rig = await FleetRig.on(await startServer());
    await rig.controller();
    probe = await rig.probe('one');
    other = await rig.probe('two');
  });
  afterAll(() => rig.stop());

  test('an unknown key is refused', async () => {
    const unknownProbe = new TestProbe();
    unknownProbe.enrolment = probe.enrolment;
    const attempt = connect({
      servers: rig.nats.url, authenticator: nkeyAuthenticator(unknownProbe.user.getSeed()), reconnect: false,
    });
    await expect(attempt).rejects.toThrow(/Authorization/);
    await expect(connect({ servers: rig.nats.url, reconnect: false })).rejects.toThrow(/Authorization/);
  });

  test('a probe can receive and publish only its own messages', async () => {
    const mine = address(probe);
    const theirs = address(other);
    const received: string[] = [];
    const denied = watchDenials(probe.nats);
    const forbiddenReads = [
      '>', 'assign.>', `assign.${theirs}`, `run.${theirs}`, 'results.>', 'beat.>', 'evidence.>', 'sync.>', 'events.>',
      'raw.>', '_INBOX.>', '_R_.>', `_INBOX_${theirs.split('.')[1]}.>`, '$JS.>', '$SYS.>',
    ];
    for (const subject of forbiddenReads) {
      probe.nats.subscribe(
        subject,
        { callback: (error, message) => void (error ?? received.push(`${subject}: ${message.subject}`)) },
      );
    }
    await until(
      () => forbiddenReads.every((subject) => denied.has(`subscription ${subject}`)),
      { what: 'every subscription refused' },
    );

    const forbiddenWrites = [
      `results.00.${theirs}`, `beat.${theirs}`, `evidence.${theirs}`, `sync.${theirs}`, `assign.${mine}`, `assign.${theirs}`,
      `run.${theirs}`, 'poke.00', 'ask.00.state', 'events.o.p.x', 'raw.o.p.m.r', '$JS.API.STREAM.LIST',
      '$SYS.REQ.SERVER.PING',
    ];
    const controller = rig.fleets[0]?.bus;
    for (const subject of forbiddenWrites) {
      controller?.subscribe(subject, (message) => void (Buffer.from(message.data).toString() === 'forged' &&
        received.push(`heard ${message.subject}`)));
    }
    for (const subject of forbiddenWrites) probe.nats.publish(subject, 'forged');
    await until(
      () => forbiddenWrites.every((subject) => denied.has(`publish ${subject}`)),
      { what: 'every publish refused' },
    );

    await rig.fleet.placement.apply([monitorDoc(1), monitorDoc(2), monitorDoc(3), monitorDoc(4)]);
    await other.follow();
    expect(received).toEqual([]);
  });

  test("a response redirected to another probe's inbox does not verify there", async () => {
    const redirected: Msg[] = [];
    other.nats.subscribe(
      `assign.${address(other)}`, { callback: (error, message) => void (error ?? redirected.push(message)) },
    );
    await other.nats.flush();
    probe.nats.publish(
      `sync.${address(probe)}`, JSON.stringify({ v: 1, revision: 0, after: null }),
      { reply: `assign.${address(other)}` },
    );
    const message = await until(() => redirected[0]);
    expect(() => other.open(message.data)).toThrow('for another probe');
  });

  test('a deleted probe is disconnected and its monitors move; the other probe stays connected', async () => {
    const ended = probe.nats.closed();
    const before = rig.fleets[0]?.bus.stats().reconnects;
    await rig.call('DELETE', '/api/probes/:id', { params: { id: probe.enrolment?.probe_id } });
    await ended;
    expect(other.nats.isClosed()).toBe(false);
    expect(rig.fleets[0]?.bus.stats().reconnects).toBe(before);
    await until(() => other.held.size === 4, { what: 'monitors moved' });
    await expect(connect({
      servers: rig.nats.url, authenticator: nkeyAuthenticator(probe.user.getSeed()), reconnect: false,
    })).rejects.toThrow(/Authorization/);
  });

  // User files have one controller.
  test.runIf(name === 'auth callout')('no controller admits a deleted probe that reconnects at once', async () => {
    const stubborn = await rig.probe('stubborn');
    // It never polls, so it learns of the deletion only from the notification.
    await rig.controller({ ownsAll: false, clock: new SimulatedClock(Date.now()) });
    await rig.call('DELETE', '/api/probes/:id', { params: { id: stubborn.enrolment?.probe_id } });
    let refused = 0;
    await until(async () => {
      const connection = await connectAs(stubborn, rig);
      await connection?.closed();
      refused = connection ? 0 : refused + 1;
      return refused === REFUSALS;
    }, { everyMs: 0, what: 'it is refused repeatedly' });
  });

  test.runIf(name === 'auth callout')('nor does a controller that cannot read its deletion', async () => {
    const doomed = await rig.probe('doomed');
    const toMongo = await startMongoProxy(rig.store.url);
    const mongo = checkedMongo(toMongo.url);
    const { identities } = await rig.controller({ ownsAll: false, mongo });
    await rig.fleets.at(-1)?.bus.flush().then(() => identities.publish());
    toMongo.drop();
    await rig.call('DELETE', '/api/probes/:id', { params: { id: doomed.enrolment?.probe_id } });
    for (let at = 0; at < REFUSALS; at += 1) expect(await connectAs(doomed, rig)).toBe(null);
    // Once no other controller could, it admits the probes it knows.
    const [cut] = rig.fleets.splice(-1);
    for (const { fleet, bus } of rig.fleets.splice(0)) await fleet.lifecycle.stop().then(() => bus.close());
    const connection = await connectAs(other, rig);
    expect(connection).not.toBe(null);
    await connection?.close();
    toMongo.heal();
    await cut?.fleet.lifecycle.stop();
    await Promise.all([cut?.bus.close(), mongo.close(), toMongo.close()]);
    await rig.controller();
  });

  test('a probe deleted while no controller runs is disconnected when one starts', async () => {
    const late = await rig.probe('three');
    const ended = late.nats.closed();
    const stopped = rig.fleets.splice(0);
    for (const { fleet, bus } of stopped) await fleet.lifecycle.stop().then(() => bus.close());
    await rig.mongo.db.collection('probes').deleteOne({ name: 'three' });
    await rig.controller();
    await ended;
    expect(other.nats.isClosed()).toBe(false);
  });

  test('a probe deleted while a controller starts, before NATS knows its subscriptions, is disconnected', async () => {
    const late = await rig.probe('four');
    for (const { fleet, bus } of rig.fleets.splice(0)) await fleet.lifecycle.stop().then(() => bus.close());
    // It never polls.
    await rig.controller({
      clock: new SimulatedClock(Date.now()),
      beforeFlush: async () => void await rig.mongo.db.collection('probes').deleteOne({ name: 'four' }),
    });
    await until(() => late.nats.isClosed(), { what: 'it is disconnected' });
    expect(other.nats.isClosed()).toBe(false);
  });
});

describe.each(natsVersions())('the user file of nats-server %s', (version) => {
  let nats: TestNats;
  let rig: FleetRig;

  beforeAll(async () => {
    nats = await startNats({ version });
    rig = await FleetRig.on(fileServer(nats));
    await rig.controller();
    await rig.probe('one');
  });
  afterAll(() => rig.stop());

  test('a file that disagrees with the database is corrected', async () => {
    const good = readFileSync(nats.usersFile, 'utf8');
    writeFileSync(nats.usersFile, 'users: []\n');
    await until(() => readFileSync(nats.usersFile, 'utf8') === good);
  });

  test('a server that was down gets its users when it starts, and later ones after a signal', async () => {
    await nats.kill9();
    const late = await rig.enrolled('three');
    await nats.restart();
    await late.connect();
    const later = await rig.enrolled('four');
    await later.connect();
  });
});

test('the user file has the same bytes for the same probes, and an empty list for none', () => {
  const users = [
    { _id: 'b', region_id: 'r', public_key: 'UB' },
    { _id: 'a', region_id: 'r', public_key: 'UA' },
  ].map(probeUser);
  expect(probesFileContent([])).toBe('users: []\n');
  expect(probesFileContent(users)).toBe(probesFileContent([...users].reverse()));
  expect(probesFileContent(users).split('\n')[1]).toBe(
    '{"nkey":"UA","permissions":{"publish":{"allow":["results.*.r.a","sync.r.a","beat.r.a","evidence.r.a"]},"subscribe":{"allow":["assign.r.a","run.r.a","_INBOX_a.>"]},"allow_responses":{"max":1,"expires":"60s"}}},',
  );
});

test('a stale pid file that names another process does not affect that process', async () => {
  const { mkdtempSync, rmSync } = await import('node:fs');
  const { spawn } = await import('node:child_process');
  const dir = mkdtempSync('/tmp/farwatch-users-');
  const bystander = spawn('cat', { stdio: ['pipe', 'pipe', 'inherit'] });
  writeFileSync(`${dir}/pid`, `${bystander.pid}\n`);
  const users = new NatsUsersFile({ file: `${dir}/users.conf`, pidFile: `${dir}/pid` }, log);
  await users.publish([probeUser({ _id: 'p', region_id: 'r', public_key: 'U' })]);
  const echo =
    new Promise((resolve) => bystander.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())));
  bystander.stdin.write('alive');
  expect(await Promise.race([echo, new Promise((resolve) => bystander.once('exit', resolve))])).toBe('alive');
  bystander.kill();
  rmSync(dir, { recursive: true });
});

/** A connection as the probe; null if NATS refuses it. */
function connectAs({ user }: TestProbe, { nats }: FleetRig): Promise<NatsConnection | null> {
  const authenticator = nkeyAuthenticator(user.getSeed());
  return connect({ servers: nats.url, authenticator, reconnect: false }).catch(() => null);
}

function address(probe: TestProbe): string {
  return `${probe.enrolment?.region_id}.${probe.enrolment?.probe_id}`;
}

function watchDenials(connection: NatsConnection): Set<string> {
  const denied = new Set<string>();
  void (async () => {
    for await (const status of connection.status()) {
      if (status.permissionContext) {
        denied.add(`${status.permissionContext.operation} ${status.permissionContext.subject}`);
      }
    }
  })();
  return denied;
}
