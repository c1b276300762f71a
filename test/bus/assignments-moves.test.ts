import type { Document } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chooseProbe } from '../../controller/assignments/assigned-regions.ts';
import { SPEC_VERSION } from '../../controller/monitors/settings/registry.ts';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import type { ProbeView } from '../../controller/probes/responses.ts';
import { FleetRig, monitorDoc } from '../helpers/fleet-rig.ts';
import { settled } from '../helpers/settled.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { WarpClock } from '../helpers/warp-clock.ts';

const monitors = Array.from({ length: 60 }, (_, at) => monitorDoc(at));
const STEP_MS = 1000;
/** Between the returns of two probes: more than the rebalancer takes to act on the first one alone. */
const STEPS_APART = 5;
/** It polls every two seconds, and acts on what it has seen twice. */
const STEPS_PER_POLL = 4;
let rig: FleetRig;
let clock: WarpClock;
/** Receives each command of the controllers. */
let onCommand: (command: Document) => void;
/** Their number. */
const commands = { seen: 0 };

beforeEach(async () => {
  [rig, clock] = [await FleetRig.start(), new WarpClock()];
  onCommand = () => undefined;
  rig.onCommand = (command) => {
    // `settled` sends the others.
    if ('ping' in command || command['update'] === 'test_barrier') return;
    commands.seen += 1;
    onCommand(command);
  };
});
afterEach(() => rig.stop());

const controller = (change: Parameters<FleetRig['controller']>[0] = {}) => rig.controller({ clock, ...change });

/** Lets a second pass, in which these probes beat. Resolves when the controllers have done what is due. */
async function step(beating: readonly TestProbe[]): Promise<void> {
  for (const probe of beating) probe.beat({ sent_at: clock.now() });
  clock.warp(STEP_MS);
  await settled(rig.mongo, commands);
}

/** Takes such steps until `isMet`. */
function pass(isMet: () => Promise<boolean> | boolean, what: string, beating: readonly TestProbe[] = []): Promise<true> {
  return until(async () => await isMet() || step(beating).then(() => false), { what, everyMs: 0 });
}

const areLive = (count: number) => () => rig.fleet.liveness.liveProbes('local').length === count;

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
  await controller();
  await rig.monitors.insert(monitors[0] as (typeof monitors)[0]);
  for (const monitor of monitors.slice(1)) await rig.monitors.insert(monitor);
  await rig.fleet.placement.apply(monitors);
  const one = await following('one');
  await pass(() => isPlacedOver([one], [one]), 'all are on the first');
  const two = await following('two');
  await pass(() => isPlacedOver([one, two], [one, two]), 'they are shared', [one, two]);
});

test('a draining probe hands over its monitors and gets them back later; the last probe keeps its own', async () => {
  await controller();
  const probes = [await following('one'), await following('two')] as const;
  const [one, two] = probes;
  await pass(areLive(2), 'both are live', probes);
  await rig.fleet.placement.apply(monitors);
  await pass(() => isPlacedOver([one, two], [one, two]), 'they are placed', probes);
  await rig.call('PATCH', '/api/probes/:id', { params: { id: idOf(one) }, body: { status: 'draining' } });
  await pass(() => isPlacedOver([one, two], [two]), 'one is drained', probes);
  await rig.call('PATCH', '/api/probes/:id', { params: { id: idOf(two) }, body: { status: 'draining' } });
  await rig.fleet.placement.apply(monitors);
  await pass(() => isPlacedOver([one, two], [one, two]), 'both are drained, as if neither was', probes);
  await rig.call('PATCH', '/api/probes/:id', { params: { id: idOf(one) }, body: { status: 'online' } });
  await pass(() => isPlacedOver([one, two], [one]), 'one has them', probes);
});

test('two controllers that place the same monitors concurrently leave each on one probe', async () => {
  const [here, there] = [await controller(), await controller({ ownsAll: false })];
  const [one, two] = [await following('one'), await following('two')];
  await pass(() => there.directory.probesOf('local').length === 2, 'both probes are known');
  await Promise.all([here.placement.apply(monitors), there.placement.apply(monitors)]);
  await Promise.all([
    here.placement.apply(monitors.map((monitor) => ({ ...monitor, revision: 2, interval_seconds: 30 }))),
    there.placement.apply(
      monitors.map((monitor) => ({ ...monitor, revision: 3, status: 'paused' as const })),
    ),
  ]);
  await pass(async () => {
    await Promise.all([one.sync(), two.sync()]);
    return one.held.size + two.held.size === 0;
  }, 'the later revision has won');
});

