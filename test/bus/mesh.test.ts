import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PeerPing } from '../../shared/contracts/mesh.ts';
import { meshOrder, type MeshOrder } from '../../shared/contracts/mesh.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock } from '../../shared/time.ts';
import { choosePinger } from '../../probe/checks/icmp/choose-pinger.ts';
import { planPing } from '../../probe/checks/icmp/pinger.ts';
import { loadProbeConfig } from '../../probe/config.ts';
import { startProbe, type RunningProbe } from '../../probe/probe.ts';
import type { Loose } from '../helpers/api-client.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { WarpClock } from '../helpers/warp-clock.ts';

/** Nothing has this address; whether this machine notices is up to its network. */
const SILENT_ADDRESS = '10.255.255.254';

const { pinger } = await choosePinger(systemClock);
const silence = await pinger?.ping({
  address: SILENT_ADDRESS, count: 1, size: 56, ttl: 64, plan: planPing(1, 1000, 1000), maxQueueMs: 1000,
});
const hasNetwork = silence !== undefined && silence.rttsMs.length === 0 && silence.problem?.whose !== 'own';

const clock = new WarpClock();
let rig: ControllerRig;
let tenant: ApiSession;
beforeAll(async () => {
  rig = await startControllerRig({ REGISTRATION: 'open', PROBE_ALLOW_PRIVATE: 'true' }, undefined, undefined, { clock });
  tenant = await new ApiSession(rig.controller.url).begin('tenant@example.com');
  const client = await MongoClient.connect(rig.store.url);
  await client.db().collection('users').updateMany({}, { $set: { email_verified: true } });
  await client.close();
  for (const [session, id] of [[rig.session, 'oslo'], [rig.session, 'rome'], [tenant, 'cork'], [tenant, 'bonn']] as const) {
    await session.ok('POST', '/api/regions', { id, name: id, city: id, country: 'X' });
  }
});
afterAll(() => rig?.stop());

const shown = async (session: ApiSession, id: string): Promise<Loose> =>
  (await session.ok<Loose>('GET', `/api/probes/${id}`)).probe;
const statesOf = async (session: ApiSession, id: string): Promise<string[]> =>
  (await shown(session, id)).mesh.map((edge: Loose) => `${edge.region} ${edge.state}`);
const setAddresses = (session: ApiSession, id: string, addresses: string[]) =>
  session.ok('PATCH', `/api/probes/${id}`, { addresses });

/** Time passes, in steps too short for a ping to end late or a probe to count as silent. */
const passUntil = (isMet: () => Promise<boolean>, what: string) => until(async () => {
  if (await isMet()) return true;
  clock.warp(350);
  return false;
}, { what, everyMs: 15 });

