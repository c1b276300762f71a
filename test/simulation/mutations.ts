import { readLaneHeader } from '../../shared/contracts/result-pack.ts';
import { laneName } from '../../shared/contracts/result.ts';
import type { Clock } from '../../shared/time.ts';
import { ShardClock } from '../../controller/results/clock/shard-clock.ts';
import { Shard } from '../../controller/results/shards/shard.ts';
import { ShardState } from '../../controller/results/state/shard-state.ts';
import type { WorldOptions } from './world.ts';

/** One protocol rule removed from outside the product, by a faulty store or a bypassed check. */
export interface Mutation {
  /** The removed rule. */
  sentence: string;
  disguise?: WorldOptions['disguise'];
  hand?: WorldOptions['hand'];
  /** Patches the product; returns a function that undoes it. */
  patch?: () => () => void;
}

export const MUTATIONS: readonly Mutation[] = [
  {
    sentence: 'only one of two controllers inserts entry n; the other sees the duplicate key',
    disguise: (stores) => ({ ...stores, journal: {
      ...stores.journal,
      insert: async (entries) => (await stores.journal.insert(entries)).map(
        (outcome) => (outcome === 'taken' ? 'ours' : outcome),
      ),
    } }),
  },
  {
    sentence: 'after every insert and every catch-up read, the owner reads the snapshot',
    disguise: (stores) => ({
      ...stores, snapshots: { ...stores.snapshots, numbers: () => Promise.resolve(new Map()) },
    }),
  },
  {
    sentence: 'if entries are missing, the shard is reloaded',
    patch: () => patchApply((state, entry) => {
      state.n = entry.n - 1;
    }),
  },
  {
    sentence: 'reading an entry follows the same lane rule as taking a batch',
    patch: () => patchApply((state, entry) => {
      for (const { probe_id: probeId, batch } of entry.batches) {
        state.lanes.forget(laneName(probeId, batch.epoch));
      }
    }),
  },
  {
    sentence: 'the probe gets its reply only after the journal has the batch',
    hand: (message) => {
      const header = readLaneHeader(message.bytes);
      if (header) message.acknowledge(header.last);
      return message;
    },
  },
  {
    sentence: 'an acknowledged batch stays in the journal',
    disguise: (stores, world) => ({ ...stores, journal: {
      ...stores.journal,
      insert: (entries) => (world.random.chance(0.002)
        ? Promise.resolve(entries.map(() => 'written' as const))
        : stores.journal.insert(entries)),
    } }),
  },
  {
    sentence: 'effect ids derive from (monitor, n, index, kind)',
    disguise: (stores, world) => ({
      ...stores, alerts: { fanOut: (alert) => stores.alerts.fanOut({ ...alert, id: world.random.uuid() }) },
    }),
  },
  {
    sentence: 'a state document is replaced only where position < n',
    disguise: (stores, world) => {
      world.db.careless.add('states');
      // A checkpoint would have the later state.
      const none = async () => undefined;
      return { ...stores, checkpoints: { load: async () => null, begin: async () => ({ add: none, finish: none }) } };
    },
  },
  {
    sentence: 'a state is written together with its outbox',
    disguise: (stores) => ({ ...stores, states: {
      ...stores.states,
      write: (records) => stores.states.write(records.map((record) => ({ ...record, outbox: [] }))),
    } }),
  },
  {
    sentence: 'blocks and rollups are replaced only where position < p',
    disguise: (stores, world) => {
      world.db.careless.add('hours');
      return stores;
    },
  },
  {
    sentence: 'the snapshot moves to n only after everything up to n is written',
    disguise: (stores, world) => ({ ...stores, snapshots: {
      ...stores.snapshots, move: (shard) => stores.snapshots.move(shard, {
        n: world.db.truth.get(shard)?.length ?? 0, taken_at: world.clock.now(),
        lanes: (world.db.truth.get(shard) ?? []).flatMap(({ lanes, taken_at: movedAt }) =>
          lanes.map((lane) => ({ ...lane, moved_at: movedAt }))),
      }),
    } }),
  },
  {
    sentence: 'lane positions outlive raw results',
    disguise: (stores, world) => ({ ...stores, snapshots: {
      ...stores.snapshots, move: (shard, snapshot) => {
        const lanes = snapshot.lanes.filter(({ moved_at: movedAt }) => movedAt > world.clock.now() - 300_000);
        return stores.snapshots.move(shard, { ...snapshot, lanes });
      },
    } }),
  },
  {
    sentence: 'the snapshot only moves forward',
    disguise: (stores, world) => {
      world.db.careless.add('snapshots');
      return stores;
    },
  },
  {
    sentence: 'a mark is cleared only if the revision is unchanged',
    disguise: (stores, world) => ({ ...stores, marks: {
      ...stores.marks,
      clear: (marks) => stores.marks.clear(marks.map(
        (mark) => ({ ...mark, revision: world.db.monitors.get(mark.monitor_id)?.config.revision ?? 0 }),
      )),
    } }),
  },
  {
    sentence: 'the owner journals a change, then clears its mark',
    disguise: (stores) => ({ ...stores, marks: {
      ...stores.marks, findMarked: async (shards, limit) => {
        const found = await stores.marks.findMarked(shards, limit);
        await stores.marks.clear(
          found.map(({ config }) => ({ monitor_id: config.monitor_id, revision: config.revision })),
        );
        return found;
      },
    } }),
  },
  {
    sentence: 'a late result never changes a verdict',
    patch: () => patchApply((_, entry) => {
      for (const batch of entry.batches) batch.late = [];
    }),
  },
];

/** Makes the owner decide by the clock immediately, even after an interruption. */
export function patchClockDecisions(): () => void {
  const { load } = Shard;
  const { interrupted } = ShardClock.prototype;
  ShardClock.prototype.interrupted = () => undefined;
  Shard.load = async (shard, writer, deps, context) => {
    let isLoading = true;
    const clock: Clock = {
      now: () => (isLoading ? 0 : deps.clock.now()), monotonic: () => deps.clock.monotonic(),
      setTimer: (delayMs, fire) => deps.clock.setTimer(delayMs, fire),
      setRepeating: (periodMs, fire) => deps.clock.setRepeating(periodMs, fire),
    };
    const loaded = await load.call(Shard, shard, writer, { ...deps, clock }, context);
    isLoading = false;
    return loaded;
  };
  return () => {
    Shard.load = load;
    ShardClock.prototype.interrupted = interrupted;
  };
}

type ApplyArguments = Parameters<ShardState['apply']>;

/** Calls `before` ahead of each applied entry. */
export function patchApply(before: (state: ShardState, entry: ApplyArguments[0]) => void): () => void {
  const original = ShardState.prototype.apply;
  ShardState.prototype.apply = function patched(this: ShardState, ...given: ApplyArguments) {
    before(this, given[0]);
    return original.apply(this, given);
  };
  return () => {
    ShardState.prototype.apply = original;
  };
}
