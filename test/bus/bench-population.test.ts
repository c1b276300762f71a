import { expect, test } from 'vitest';
import type { Document } from 'mongodb';
import type { JournalEntry } from '../../controller/results/journal/journal-store.ts';
import { populate } from '../bench/population.ts';
import { startControllerRig } from '../helpers/controller-rig.ts';
import { WarpClock } from '../helpers/warp-clock.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';

interface Project {
  _id: string;
  organization_id: string;
}

const MONITORS = 200;
/** Items that a controller decides for every shard, whatever its monitors. */
const OF_SHARDS = ['hour', 'unwatched', 'watched'];

test('a controller has no pending decisions about the bench\'s monitors', async () => {
  const clock = new WarpClock();
  const decided: string[] = [];
  const rig = await startControllerRig({}, (command: Document) => {
    if (command['insert'] !== 'journal') return;
    const entries = command['documents'] as Pick<JournalEntry, 'clock'>[];
    decided.push(...entries.flatMap((entry) => entry.clock.map(({ kind }) => kind)));
  }, undefined, { clock });
  const mongo = checkedMongo(rig.store.url);
  try {
    const project = await mongo.db.collection<Project>('projects').findOne();
    const { _id: projectId, organization_id: organizationId } = project as Project;
    const owner = { organizationId, projectId, userId: 'somebody' };
    const group = '00000000-0000-4000-8000-00000000000a';
    await rig.restart(() => populate(mongo.db, owner, group, MONITORS));
    // Long enough to examine every monitor.
    for (let second = 0; second < 90; second += 1) {
      clock.warp(1000);
      for (let turn = 0; turn < 5; turn += 1) await mongo.ping();
    }
    expect(decided).toContain('watched');
    expect(decided.filter((kind) => !OF_SHARDS.includes(kind))).toEqual([]);
  } finally {
    await mongo.close();
    await rig.stop();
  }
});
