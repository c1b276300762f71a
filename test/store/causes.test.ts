import type { Db, Document } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { CauseDecider } from '../../controller/causes/decider.ts';
import { DecisionStore } from '../../controller/causes/decision-store.ts';
import { CauseStore } from '../../controller/causes/store.ts';
import { moveIncident } from '../../controller/incidents/change-rules.ts';
import { IncidentUpdateStore, VoteStore } from '../../controller/incidents/history-store.ts';
import type { IncidentDoc } from '../../controller/incidents/incident.ts';
import { IncidentOutbox } from '../../controller/incidents/outbox.ts';
import { IncidentStore } from '../../controller/incidents/store.ts';
import { FeatureStore } from '../../controller/results/writing/feature-store.ts';
import type { IncidentOpening } from '../../controller/verdicts/effect.ts';
import { derivedId } from '../../shared/ids.ts';
import { monitorConfig, TENANT } from '../helpers/delivery-rig.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { killedBefore } from './killed-before.ts';
import { withMongo } from './with-mongo.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const [SERVER, OTHER] = ['address:192.0.2.7', 'address:198.51.100.1'];
/** More than the scenario needs; bounds the search for its last write. */
const MAX_WRITES = 200;
/** The first write is the person's change, without which nothing ends. */
const SECOND = 2;
const SHARD = 3;

const mongo = withMongo();
let serial = 0;
const freshDb = () => mongo.client.db(`${mongo.db.databaseName}_${++serial}`);

/** Four outages of one server, and one of another in between. */
const openings = [SERVER, SERVER, OTHER, SERVER, SERVER].map((feature, at): IncidentOpening => ({
  id: derivedId('incident', at), monitor: monitorConfig({ monitor_id: derivedId('monitor', at), name: `m${at}` }),
  severity: 'major', type: 'connection_error', error_message: 'Connection refused', affected_regions: ['eu'],
  failure_count: 2, started_at: NOW + at * 1000, features: [feature],
}));

/** What a controller does about them, in the order of its journal; a restarted one begins again. */
async function carryOut(db: Db): Promise<void> {
  const outbox = outboxOn(db);
  for (const one of openings) await outbox.open(one);
  for (const { id, monitor, started_at } of openings) {
    await outbox.resolve({ id, monitor, resolved_at: started_at + 60_000, failure_count: 3 });
  }
}

/** Opens all incidents. Checks then resolve all but the last one of the cause. */
async function leaveLastOpen(db: Db): Promise<void> {
  const outbox = outboxOn(db);
  for (const one of openings) await outbox.open(one);
  for (const { id, monitor, started_at } of openings.slice(0, -1)) {
    await outbox.resolve({ id, monitor, resolved_at: started_at + 60_000, failure_count: 3 });
  }
}

/** What a controller does when a person ends that one. */
async function endByPerson(db: Db): Promise<void> {
  const [incidents, actor] = [new IncidentStore(db), { type: 'user', id: 'u', name: 'Ann' } as const];
  const seen = await incidents.findById(openings.at(-1)?.id ?? '') as IncidentDoc;
  const move = { to: 'resolved', note: undefined, actor, assignee: actor, shardOf: () => SHARD } as const;
  const { change, updates } = moveIncident(seen, move, NOW + 90_000);
  const ended = await incidents.change(seen, change, updates);
  await deciderOn(db).endIfOver(ended?.cause_id as string);
}

/** What the owner of its shard does until nothing is left. */
async function settleEnds(db: Db): Promise<void> {
  const ends = await new IncidentStore(db).unjournaledEnds([SHARD], 10);
  await outboxOn(db).clearUnjournaled(ends.map(({ incident_id }) => incident_id));
}

function deciderOn(db: Db): CauseDecider {
  return new CauseDecider({
    causes: new CauseStore(db), decisions: new DecisionStore(db), incidents: new IncidentStore(db),
    monitors: new FeatureStore(db),
    onEnded: async ({ _id, ended_at }) => {
      await db.collection<{ _id: string }>('ends').updateOne({ _id }, { $addToSet: { at: ended_at } }, { upsert: true });
    },
  });
}

