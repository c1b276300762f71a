import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chooseProbe } from '../../controller/assignments/assigned-regions.ts';
import { SPEC_VERSION } from '../../controller/monitors/settings/registry.ts';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import type { ProbeView } from '../../controller/probes/responses.ts';
import { FleetRig, monitorDoc } from '../helpers/fleet-rig.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';

const monitors = Array.from({ length: 60 }, (_, at) => monitorDoc(at));
/** Seconds between the returns of two probes: more than the rebalancer takes to act on the first one alone. */
const BEATS_APART = 5;
/** It polls every two seconds, and acts on what it has seen twice. */
const BEATS_PER_POLL = 4;
let rig: FleetRig;

beforeEach(async () => {
  rig = await FleetRig.start();
});
afterEach(() => rig.stop());

async function following(name: string, region?: string): Promise<TestProbe> {
  const probe = await rig.probe(name, region);
  await probe.follow();
  return probe;
}

function idOf(probe: TestProbe): string {
  return probe.enrolment?.probe_id ?? '';
}

/** True if each probe holds the monitors that rendezvous hashing over `among` gives it, and all other probes none. */
function isPlacedOver(all: TestProbe[], among: TestProbe[], docs = monitors): boolean {
  const ids = among.map(idOf);
  return all.every((probe) => {
    const proper =
      docs.filter((monitor) => chooseProbe(monitor._id, ids) === idOf(probe)).map((monitor) => monitor._id);
    return proper.length === probe.held.size && proper.every((id) => probe.held.has(id));
  });
}

test('monitors created before any probe are placed when one enrols, and shared with a second one', async () => {
  await rig.controller();
  await rig.monitors.insert(monitors[0] as (typeof monitors)[0]);
  for (const monitor of monitors.slice(1)) await rig.monitors.insert(monitor);
  await rig.fleet.placement.apply(monitors);
  const one = await following('one');
  await until(() => isPlacedOver([one], [one]), { what: 'all on the first' });
  const two = await following('two');
  one.beat();
  two.beat();
  await until(() => isPlacedOver([one, two], [one, two]), { what: 'shared' });
});

test('a draining probe hands over its monitors and gets them back later; the last probe keeps its own', async () => {
  await rig.controller();
  const [one, two] = [await following('one'), await following('two')];
  const beating = setInterval(() => [one, two].forEach((probe) => probe.beat()), 1000);
  await until(() => {
    one.beat();
    two.beat();
    return rig.fleet.liveness.liveProbes('local').length === 2;
  });
  await rig.fleet.placement.apply(monitors);
  await until(() => isPlacedOver([one, two], [one, two]));
  await rig.call('PATCH', '/api/probes/:id', { params: { id: idOf(one) }, body: { status: 'draining' } });
  await until(() => isPlacedOver([one, two], [two]), { what: 'drained' });
  await rig.call('PATCH', '/api/probes/:id', { params: { id: idOf(two) }, body: { status: 'draining' } });
  await rig.fleet.placement.apply(monitors);
  await until(() => isPlacedOver([one, two], [one, two]), { what: 'both drained, as if neither was' });
  await rig.call('PATCH', '/api/probes/:id', { params: { id: idOf(one) }, body: { status: 'online' } });
  await until(() => isPlacedOver([one, two], [one]), { what: 'back' });
  clearInterval(beating);
});

test('two controllers that place the same monitors concurrently leave each on one probe', async () => {
  const [here, there] = [await rig.controller(), await rig.controller({ ownsAll: false })];
  const [one, two] = [await following('one'), await following('two')];
  await until(() => there.directory.probesOf('local').length === 2);
  await Promise.all([here.placement.apply(monitors), there.placement.apply(monitors)]);
  await Promise.all([
    here.placement.apply(monitors.map((monitor) => ({ ...monitor, revision: 2, interval_seconds: 30 }))),
    there.placement.apply(
      monitors.map((monitor) => ({ ...monitor, revision: 3, status: 'paused' as const })),
    ),
  ]);
  await until(
    async () => {
      await Promise.all([one.sync(), two.sync()]);
      return one.held.size + two.held.size === 0;
    },
    { what: 'the later revision won' },
  );
});

