import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { programFile } from '../bundle.mjs';
import { ProbeProcess } from '../bus/probe/probe-process.ts';
import { startFaultProxy, type FaultProxy } from '../helpers/fault-proxy.ts';
import { readLedger, storeUrl } from '../helpers/ledger.ts';
import { passTime } from '../helpers/pass-time.ts';
import { NO_EXAMINATIONS } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import { ensureDebianPackages } from '../services/packages.ts';
import { fault, longFault } from './fault.ts';
import { FencedNetwork, type Uplink } from './fenced-network.ts';
import { Load } from './load.ts';
import { outageMs, toOutcome } from './tally.ts';

const REGIONS = ['eu', 'us', 'ap'] as const;
type Region = (typeof REGIONS)[number];

interface Fenced {
  process: ProbeProcess;
  uplink: Uplink;
  dataDir: string;
}

let load: Load;
let network: FencedNetwork;
let bundle: string;
let target: FaultProxy;
const proxies: FaultProxy[] = [];
const probes = new Map<Region, Fenced>();

const isRoot = process.getuid?.() === 0;

async function startFenced(): Promise<void> {
  await ensureDebianPackages('nftables');
  network = FencedNetwork.open(REGIONS.length);
  [load, bundle] = await Promise.all([
    Load.start({ PROBE_ALLOW_PRIVATE: 'true', NO_DATA_AFTER_SECONDS: '5' }), programFile('probe'),
  ]);
  const { session, farwatch } = load;
  await session.ok('POST', '/api/integrations', {
    name: 'Operators', type: 'webhook', is_default: true, config: { url: load.receiver.url },
    events: ['monitor.no_data', 'monitor.no_data_resolved'],
  });
  const natsPort = /nats-server \S+ on 127\.0\.0\.1:(\d+)/.exec(farwatch.log())?.[1];
  const [nats, controller, world] = await Promise.all([
    startFaultProxy({ port: Number(natsPort) }, network.nats),
    startFaultProxy({ port: Number(new URL(farwatch.url).port) }, network.world),
    startFaultProxy({ port: load.target.port }, network.world),
  ]);
  proxies.push(nats, controller, world);
  target = world;
  const env = { NATS_URL: `nats://${network.nats}:${nats.port}`, PROBE_ALLOW_PRIVATE: 'true' };
  await Promise.all(REGIONS.map(async (id, at) => {
    await session.ok('POST', '/api/regions', { id, name: id, city: id, country: id, visibility: 'shared' });
    const { enrolment_token: token } = await session.ok<{ enrolment_token: string }>(
      'POST', '/api/probes', { region_id: id, name: id },
    );
    const uplink = network.uplinks[at] as Uplink;
    const dataDir = mkdtempSync(join(tmpdir(), 'farwatch-fenced-'));
    const args = ['--controller', `http://${network.world}:${controller.port}`, '--token', token];
    // In one region, the operator has configured an anchor.
    const anchors = id === 'ap' ? `${network.world}:${world.port}` : '';
    const settings = { ...env, PROBE_ANCHORS: anchors, ...NO_EXAMINATIONS };
    const process = new ProbeProcess(bundle, dataDir, args, settings, false, uplink.node);
    probes.set(id, { process, uplink, dataDir });
    await process.connected();
  }));
}

const uplinkOf = (region: Region): Uplink => (probes.get(region) as Fenced).uplink;
const uplinks = () => REGIONS.map(uplinkOf);

/** A monitor with its own path, after all its regions have checked it. */
async function createMonitor(
  path: string, regions: readonly Region[], retries = 0, votes: 'majority' | 'any' = 'majority',
): Promise<string> {
  const id = await load.createMonitor(path, {
    target: `http://${network.world}:${target.port}${path}`, monitoring_regions: regions, timeout_ms: 1000,
    confirmation_policy: { regions: votes, retries },
  });
  await until(() => load.countOf(id) >= 2 * regions.length, { what: `checks of ${path}` });
  await statusIs(id, 'up');
  return id;
}