describe('a region with two probes', () => {
  let one: TestProbe;
  let two: TestProbe;

  beforeEach(async () => {
    await controller();
    [one, two] = [await following('one'), await following('two')];
    clock.freeze();
    await pass(areLive(2), 'both are live', [one, two]);
    await rig.fleet.placement.apply(monitors);
    await pass(() => isPlacedOver([one, two], [one, two]), 'they are placed', [one, two]);
  });

  const shownOne = async () => {
    const response = await rig.call('GET', '/api/probes/:id', { params: { id: idOf(one) } });
    return (response as { probe: ProbeView }).probe;
  };
  const statusOfOne = async () => (await shownOne()).status;

  test('moves the monitors of a silent probe before it counts as offline, and no others', async () => {
    const before = [...two.held.values()];
    await pass(() => isPlacedOver([two], [two]), 'they have moved', [two]);
    expect(await statusOfOne()).toBe('online');
    // A redelivered assignment would be another object.
    expect(before.every((assignment) => two.held.get(assignment.monitor_id) === assignment)).toBe(true);
    await pass(async () => (await statusOfOne()) === 'offline', 'it is offline', [two]);
  });

  test('moves the monitors of a stopping probe at once, and back when it starts again', async () => {
    one.beat({ leaving: true });
    await pass(() => isPlacedOver([two], [two]), 'they are handed over', [two]);
    expect(await statusOfOne()).toBe('offline');
    await pass(() => isPlacedOver([one, two], [one, two]), 'they are back', [one, two]);
  });

  test('counts an offline probe\'s monitors where they run now', async () => {
    const held = one.held.size;
    expect(held).toBeGreaterThan(0);
    one.beat({ lateness_ms: 4 });
    await pass(async () => (await shownOne()).lateness_ms === 4, 'its beat is shown');
    expect(await shownOne()).toMatchObject({ monitors: held, spool_depth: 3, load: 0.1 });
    one.beat({ leaving: true, monitors: held, lateness_ms: 4 });
    await pass(async () => (await statusOfOne()) === 'offline', 'it is offline');
    const none = { load: null, lateness_ms: null, missed_rate: null, lost_rate: null };
    expect(await shownOne()).toMatchObject({ monitors: 0, spool_depth: 3, ...none });
  });

  test('moves nothing when both were silent and return some seconds apart', async () => {
    let writes = 0;
    onCommand = ({ update }) => {
      if (update === 'assignments') writes += 1;
    };
    await step([one, two]);
    await pass(areLive(0), 'both are silent');
    for (let steps = 0; steps < STEPS_APART; steps += 1) await step([one]);
    const canTakeBoth = () => rig.fleet.placement.movesIn('local').targets.length === 2;
    await pass(canTakeBoth, 'both can take monitors again', [one, two]);
    for (let steps = 0; steps < STEPS_PER_POLL; steps += 1) await step([one, two]);
    expect(writes).toBe(0);
    expect(isPlacedOver([one, two], [one, two])).toBe(true);
  });
});

