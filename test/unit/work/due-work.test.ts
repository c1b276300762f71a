import { expect, test } from 'vitest';
import { DueWork, findDue, type WorkClaim } from '../../../controller/work/claimed-work.ts';
import { ONLY_CONTROLLER_INTERVAL_MS } from '../../../controller/work/periodic-task.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

interface Doc {
  _id: string;
  due_at: number;
  claim?: WorkClaim;
}

const TTL_MS = 10_000;

/** A collection that several controllers work on. */
function collection(...docs: Doc[]) {
  const clock = new SimulatedClock();
  const stored = new Map(docs.map((doc) => [doc._id, { ...doc, due_at: clock.now() + doc.due_at }]));
  const store = {
    due: (until: number, limit: number, held: readonly string[]) => Promise.resolve([...stored.values()]
      .filter(({ due_at, claim }) => due_at <= until && !held.includes(claim?.token ?? '')).slice(0, limit)),
    claim: (seen: Doc, claim: WorkClaim) => {
      if (stored.get(seen._id)?.claim?.token !== seen.claim?.token) return Promise.resolve(null);
      stored.set(seen._id, { ...(stored.get(seen._id) as Doc), claim });
      return Promise.resolve(stored.get(seen._id) as Doc);
    },
  };
  const controller = (holder: string) => new DueWork<Doc>({ clock, holder, ttlMs: TTL_MS, store });
  return { clock, store, stored, controller };
}

const idsOf = ({ free }: { free: Doc[] }) => free.map(({ _id }) => _id);

test('only what is due now is found, and what is due soon keeps polls from becoming idle', async () => {
  const { clock, store } = collection({ _id: 'now', due_at: 0 }, { _id: 'soon', due_at: 1000 });
  const found = await findDue({ clock, store }, 10);
  expect([idsOf(found), found.next]).toEqual([['now'], false]);
  expect((await findDue({ clock, store }, 1)).next).toBe(true);
  const later = collection({ _id: 'later', due_at: ONLY_CONTROLLER_INTERVAL_MS + 1 });
  expect(await findDue(later, 10)).toEqual({ free: [], next: 'idle' });
});

test('one of two controllers does the work', async () => {
  const { controller } = collection({ _id: 'a', due_at: 0 });
  const [one, two] = [controller('one'), controller('two')];
  const [seen] = (await one.find(10)).free;
  const outcomes = await Promise.all([one, two].map((each) => each.run(seen as Doc, ({ _id }) => Promise.resolve(_id))));
  expect(outcomes.filter((outcome) => outcome !== null)).toEqual(['a']);
});

test('what another controller has claimed is left to it until the claim expires', async () => {
  const { clock, controller } = collection({ _id: 'a', due_at: 0 });
  const [one, two] = [controller('one'), controller('two')];
  const [seen] = (await one.find(10)).free;
  await one.run(seen as Doc, () => Promise.reject(new Error('crashed'))).catch(() => undefined);
  expect(await two.find(10)).toEqual({ free: [], next: false });
  expect([two.hasClaims, await two.find(10)]).toEqual([true, { free: [], next: false }]);
  await clock.advance(TTL_MS);
  expect(idsOf(await two.find(10))).toEqual(['a']);
});

test('a failure is reported and affects no other document', async () => {
  const { stored, controller } = collection({ _id: 'a', due_at: 0 }, { _id: 'b', due_at: 0 });
  const failed: string[] = [];
  const onError = (_error: unknown, { _id }: Doc) => failed.push(_id);
  await controller('one').runDue({ limit: 10, onError }, async ({ _id }) => {
    if (_id === 'a') throw new Error('refused');
    stored.delete(_id);
  });
  expect([failed, [...stored.keys()]]).toEqual([['a'], ['a']]);
});