const statusIs = (id: string, status: string) =>
  until(async () => (await load.statusOf(id)) === status, { what: `${id} is ${status}`, everyMs: 250 });

const probeIs = (region: Region, status: string) => until(async () => {
  const { probes: all } =
    await load.session.ok<{ probes: { region_id: string; status: string }[] }>('GET', '/api/probes');
  return all.some((probe) => probe.region_id === region && probe.status === status);
}, { what: `${region} is ${status}`, everyMs: 250 });

const eventsOf = (id: string) => load.alertsOf(id).map(({ event }) => event);

async function resultsOf(id: string) {
  const { byMonitor } = await readLedger(storeUrl(load.farwatch.log()));
  return byMonitor.get(id) ?? [];
}

/** The slots missed since `since` for `reason`, once each of `regions` probes has reported some. */
const missedBy = (id: string, regions: number, since: number) => until(async () => {
  const results = (await resultsOf(id)).filter(({ scheduled_at: at }) => at >= since);
  const missed = results.filter((result) => result.missed?.reason === 'probe_unhealthy');
  return missed.length >= regions && { missed, failed: results.filter(({ outcome }) => outcome === 'failure') };
}, { what: 'missed slots are stored', everyMs: 500 });

/** The slots missed, except those that a busy machine missed. */
const missedIn = (results: Awaited<ReturnType<typeof resultsOf>>) =>
  results.filter(({ missed }) => missed !== null && missed.reason !== 'overload');

const sum = (counts: number[]): number => counts.reduce((all, count) => all + count, 0);