describe('a region with four probes', () => {
  const docs = Array.from({ length: 240 }, (_, at) => monitorDoc(at));
  let all: TestProbe[];
  /** Assignments that were written for a probe. */
  let writtenCount = 0;

  beforeEach(async () => {
    await controller();
    all = [];
    for (const name of ['one', 'two', 'three', 'four']) all.push(await following(name));
    clock.freeze();
    await pass(areLive(all.length), 'all are live', all);
    await rig.fleet.placement.apply(docs);
    await pass(() => isPlacedOver(all, all, docs), 'they are placed', all);
    writtenCount = 0;
    onCommand = ({ update, updates }) => {
      if (update !== 'assignments') return;
      const writes = updates as { u: { $set?: { assignment?: unknown } } }[];
      writtenCount += writes.filter(({ u }) => u.$set?.assignment).length;
    };
  });

  test('moves each monitor of two probes that stop together once, and back once, and no others', async () => {
    const [one, two, ...staying] = all as [TestProbe, TestProbe, ...TestProbe[]];
    const owned = one.held.size + two.held.size;
    for (const probe of [one, two]) probe.beat({ leaving: true });
    // Their connections differ: if time passed in between, the first one's monitors would move to the second.
    await until(areLive(staying.length), { what: 'both have left' });
    await pass(() => isPlacedOver(all, staying, docs), 'they are handed over', staying);
    expect(writtenCount).toBe(owned);
    writtenCount = 0;
    await pass(() => isPlacedOver(all, [one, ...staying], docs), 'one is back', [one, ...staying]);
    expect(writtenCount).toBe(one.held.size);
    writtenCount = 0;
    await pass(() => isPlacedOver(all, all, docs), 'both are back', all);
    expect(writtenCount).toBe(two.held.size);
    expect(one.held.size + two.held.size).toBe(owned);
  });
});

test('a restarted controller has the same keys and assignments, and finishes an interrupted change', async () => {
  const first = await controller();
  const one = await following('one');
  await first.placement.apply(monitors.slice(0, 10));
  await pass(() => one.held.size === 10, 'they are delivered');
  // A writer that died after staging: no revision yet.
  const items = rig.mongo.db.collection('assignments');
  const ghost = {
    ...(await items.findOne({})), _id: `${idOf(one)}:ghost`, monitor_id: 'ghost', rev: 0, pending: idOf(one),
    token: 't', changed_at: 1,
  };
  await items.insertOne(ghost as never);
  await items.updateOne({ _id: ghost._id } as never, { $set: { 'assignment.monitor_id': 'ghost' } });
  await first.lifecycle.stop();
  const second = await controller();
  expect(second.directory.probesOf('local')).toHaveLength(1);
  await pass(() => one.held.has('ghost'), 'the unfinished change is delivered');
  expect(one.held.size).toBe(11);
});

test('a controller with another policy for private addresses sends all assignments again', async () => {
  const first = await controller();
  const one = await following('one');
  const held = () => [...one.held.values()];
  await first.placement.apply(monitors.slice(0, 10));
  await pass(() => held().length === 10, 'they are delivered');
  expect(held().every((assignment) => assignment.allow_private === true)).toBe(true);
  await rig.fleets[0]?.fleet.lifecycle.stop();
  const second = await controller({ env: { REGISTRATION: 'open' } });
  await pass(() => held().length === 10 && held().every(({ allow_private: isAllowed }) => isAllowed === false), 'all are sent again');
  const { revision } = one;
  await second.placement.apply(monitors.slice(0, 10));
  await one.sync();
  expect(one.revision).toBe(revision);
  const items = rig.mongo.db.collection<{ monitor_id: string }>('assignments');
  await items.updateOne({ monitor_id: monitors[0]?._id ?? '' }, { $set: { 'assignment.allow_private': true } });
  await second.placement.renewPolicy(one.enrolment?.probe_id ?? '');
  await pass(() => one.revision === revision + 1, 'it is sent again');
});

test('stored assignments are rebuilt when the spec version increases', async () => {
  const tcp = { port: 25, protocol: 'smtp', protocol_validation: null, tls: null, send: null, expect: null } as const;
  const mail: MonitorDoc = { ...monitorDoc(0), type: 'TCP', target: 'mail.example', http: null, tcp };
  const first = await controller();
  const one = await following('one');
  await rig.monitors.insert(mail);
  await first.placement.apply([mail]);
  const isValidated = () => {
    const spec = one.held.get(mail._id)?.spec;
    return spec !== undefined && 'protocol_validation' in spec ? spec.protocol_validation : null;
  };
  await pass(() => isValidated() === true, 'it is delivered');
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
  await controller();
  await until(() => one.sync(), { what: 'the new controller responds' });
  await pass(() => isValidated() === true, 'the assignment is rebuilt', [one]);
  const region = () => db.collection<{ _id: string; spec_version?: number }>('regions').findOne({ _id: 'local' });
  await pass(async () => (await region())?.spec_version === SPEC_VERSION, 'the region is marked', [one]);
});
