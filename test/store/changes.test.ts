import type { Db, Document } from 'mongodb';
import { expect, test } from 'vitest';
import { MarkerStore } from '../../controller/changes/marker-store.ts';
import { ChangeRecorder } from '../../controller/changes/recorder.ts';
import { ChangeStore, SeenStore } from '../../controller/changes/store.ts';
import type { TargetSighting } from '../../controller/verdicts/monitor-state.ts';
import { derivedId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { TENANT } from '../helpers/delivery-rig.ts';
import { killedBefore } from './killed-before.ts';
import { withMongo } from './with-mongo.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
/** More than the scenario needs; bounds the search for its last write. */
const MAX_WRITES = 50;

const mongo = withMongo();
let serial = 0;
const freshDb = () => mongo.client.db(`${mongo.db.databaseName}_${++serial}`);
const { organizationId: organization_id, projectId: project_id } = TENANT;

const recorderOn = (db: Db) => new ChangeRecorder({
  seen: new SeenStore(db), changes: new ChangeStore(db), log: createLog('test', 'silent'),
});

function sighting(position: number, region: string, facts: TargetSighting['facts'] = {}, monitor_id = 'm'): TargetSighting {
  return {
    monitor_id, organization_id, project_id, check_revision: 1, region, seen_at: NOW + position * 1000, position, facts,
  };
}

/** A move that two regions see, and a header that changes with it. */
const SIGHTINGS = [
  sighting(1, 'eu', { addresses: ['192.0.2.1'], redirects: [], headers: { server: 'a' } }),
  sighting(2, 'us', { addresses: ['192.0.2.1'] }),
  sighting(3, 'eu', { addresses: ['198.51.100.1'], redirects: [], headers: { server: 'b' } }),
  sighting(4, 'us', { addresses: ['198.51.100.1'] }),
];

/** In the order of the journal; a restarted controller begins again. */
async function recordAll(db: Db): Promise<void> {
  const recorder = recorderOn(db);
  for (const one of SIGHTINGS) await recorder.record(one);
}

async function contentOf(db: Db): Promise<Document[][]> {
  return Promise.all(['target_changes', 'seen_targets'].map((name) => db.collection(name).find({}).sort({ _id: 1 }).toArray()));
}

test('changes are stored once, before whichever write their controller is killed', async () => {
  const undisturbed = freshDb();
  await recordAll(undisturbed);
  const expected = await contentOf(undisturbed);
  expect(await new ChangeStore(undisturbed).newest(TENANT, 'm', { from: 0, to: Infinity, limit: 10 })).toMatchObject([
    { kind: expect.any(String), at: NOW + 3000 }, { kind: expect.any(String), at: NOW + 3000 },
  ]);
  expect(expected[0]).toContainEqual(expect.objectContaining({ kind: 'addresses', regions: ['eu', 'us'] }));
  let kills = 0;
  for (let write = 1; write < MAX_WRITES; write += 1) {
    const db = freshDb();
    const killed = killedBefore(db, write);
    await recordAll(killed.db);
    if (!killed.isDead()) break;
    kills += 1;
    await recordAll(db);
    expect(await contentOf(db), `killed before write ${write}`).toEqual(expected);
  }
  expect(kills).toBeGreaterThan(3);
});

test('sightings that were seen before write nothing', async () => {
  const db = freshDb();
  await recordAll(db);
  const before = await contentOf(db);
  await recordAll(db);
  await recorderOn(db).record(sighting(5, 'us', { addresses: ['198.51.100.1'] }));
  expect(await contentOf(db)).toEqual(before);
});

test('an error that is not about the database does not reach the monitor\'s other effects', async () => {
  const db = freshDb();
  await recorderOn(db).record({ ...sighting(1, 'eu'), facts: null as unknown as object });
  expect((await contentOf(db)).flat()).toEqual([]);
});

test('what is old, and what deleted monitors had, is removed', async () => {
  const db = freshDb();
  const [changes, markers, recorder] = [new ChangeStore(db), new MarkerStore(db), recorderOn(db)];
  await recordAll(db);
  for (const one of SIGHTINGS) await recorder.record({ ...one, monitor_id: 'other' });
  await changes.removeOlder(['m'], NOW + 3001);
  const span = { from: 0, to: Infinity, limit: 10 };
  expect([await changes.newest(TENANT, 'm', span), await changes.newest(TENANT, 'other', span)]).toEqual([[], [expect.anything(), expect.anything()]]);
  await changes.removeOf(['other']);
  await recorder.forget(['m', 'other']);
  expect((await contentOf(db)).flat()).toEqual([]);
  for (const at of [NOW, NOW + 1]) {
    await markers.add({ _id: derivedId('marker', at), organization_id, project_id, text: 'v1', at, monitor_ids: [], tags: [], is_for_all: true });
  }
  await markers.removeOlder(TENANT.organizationId, NOW + 1);
  expect(await markers.newest(TENANT, { id: 'm', tags: [] }, span)).toMatchObject([{ at: NOW + 1 }]);
});