describe.runIf(isRoot)('probes with separate uplinks', () => {
  beforeAll(startFenced);
  beforeEach(() => load.target.respondWith({ status: 200 }));
  afterAll(async () => {
    await Promise.all([...probes.values()].map(({ process }) => process.end('SIGKILL')));
    await load?.stop();
    await Promise.all(proxies.map((proxy) => proxy.close()));
    network?.close();
    for (const { dataDir } of probes.values()) rmSync(dataDir, { recursive: true, force: true });
  });

  fault('F11', 'the uplinks of all probes of a monitor are cut, and restored', async () => {
    const id = await createMonitor('/all-cut', REGIONS);
    const cutAt = Date.now();
    for (const uplink of uplinks()) uplink.cut();
    await statusIs(id, 'unknown');
    await until(() => eventsOf(id).length > 0, { what: 'an alert arrives' });
    for (const uplink of uplinks()) uplink.mend();
    await statusIs(id, 'up');
    const { missed, failed } = await missedBy(id, REGIONS.length, cutAt);
    expect(failed).toEqual([]);
    expect(await load.incidents([id])).toEqual([]);
    await until(() => eventsOf(id).length > 1, { what: 'the recovery arrives' });
    expect(eventsOf(id)).toEqual(['monitor.no_data', 'monitor.no_data_resolved']);
    return `${missed.length} slots missed with their reason, 0 failures, 0 incidents; unknown meanwhile, 1 alert`;
  });

  fault('F10', 'the uplink of one region of three is cut; meanwhile the target fails and recovers', async () => {
    const id = await createMonitor('/one-cut', REGIONS);
    uplinkOf('eu').cut();
    await probeIs('eu', 'offline');
    expect(await load.statusOf(id)).toBe('up');
    load.target.respondWith({ status: 503 }, '/one-cut');
    await until(() => eventsOf(id).length === 1, { what: 'monitor.down' });
    load.target.respondWith({ status: 200 }, '/one-cut');
    await until(() => eventsOf(id).length === 2, { what: 'monitor.up' });
    const mendedAt = Date.now();
    uplinkOf('eu').mend();
    await probeIs('eu', 'online');
    const { missed } = await missedBy(id, 1, mendedAt - 15_000);
    const laterChecks = load.countOf(id) + 2 * REGIONS.length;
    await until(() => load.countOf(id) >= laterChecks, { what: 'all regions check again' });
    expect(eventsOf(id)).toEqual(['monitor.down', 'monitor.up']);
    expect((await load.incidents([id])).map(({ status }) => status)).toEqual(['resolved']);
    return `1 incident by the other two regions; ${missed.length} late missed slots changed nothing`;
  });

  longFault('F14', 'three in ten packets between all probes and NATS are lost; meanwhile the target fails', async () => {
    const id = await createMonitor('/loss', REGIONS, 3);
    for (const uplink of uplinks()) uplink.lose(30, network.nats);
    const issued = load.countOf(id) + 60;
    await passTime(outageMs(0, 600_000));
    await until(() => load.countOf(id) >= issued, { what: 'checks under loss' });
    expect(eventsOf(id)).toEqual([]);
    load.target.respondWith({ status: 503 }, '/loss');
    await until(() => eventsOf(id).length > 0, { what: 'monitor.down' });
    load.target.respondWith({ status: 200 }, '/loss');
    await until(() => eventsOf(id).length > 1, { what: 'monitor.up' });
    const lost = uplinks().map((uplink) => uplink.loseNothing());
    expect(Math.min(...lost)).toBeGreaterThan(10);
    await load.session.ok('POST', `/api/monitors/${id}/pause`);
    // A probe may check once more before it receives the pause.
    let results: Awaited<ReturnType<typeof resultsOf>> = [];
    await until(async () => {
      results = await resultsOf(id);
      return results.filter(({ missed }) => missed === null).length >= load.countOf(id);
    }, { what: 'all checks are stored' });
    // On a busy machine, a check may time out before it reaches its target.
    const withStatus = results.filter(({ status_code: status }) => status !== null);
    expect(withStatus.length, 'each is stored once').toBeLessThanOrEqual(load.countOf(id));
    expect(missedIn(results), 'packet loss costs no slot').toEqual([]);
    expect(eventsOf(id)).toEqual(['monitor.down', 'monitor.up']);
    expect(await load.incidents([id])).toMatchObject([{ status: 'resolved' }]);
    return `${sum(lost)} packets lost; all ${results.length} results stored, none missed by it; 1 incident, 2 alerts`;
  });

  fault('F35', 'a router reports the route to the target as lost, to all regions of a monitor', async () => {
    const id = await createMonitor('/lost-route', ['eu', 'us'], 1);
    const lostAt = Date.now();
    network.loseRoute(target.port);
    await until(() => eventsOf(id).includes('monitor.down'), { what: 'monitor.down' });
    network.findRoute();
    await until(() => eventsOf(id).includes('monitor.up'), { what: 'monitor.up' });
    const results = (await resultsOf(id)).filter(({ started_at: at }) => at >= lostAt);
    expect(missedIn(results)).toEqual([]);
    const failed = results.filter(({ outcome }) => outcome === 'failure');
    expect(failed.map(({ error }) => error?.message)).toContain('A router reports that the network is unreachable');
    expect(eventsOf(id)).toEqual(['monitor.down', 'monitor.up']);
    expect(await load.incidents([id])).toMatchObject([{ status: 'resolved' }]);
    return toOutcome({
      injected: 1, incidents: { expected: 1, opened: 1 }, alerts: { expected: 2, delivered: 2, repeated: 0 },
    }, `${failed.length} failures, none missed; 1 incident, 2 alerts`);
  });

  fault('F35', 'one region of three cannot reach the target', async () => {
    const { session, receiver } = load;
    const { integration } = await session.ok<{ integration: { id: string } }>('POST', '/api/integrations', {
      name: 'Regions', type: 'webhook', is_default: true, events: ['monitor.region_degraded'],
      config: { url: receiver.url },
    });
    const [byMajority, byAny] = [await createMonitor('/by-most', REGIONS), await createMonitor('/by-any', REGIONS, 0, 'any')];
    uplinkOf('eu').block(network.world);
    await until(() => eventsOf(byMajority).length > 0, { what: 'the alert about the region arrives' });
    await until(() => eventsOf(byAny).length > 0, { what: 'monitor.down' });
    const checks = load.countOf(byMajority);
    await until(() => load.countOf(byMajority) >= checks + 4, { what: 'the others check' });
    const { regions } = await session.ok<{ regions: { region: string; status: string }[] }>(
      'GET', `/api/monitors/${byMajority}/regions`,
    );
    expect(regions.filter(({ status }) => status === 'down').map(({ region }) => region)).toEqual(['eu']);
    expect(await load.statusOf(byMajority)).toBe('up');
    expect(await load.incidents([byMajority])).toEqual([]);
    expect(await load.incidents([byAny])).toMatchObject([{ status: 'open', affected_regions: ['eu'] }]);
    uplinkOf('eu').unblock(network.world);
    await until(() => eventsOf(byAny).includes('monitor.up'), { what: 'monitor.up' });
    await session.ok('DELETE', `/api/integrations/${integration.id}`);
    expect(eventsOf(byMajority)).toEqual(['monitor.region_degraded']);
    expect(eventsOf(byAny)).toEqual(['monitor.down', 'monitor.up']);
    expect(await load.incidents([byMajority, byAny])).toMatchObject([{ check_id: byAny, status: 'resolved' }]);
    return toOutcome({
      injected: 1, incidents: { expected: 1, opened: 1 }, alerts: { expected: 3, delivered: 3, repeated: 0 },
    }, 'no incident under a majority, and the region is reported; only that region where one vote is enough');
  });

  fault('F36', 'a probe reaches only NATS; it has an anchor elsewhere', async () => {
    const id = await createMonitor('/own-fault', ['ap']);
    const cutAt = Date.now();
    uplinkOf('ap').block(network.world);
    await statusIs(id, 'unknown');
    const { missed, failed } = await missedBy(id, 1, cutAt);
    uplinkOf('ap').unblock(network.world);
    await statusIs(id, 'up');
    expect(failed).toEqual([]);
    expect(await load.incidents([id])).toEqual([]);
    return `${missed.length} slots missed as probe_unhealthy, 0 failures, 0 incidents`;
  });

  longFault('F36', 'only NATS is unreachable for all probes, and the target fails meanwhile', async () => {
    const id = await createMonitor('/bus-away', ['eu', 'us'], 1);
    const since = Date.now();
    for (const region of ['eu', 'us'] as const) uplinkOf(region).block(network.nats);
    await Promise.all([probeIs('eu', 'offline'), probeIs('us', 'offline')]);
    load.target.respondWith({ fault: 'reset' }, '/bus-away');
    const failedFrom = load.countOf(id);
    await until(() => load.countOf(id) >= failedFrom + 8, { what: 'checks fail during the outage of NATS' });
    const healedAt = Date.now();
    for (const region of ['eu', 'us'] as const) uplinkOf(region).unblock(network.nats);
    await until(() => eventsOf(id).includes('monitor.down'), { what: 'monitor.down' });
    load.target.respondWith({ status: 200 }, '/bus-away');
    await until(() => eventsOf(id).includes('monitor.up'), { what: 'monitor.up' });
    const results = (await resultsOf(id)).filter(({ started_at: at }) => at >= since && at < healedAt);
    const failed = results.filter(({ outcome }) => outcome === 'failure');
    expect(failed.length).toBeGreaterThan(4);
    // A busy machine may miss a slot.
    expect(results.filter(({ missed }) => missed !== null && missed.reason !== 'overload')).toEqual([]);
    expect(await load.incidents([id])).toHaveLength(1);
    return `${failed.length} failures from the time without NATS are stored; 1 incident`;
  });

  longFault('F36', 'a probe\'s machine has a route only to NATS', async () => {
    const id = await createMonitor('/no-route', ['us']);
    const cutAt = Date.now();
    uplinkOf('us').keepRouteTo(network.nats);
    await statusIs(id, 'unknown');
    const { missed, failed } = await missedBy(id, 1, cutAt);
    uplinkOf('us').routeAll(network.nats);
    await statusIs(id, 'up');
    expect(failed).toEqual([]);
    expect(await load.incidents([id])).toEqual([]);
    return `${missed.length} slots missed as probe_unhealthy, 0 failures, 0 incidents`;
  });
});