describe('by the contract alone', () => {
  const probes = new Map<string, { probe: TestProbe; id: string; orders: MeshOrder['mesh'][]; pings: PeerPing[] }>();
  let beats: NodeJS.Timeout;

  beforeAll(async () => {
    const all = [
      ['oslo-1', rig.session, 'oslo', '10.0.0.1'], ['rome-1', rig.session, 'rome', '10.0.0.2'],
      ['cork-1', tenant, 'cork', '9.9.9.9'], ['bonn-1', tenant, 'bonn', '8.8.8.8'],
      ['local-1', rig.session, 'local', '7.7.7.7'],
    ] as const;
    for (const [name, session, region, address] of all) {
      const probe = await rig.probe(name, { session, region });
      const id = probe.enrolment?.probe_id as string;
      await setAddresses(session, id, [address]);
      const one = { probe, id, orders: [] as MeshOrder['mesh'][], pings: [] as PeerPing[] };
      probes.set(name, one);
      probe.nats.subscribe(subjects.run(region, id), {
        callback: (_error, message) => void one.orders.push(meshOrder.parse(probe.open(message.data)).mesh),
      });
    }
    beats = setInterval(() => {
      for (const [name, { probe, orders, pings }] of probes) {
        const version = orders.at(-1)?.version ?? '';
        probe.beat({ sent_at: clock.now(), mesh: { version, allows_private: name !== 'rome-1', pings } });
      }
    }, 100);
  });
  afterAll(() => clearInterval(beats));

  const of = (name: string) => probes.get(name) as { id: string; orders: MeshOrder['mesh'][]; pings: PeerPing[] };
  const peersOf = (name: string) => of(name).orders.at(-1)?.peers;
  const report = (name: string, to: string, ok: boolean) => {
    of(name).pings = [{ probe_id: of(to).id, pinged_at: clock.now(), ok, rtt_ms: ok ? 7 : null }];
  };

  test('probes get peers of their own organization, and private addresses only of those that allow it', async () => {
    await passUntil(async () => [...probes.values()].every(({ orders }) => orders.length > 0), 'every probe has an order');
    await passUntil(async () => peersOf('cork-1')?.length === 1 && peersOf('rome-1')?.length === 1, 'all peers are known');
    expect(peersOf('cork-1')).toEqual([{ probe_id: of('bonn-1').id, address: '8.8.8.8' }]);
    expect(peersOf('bonn-1')).toEqual([{ probe_id: of('cork-1').id, address: '9.9.9.9' }]);
    expect(peersOf('rome-1')).toEqual([{ probe_id: of('oslo-1').id, address: '10.0.0.1' }]);
    expect(peersOf('oslo-1')).toEqual([]);
    expect(peersOf('local-1')).toEqual([]);
  });

  test('an order is sent once, until something has changed', async () => {
    const before = of('cork-1').orders.length;
    await setAddresses(tenant, of('bonn-1').id, ['8.8.4.4']);
    await passUntil(async () => of('cork-1').orders.length > before, 'another order');
    expect(peersOf('cork-1')).toEqual([{ probe_id: of('bonn-1').id, address: '8.8.4.4' }]);
    expect(of('cork-1').orders).toHaveLength(before + 1);
  });

  test('an edge breaks after three pings without a reply, and only its organization sees it', async () => {
    report('cork-1', 'bonn-1', true);
    await passUntil(async () => (await statesOf(tenant, of('cork-1').id))[0] === 'bonn ok', 'the edge is ok');
    for (const _ of [1, 2, 3]) {
      expect(await statesOf(tenant, of('cork-1').id)).toEqual(['bonn ok']);
      const before = (await shown(tenant, of('cork-1').id)).mesh[0].at;
      report('cork-1', 'bonn-1', false);
      await passUntil(async () => (await shown(tenant, of('cork-1').id)).mesh[0].at > before, 'the ping is known');
    }
    expect((await shown(tenant, of('cork-1').id)).mesh).toEqual([
      { probe_id: of('bonn-1').id, region: 'bonn', state: 'broken', rtt_ms: null, at: expect.any(Number) },
    ]);
    const seen = (await rig.session.ok<Loose>('GET', '/api/probes')).probes;
    expect(JSON.stringify(seen)).not.toContain(of('bonn-1').id);
    expect((await rig.session.call('GET', `/api/probes/${of('cork-1').id}`)).status).toBe(404);
  });

  test('a probe cannot report on one of another organization', async () => {
    report('cork-1', 'oslo-1', false);
    await passUntil(async () => (await shown(tenant, of('cork-1').id)).mesh.length === 0, 'the report is ignored');
    report('cork-1', 'local-1', false);
    report('bonn-1', 'cork-1', true);
    await passUntil(async () => (await statesOf(tenant, of('bonn-1').id))[0] === 'cork ok', 'another report is known');
    expect(await statesOf(tenant, of('cork-1').id)).toEqual([]);
  });

  test('an edge to an offline probe is unknown', async () => {
    const { probe } = probes.get('cork-1') as { probe: TestProbe };
    probes.delete('cork-1');
    probe.beat({ sent_at: clock.now(), leaving: true });
    const bonn = of('bonn-1').id;
    await passUntil(async () => (await statesOf(tenant, bonn))[0] === 'cork unknown', 'the edge is unknown');
  });
});

describe.runIf(pinger !== null)('with probes that ping', () => {
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-mesh-'));
  const running: RunningProbe[] = [];
  const ids = {} as Record<'left' | 'right' | 'off', string>;

  beforeAll(async () => {
    const all = [['left', 'oslo', '127.0.0.2', 'private'], ['right', 'rome', '127.0.0.3', 'private'], ['off', 'rome', '127.0.0.4', 'off']] as const;
    for (const [name, region, address, mesh] of all) {
      const { probe, enrolment_token: token } =
        await rig.session.ok<Loose>('POST', '/api/probes', { region_id: region, name });
      ids[name] = probe.id;
      const settings = loadProbeConfig(
        { DATA_DIR: join(dir, name), PROBE_MESH: mesh }, ['--controller', rig.controller.url, '--token', token],
      );
      running.push(await startProbe({
        settings, clock, log: createLog('test', 'silent'), version: 'test', random: Math.random, maxFiles: 1024,
      }));
      await setAddresses(rig.session, probe.id, [address]);
    }
  });
  afterAll(async () => {
    await Promise.all(running.map((probe) => probe.stop()));
    rmSync(dir, { recursive: true, force: true });
  });

  test('two regions see each other, and none sees a probe that takes no part', async () => {
    await passUntil(async () => (await statesOf(rig.session, ids.left)).includes('rome ok'), 'left sees right');
    await passUntil(async () => (await statesOf(rig.session, ids.right)).includes('oslo ok'), 'right sees left');
    const [edge] = (await shown(rig.session, ids.left)).mesh;
    expect(edge).toMatchObject({ probe_id: ids.right, region: 'rome', state: 'ok' });
    expect(edge.rtt_ms).toBeGreaterThan(0);
    expect(await statesOf(rig.session, ids.off)).toEqual([]);
  });

  test.runIf(hasNetwork)('an address that nobody has breaks the edge to it, not the one from it', async () => {
    await setAddresses(rig.session, ids.right, [SILENT_ADDRESS, '127.0.0.3']);
    await passUntil(async () => (await statesOf(rig.session, ids.left))[0] === 'rome broken', 'the edge breaks');
    expect(await statesOf(rig.session, ids.right)).toContain('oslo ok');
    await setAddresses(rig.session, ids.right, ['127.0.0.3']);
    await passUntil(async () => (await statesOf(rig.session, ids.left))[0] === 'rome ok', 'the edge is whole again');
  });
});