describe('a region with two probes', () => {
  let one: TestProbe;
  let two: TestProbe;
  let beating: NodeJS.Timeout;

  beforeEach(async () => {
    await rig.controller();
    [one, two] = [await following('one'), await following('two')];
    beating = setInterval(() => two.beat(), 1000);
    await until(() => {
      one.beat();
      return rig.fleet.liveness.liveProbes('local').length === 2;
    });
    await rig.fleet.placement.apply(monitors);
    await until(() => isPlacedOver([one, two], [one, two]));
  });
  afterEach(() => clearInterval(beating));

  const shownOne = async () => {
    const response = await rig.call('GET', '/api/probes/:id', { params: { id: idOf(one) } });
    return (response as { probe: ProbeView }).probe;
  };
  const statusOfOne = async () => (await shownOne()).status;

  test('moves the monitors of a silent probe before it counts as offline, and no others', async () => {
    const before = [...two.held.values()];
    await until(() => isPlacedOver([two], [two]), { what: 'moved' });
    expect(await statusOfOne()).toBe('online');
    // A redelivered assignment would be another object.
    expect(before.every((assignment) => two.held.get(assignment.monitor_id) === assignment)).toBe(true);
    await until(async () => (await statusOfOne()) === 'offline');
  });

  test('moves the monitors of a stopping probe at once, and back when it starts again', async () => {
    one.beat({ leaving: true });
    await until(() => isPlacedOver([two], [two]), { what: 'handed over' });
    expect(await statusOfOne()).toBe('offline');
    one.beat();
    await until(() => isPlacedOver([one, two], [one, two]), { what: 'back' });
  });

  test('counts an offline probe\'s monitors where they run now', async () => {
    const held = one.held.size;
    expect(held).toBeGreaterThan(0);
    one.beat({ lateness_ms: 4 });
    await until(async () => (await shownOne()).lateness_ms === 4, { what: 'its beat' });
    expect(await shownOne()).toMatchObject({ monitors: held, spool_depth: 3, load: 0.1 });
    one.beat({ leaving: true, monitors: held, lateness_ms: 4 });
    await until(async () => (await statusOfOne()) === 'offline', { what: 'it is offline' });
    const none = { load: null, lateness_ms: null, missed_rate: null, lost_rate: null };
    expect(await shownOne()).toMatchObject({ monitors: 0, spool_depth: 3, ...none });
  });

  test('moves nothing when both were silent and return some seconds apart', async () => {
    let writes = 0;
    rig.onCommand = ({ update }) => {
      if (update === 'assignments') writes += 1;
    };
    for (const probe of [one, two]) probe.beat();
    clearInterval(beating);
    await until(() => rig.fleet.liveness.liveProbes('local').length === 0, { what: 'both are silent' });
    let beats = 0;
    beating = setInterval(() => {
      beats += 1;
      one.beat();
      if (beats > BEATS_APART) two.beat();
    }, 1000);
    await until(() => rig.fleet.placement.movesIn('local').targets.length === 2, { what: 'both can take monitors again' });
    const settledBeats = beats + BEATS_PER_POLL;
    await until(() => beats > settledBeats, { what: 'the rebalancer has polled' });
    expect(writes).toBe(0);
    expect(isPlacedOver([one, two], [one, two])).toBe(true);
  });
});

describe('a region with four probes', () => {
  const docs = Array.from({ length: 240 }, (_, at) => monitorDoc(at));
  let all: TestProbe[];
  let beating: NodeJS.Timeout;
  /** Assignments that were written for a probe. */
  let writtenCount = 0;

  beforeEach(async () => {
    await rig.controller();
    all = [];
    for (const name of ['one', 'two', 'three', 'four']) all.push(await following(name));
    const [, , ...staying] = all;
    beating = setInterval(() => staying.forEach((probe) => probe.beat()), 1000);
    await until(() => {
      for (const probe of all) probe.beat();
      return rig.fleet.liveness.liveProbes('local').length === all.length;
    });
    await rig.fleet.placement.apply(docs);
    await until(() => isPlacedOver(all, all, docs));
    writtenCount = 0;
    rig.onCommand = ({ update, updates }) => {
      if (update !== 'assignments') return;
      const writes = updates as { u: { $set?: { assignment?: unknown } } }[];
      writtenCount += writes.filter(({ u }) => u.$set?.assignment).length;
    };
  });
  afterEach(() => clearInterval(beating));

  test('moves each monitor of two probes that stop together once, and back once, and no others', async () => {
    const [one, two, ...staying] = all as [TestProbe, TestProbe, ...TestProbe[]];
    const owned = one.held.size + two.held.size;
    for (const probe of [one, two]) probe.beat({ leaving: true });
    await until(() => isPlacedOver(all, staying, docs), { what: 'handed over' });
    expect(writtenCount).toBe(owned);
    writtenCount = 0;
    one.beat();
    await until(() => isPlacedOver(all, [one, ...staying], docs), { what: 'one is back' });
    expect(writtenCount).toBe(one.held.size);
    writtenCount = 0;
    two.beat();
    await until(() => isPlacedOver(all, all, docs), { what: 'both are back' });
    expect(writtenCount).toBe(two.held.size);
    expect(one.held.size + two.held.size).toBe(owned);
  });
});