function outboxOn(db: Db): IncidentOutbox {
  const [incidents, updates, votes] = [new IncidentStore(db), new IncidentUpdateStore(db), new VoteStore(db)];
  return new IncidentOutbox({ incidents, updates, votes, causes: deciderOn(db) }, new SimulatedClock(NOW));
}

async function withMonitors(db: Db): Promise<Db> {
  const features = new FeatureStore(db);
  for (const { monitor: { monitor_id }, features: own = [] } of openings) {
    await features.save({ monitor_id, organization_id: TENANT.organizationId, features: own, position: 1 });
  }
  return db;
}

async function contentOf(db: Db): Promise<Record<string, Document[]>> {
  const names = ['incidents', 'incident_updates', 'causes', 'cause_decisions', 'ends'];
  const read = names.map(async (name) => [name, await db.collection(name).find({}).sort({ _id: 1 }).toArray()] as const);
  return Object.fromEntries(await Promise.all(read));
}

const causesOf = async (db: Db) => (await db.collection('incidents').find({}).sort({ started_at: 1 }).toArray())
  .map(({ cause_id }) => cause_id as string | undefined);

describe('a cause', () => {
  test('is the same, and ends once, before whichever write its controller is killed', async () => {
    const undisturbed = await withMonitors(freshDb());
    await carryOut(undisturbed);
    const expected = await contentOf(undisturbed);
    const [cause] = await causesOf(undisturbed);
    expect(await causesOf(undisturbed)).toEqual([cause, cause, undefined, cause, cause]);
    expect(expected['causes']).toMatchObject([{ _id: cause, value: '192.0.2.7', ended_at: NOW + 64_000 }]);
    expect(expected['ends']).toEqual([{ _id: cause, at: [NOW + 64_000] }]);
    let kills = 0;
    for (let write = 1; write < MAX_WRITES; write += 1) {
      const db = await withMonitors(freshDb());
      const killed = killedBefore(db, write);
      await carryOut(killed.db).catch(() => undefined);
      if (!killed.isDead()) break;
      kills += 1;
      await carryOut(db);
      expect(await contentOf(db), `killed before write ${write}`).toEqual(expected);
    }
    expect(kills).toBeGreaterThan(20);
  });

  test('ends once, before whichever write its controller is killed after a person ended its last incident', async () => {
    const undisturbed = await withMonitors(freshDb());
    await leaveLastOpen(undisturbed);
    await endByPerson(undisturbed);
    await settleEnds(undisturbed);
    const expected = await contentOf(undisturbed);
    const [cause] = await causesOf(undisturbed);
    expect(expected['ends']).toEqual([{ _id: cause, at: [NOW + 90_000] }]);
    expect(expected['causes']).toMatchObject([{ _id: cause, ended_at: NOW + 90_000 }]);
    expect(expected['incidents']?.filter((doc) => 'unjournaled' in doc)).toEqual([]);
    let kills = 0;
    for (let write = SECOND; write < MAX_WRITES; write += 1) {
      const db = await withMonitors(freshDb());
      await leaveLastOpen(db);
      const killed = killedBefore(db, write);
      await endByPerson(killed.db).then(() => settleEnds(killed.db)).catch(() => undefined);
      if (!killed.isDead()) break;
      kills += 1;
      const killedAgain = killedBefore(db, write);
      await settleEnds(killedAgain.db).catch(() => undefined);
      await settleEnds(db);
      expect(await contentOf(db), `killed before write ${write}`).toEqual(expected);
    }
    expect(kills).toBeGreaterThan(2);
  });

  test('is one, even if several controllers open its incidents at the same time', async () => {
    const db = await withMonitors(freshDb());
    await Promise.all(openings.map((one) => outboxOn(db).open(one)));
    const [cause] = await causesOf(db);
    expect(cause).toBeDefined();
    expect(await causesOf(db)).toEqual([cause, cause, undefined, cause, cause]);
  });
});
