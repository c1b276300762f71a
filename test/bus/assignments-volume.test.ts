import { createHash } from 'node:crypto';
import { calculateObjectSize, type Document } from 'bson';
import type { CommandSucceededEvent } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chooseProbe } from '../../controller/assignments/assigned-regions.ts';
import type { AssignmentDelta } from '../../shared/contracts/assignment.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { FleetRig, monitorDoc, ORGANIZATION } from '../helpers/fleet-rig.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';

const EDITS = 15;
/** Number of monitors that run in both regions and are edited; the others run in one. */
const EDITED = 2 * EDITS;
const REGIONS = ['local', 'second'];
const MONITORS = fewOrAll(4000, 100_000);

let rig: FleetRig;
/** By region. */
const fleet = new Map<string, TestProbe[]>();

beforeAll(async () => {
  rig = await FleetRig.start();
  await rig.controller();
  const second = { id: 'second', name: 'Second', city: 'X', country: 'DE' };
  await rig.call('POST', '/api/regions', { body: second });
  for (const region of REGIONS) {
    const names = ['one', 'two', 'three'].map((name) => `${region}-${name}`);
    const probes: TestProbe[] = [];
    for (const name of names) probes.push(await rig.probe(name, region));
    fleet.set(region, probes);
  }
});
afterAll(() => rig.stop());

interface Cost {
  commands: number;
  /** Of the commands. */
  bytes: number;
  documentsRead: number;
}

interface SentDelta {
  probeId: string;
  delta: AssignmentDelta;
}

function idOf(probe: TestProbe): string {
  return probe.enrolment?.probe_id ?? '';
}

/** The probes that have a monitor of both regions. */
function probesOf(monitorId: string): string[] {
  return REGIONS.map((region) => chooseProbe(monitorId, (fleet.get(region) ?? []).map(idOf)) ?? '');
}

async function place(from: number, to: number): Promise<void> {
  const docs = Array.from({ length: to - from }, (_, at) =>
    monitorDoc(from + at, { monitoring_regions: from + at < EDITED ? REGIONS : ['local'] }));
  await rig.fleet.placement.apply(docs);
}

/** Records everything sent to any probe until `end`, which waits until nothing is in transit. */
async function listen(): Promise<{ deltas: SentDelta[]; end: () => Promise<void> }> {
  const deltas: SentDelta[] = [];
  let ends = 0;
  const all = [...fleet].flatMap(([region, probes]) =>
    probes.map((probe) => ({ probe, subject: subjects.assign(region, idOf(probe)) })));
  const subscriptions = all.map(({ probe, subject }) => probe.nats.subscribe(subject, {
    callback: (_error, { data }) => {
      if (data.length === 0) ends += 1;
      else deltas.push({ probeId: idOf(probe), delta: probe.openDelta(data) });
    },
  }));
  await Promise.all(all.map(({ probe }) => probe.nats.flush()));
  const end = async () => {
    for (const { subject } of all) rig.fleets[0]?.bus.publish(subject, '');
    await until(() => ends === all.length);
    for (const subscription of subscriptions) subscription.unsubscribe();
  };
  return { deltas, end };
}

/** A digest of each document of the assignments and of the probes' revisions, by id. */
async function digests(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of ['assignments', 'assignment_heads']) {
    for await (const doc of rig.mongo.db.collection<{ _id: string }>(name).find({}, { batchSize: 5000 })) {
      found.set(doc._id, createHash('sha1').update(JSON.stringify(doc)).digest('base64'));
    }
  }
  return found;
}

/** The database cost of everything until `done`, including the controller's other tasks. */
async function costOf(work: () => Promise<void>): Promise<Cost> {
  const cost: Cost = { commands: 0, bytes: 0, documentsRead: 0 };
  const client = rig.mongo.db.client;
  const count = ({ reply: response }: CommandSucceededEvent) => {
    cost.documentsRead += documentsIn(response as Document);
  };
  rig.onCommand = (command) => {
    cost.commands += 1;
    cost.bytes += calculateObjectSize(command);
  };
  client.on('commandSucceeded', count);
  await work();
  client.off('commandSucceeded', count);
  rig.onCommand = () => undefined;
  return cost;
}

function documentsIn({ cursor, value }: Document): number {
  const batch: unknown[] = cursor?.firstBatch ?? cursor?.nextBatch ?? [];
  return batch.length + (value ? 1 : 0);
}

/**
 * Edits monitors one after the other, and expects each edit to reach its probes and change nothing else.
 * Returns the minimum cost of an edit in each respect, because the controller's own tasks are counted in between.
 */
async function editCost(from: number): Promise<Cost> {
  const before = await digests();
  const { deltas, end } = await listen();
  const costs: Cost[] = [];
  const tookMs: number[] = [];
  const ids = Array.from({ length: EDITS }, (_, at) => monitorDoc(from + at)._id);
  for (let at = 0; at < EDITS; at += 1) {
    const change = { revision: 2, interval_seconds: 77, monitoring_regions: REGIONS };
    const startedAt = performance.now();
    costs.push(await costOf(async () => {
      await rig.fleet.placement.apply([monitorDoc(from + at, change)]);
      await until(() => deltas.length === 2 * (at + 1), { everyMs: 1 });
    }));
    tookMs.push(performance.now() - startedAt);
  }
  await end();
  const expected = ids.flatMap((id) => probesOf(id).map((probeId) => `${probeId} ${id}`));
  const changes = deltas.flatMap(({ probeId, delta }) => {
    expect(delta).toMatchObject({ from: delta.revision - 1, reset: false, more: null });
    expect(delta.changes).toMatchObject([{ set: { interval_ms: 77_000 } }]);
    return delta.changes.map((one) => `${probeId} ${'set' in one ? one.set.monitor_id : one.gone}`);
  });
  expect(changes.sort()).toEqual(expected.sort());
  const after = await digests();
  expect(after.size).toBe(before.size);
  const changed = [...after].filter(([id, digest]) => before.get(id) !== digest).map(([id]) => id);
  const documents = expected.map((pair) => pair.replace(' ', ':'));
  expect(changed.sort()).toEqual([...documents, ...new Set(ids.flatMap(probesOf))].sort());
  const [median] = tookMs.sort((a, b) => a - b).slice(EDITS / 2);
  const minCost = costs.reduce((one, other) => ({
    commands: Math.min(one.commands, other.commands), bytes: Math.min(one.bytes, other.bytes),
    documentsRead: Math.min(one.documentsRead, other.documentsRead),
  }));
  console.log(`${before.size} documents: an edit takes ${median?.toFixed()} ms (median) and`, minCost);
  return minCost;
}

test('an edit among many monitors reaches only its probes, at the same cost as among 1,000', async () => {
  await place(0, 1000);
  const amongFew = await editCost(0);
  await place(1000, MONITORS);
  const amongMany = await editCost(EDITS);
  expect(amongFew.commands).toBeGreaterThan(0);
  expect(amongFew.documentsRead).toBeGreaterThan(0);
  expect(amongMany.commands).toBe(amongFew.commands);
  expect(amongMany.documentsRead).toBe(amongFew.documentsRead);
  expect(amongMany.bytes).toBeLessThan(amongFew.bytes * 1.1);
  const [probe] = fleet.get('local') as [TestProbe];
  const active = { probe_id: idOf(probe), organization_id: ORGANIZATION, gone: false };
  expect(await probe.sync()).not.toHaveLength(1);
  expect(probe.held.size).toBe(await rig.mongo.db.collection('assignments').countDocuments(active));
});