test('a restarted controller has the same keys and assignments, and finishes an interrupted change', async () => {
  const first = await rig.controller();
  const one = await following('one');
  await first.placement.apply(monitors.slice(0, 10));
  await until(() => one.held.size === 10);
  // A writer that died after staging: no revision yet.
  const items = rig.mongo.db.collection('assignments');
  const ghost = {
    ...(await items.findOne({})), _id: `${idOf(one)}:ghost`, monitor_id: 'ghost', rev: 0, pending: idOf(one),
    token: 't', changed_at: 1,
  };
  await items.insertOne(ghost as never);
  await items.updateOne({ _id: ghost._id } as never, { $set: { 'assignment.monitor_id': 'ghost' } });
  await first.lifecycle.stop();
  const second = await rig.controller();
  expect(second.directory.probesOf('local')).toHaveLength(1);
  await until(() => one.held.has('ghost'), { what: 'the unfinished change is delivered' });
  expect(one.held.size).toBe(11);
});

test('a controller with another policy for private addresses sends all assignments again', async () => {
  const first = await rig.controller();
  const one = await following('one');
  const held = () => [...one.held.values()];
  await first.placement.apply(monitors.slice(0, 10));
  await until(() => held().length === 10);
  expect(held().every((assignment) => assignment.allow_private === true)).toBe(true);
  await rig.fleets[0]?.fleet.lifecycle.stop();
  const second = await rig.controller({ env: { REGISTRATION: 'open' } });
  await until(() => held().length === 10 && held().every((assignment) => assignment.allow_private === false));
  const { revision } = one;
  await second.placement.apply(monitors.slice(0, 10));
  await one.sync();
  expect(one.revision).toBe(revision);
  const items = rig.mongo.db.collection<{ monitor_id: string }>('assignments');
  await items.updateOne({ monitor_id: monitors[0]?._id ?? '' }, { $set: { 'assignment.allow_private': true } });
  await second.placement.renewPolicy(one.enrolment?.probe_id ?? '');
  await until(() => one.revision === revision + 1);
});

test('stored assignments are rebuilt when the spec version increases', async () => {
  const tcp = { port: 25, protocol: 'smtp', protocol_validation: null, tls: null, send: null, expect: null } as const;
  const mail: MonitorDoc = { ...monitorDoc(0), type: 'TCP', target: 'mail.example', http: null, tcp };
  const first = await rig.controller();
  const one = await following('one');
  await rig.monitors.insert(mail);
  await first.placement.apply([mail]);
  const isValidated = () => {
    const spec = one.held.get(mail._id)?.spec;
    return spec !== undefined && 'protocol_validation' in spec ? spec.protocol_validation : null;
  };
  await until(() => isValidated() === true);
  await first.lifecycle.stop();
  const { db } = rig.mongo;
  await db.collection('assignments').updateOne(
    { monitor_id: mail._id }, { $set: { 'assignment.spec.protocol_validation': false } },
  );
  await db.collection<{ _id: string }>('regions').updateOne(
    { _id: 'local' }, { $set: { to_place: 0, spec_version: SPEC_VERSION - 1 } },
  );
  one.held.delete(mail._id);
  one.revision = 0;
  await rig.controller();
  await until(() => one.sync(), { what: 'the new controller responds' });
  const beating = setInterval(() => one.beat(), 250);
  await until(() => isValidated() === true, { what: 'the assignment is rebuilt' });
  clearInterval(beating);
  const region = () => db.collection<{ _id: string; spec_version?: number }>('regions').findOne({ _id: 'local' });
  await until(async () => (await region())?.spec_version === SPEC_VERSION);
});
