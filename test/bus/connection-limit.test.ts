import { connect, nkeyAuthenticator, type NatsConnection } from 'nats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_CONNECTIONS, SUSPENSION_MS } from '../../controller/platform/bus/connection-limit.ts';
import { openConnections } from '../../controller/platform/bus/open-connections.ts';
import { probeUser } from '../../controller/probes/bus-user.ts';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import type { Loose } from '../helpers/api-client.ts';
import { startCalloutServer } from '../helpers/callout-server.ts';
import { fileServer, FleetRig, type RigNats } from '../helpers/fleet-rig.ts';
import { natsPrograms, natsVersions } from '../helpers/nats-programs.ts';
import { startNats } from '../helpers/nats-server.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';

/** Each way in which a server gets its probes. */
const servers: [string, () => Promise<RigNats>][] = natsVersions().map(
  (version) => [`a user file, ${version}`, async () => fileServer(await startNats({ version }))],
);
if (natsPrograms().newest) {
  servers.push(['auth callout', async () => (await startCalloutServer()) as RigNats]);
}
const FLOOD = 2 * MAX_CONNECTIONS;

describe.each(servers)('a stolen probe key with %s', (_name, startServer) => {
  const clock = new SimulatedClock(Date.now());
  let rig: FleetRig;
  let thief: TestProbe;
  let other: TestProbe;
  const opened: NatsConnection[] = [];

  beforeAll(async () => {
    rig = await FleetRig.on(await startServer());
    await rig.controller({ clock });
    thief = await rig.probe('thief');
    other = await rig.probe('other');
  });
  afterAll(async () => {
    await Promise.all(opened.map((connection) => connection.close()));
    await rig.stop();
  });

  const connectAs = async (probe: TestProbe): Promise<NatsConnection | null> => {
    const authenticator = nkeyAuthenticator(probe.user.getSeed());
    const connection = await connect({ servers: rig.nats.url, authenticator, reconnect: false }).catch(() => null);
    if (connection) opened.push(connection);
    return connection;
  };
  const bus = () => (rig.fleets[0] as FleetRig['fleets'][0]).bus;
  const connectionsOf = async (probe: TestProbe): Promise<number> => {
    const all = await openConnections(bus());
    return all.filter(({ key }) => key === probe.user.getPublicKey()).length;
  };

  test('can subscribe only a few times per connection', async () => {
    const connection = await connectAs(thief) as NatsConnection;
    const callback = (): void => undefined;
    for (let at = 0; at < 200; at += 1) {
      connection.subscribe(`_INBOX_${thief.enrolment?.probe_id}.${at}`, { callback });
    }
    await connection.flush().catch(() => undefined);
    const response = await bus().request('nats.connections', '{"auth":true}', { timeoutMs: 60_000 });
    const { data } = JSON.parse(Buffer.from(response).toString()) as Loose;
    const ofProbes = data.connections.filter((one: Loose) => one.account === 'PROBES');
    expect(Math.max(...ofProbes.map((one: Loose) => one.subscriptions))).toBe(16);
    await connection.close();
  });

  test('has up to eight connections', async () => {
    await clock.advance(2000);
    while (await connectionsOf(thief) < MAX_CONNECTIONS) expect(await connectAs(thief)).not.toBe(null);
    await clock.advance(2000);
    expect(await connectionsOf(thief)).toBe(MAX_CONNECTIONS);
    expect(thief.nats.isClosed()).toBe(false);
  });

  test('is refused for a minute when it opens more, while other probes connect', async () => {
    for (let at = 0; at < FLOOD; at += 1) await connectAs(thief);
    await until(async () => {
      await clock.advance(1000);
      return await connectionsOf(thief) === 0;
    }, { what: 'its connections are closed' });
    expect(await connectAs(thief)).toBe(null);
    expect(other.nats.isClosed()).toBe(false);
    expect(await connectAs(other)).not.toBe(null);

    await clock.advance(SUSPENSION_MS);
    await until(async () => {
      await clock.advance(1000);
      return connectAs(thief);
    }, { what: 'it can connect again' });
  });
});

const starts: [string, typeof startCalloutServer][] = natsVersions().map(
  (version) => [`npm start, ${version}`, async (configure) => fileServer(await startNats({ version, configure }))],
);
if (natsPrograms().newest) starts.push(['the example for operators', startCalloutServer]);

test.each(starts)('the server of %s limits a client\'s unread data and the length of its lines', async (_name, start) => {
  const monitoring = await freePort();
  const nats = await start((text) => `http: "127.0.0.1:${monitoring}"\n${text}`);
  const limits = await (await fetch(`http://127.0.0.1:${monitoring}/varz`)).json() as Loose;
  expect(limits).toMatchObject({ max_pending: 33_554_432, max_control_line: 4096 });
  await nats?.stop();
});

test.runIf(natsPrograms().newest)('on a server whose operator maintains the users, its connections are closed', async () => {
  const withKick = (text: string) => text
    .replace('exports: [', 'exports: [\n{ service: "$SYS.REQ.SERVER.*.KICK", accounts: [CONTROL] }')
    .replace('imports: [', 'imports: [\n{ service: { account: SYS, subject: "$SYS.REQ.SERVER.*.KICK" }, to: "nats.kick.*" }');
  const nats = await startNats({ version: 'newest', configure: withKick });
  const rig = await FleetRig.on({ ...fileServer(nats), users: null });
  await rig.controller();
  const [thief, other] = [await rig.enrolled('thief'), await rig.enrolled('other')];
  await nats.setUsers([thief, other].map(({ enrolment, user }) => {
    const facts = { _id: enrolment?.probe_id as string, region_id: 'local', public_key: user.getPublicKey() };
    const { public_key: nkey, permissions } = probeUser(facts);
    return { nkey, permissions };
  }));
  await other.connect();
  const authenticator = nkeyAuthenticator(thief.user.getSeed());
  const opened = [];
  for (let at = 0; at < FLOOD; at += 1) opened.push(await connect({ servers: nats.url, authenticator, reconnect: false }));
  await Promise.all(opened.map((connection) => connection.closed()));
  expect(other.nats.isClosed()).toBe(false);
  await rig.stop();
});
