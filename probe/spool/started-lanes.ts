import { SHARD_COUNT } from '../../shared/ids.ts';
import type { Lane } from './lane.ts';

/**
 * Lanes of a shard that lives of this probe have begun, with an answer missing for one of them. A shard with
 * as many begins no other before it is answered: the controller keeps 64 (`LANES_PER_PROBE`).
 */
const MAX_UNSETTLED_LANES = 32;
/** Lanes of the backlog begun at once; they are sent one after another. */
const MAX_BACKLOG_LANES = 8;

/** A lane as the spool notes it. */
export type NotedLane = [epoch: string, shard: number];

/** What a mark says of begun lanes, and the lanes that may be sent once it is on disk. */
export interface StartNote {
  noted: NotedLane[];
  starting: Lane[];
}

interface ShardLanes {
  shard: number;
  /** Epochs noted by earlier lives; empty once the last of them is answered. */
  earlier: string[];
  inDoubt: Set<Lane>;
  /** Begun and unfinished lanes, with the highest number sent when the shard last began backlog. */
  started: Map<Lane, number>;
  /** Unfinished lanes of earlier epochs, oldest first. */
  old: Lane[];
  fresh: Lane | null;
}

/**
 * Decides which lanes may be sent. A lane is begun when the disk says so, before its first batch goes out;
 * until its probe knows what became of that batch, the controller has to remember the lane. It remembers the
 * 64 that moved last. So a life begins, beside what is fresh, nothing before everything that earlier lives
 * had begun is answered and the answers are on disk; then the backlog, a few lanes at a time, each time after
 * everything sent before is answered. At most 48 other lanes move while one waits for its answer, however
 * often and however soon the probe dies.
 */
export class StartedLanes {
  readonly #shards: ShardLanes[];

  /** `noted`: what the last mark says; null where an older version wrote it, which noted nothing. */
  constructor(old: Lane[], noted: readonly NotedLane[] | null) {
    this.#shards = Array.from({ length: SHARD_COUNT }, (_, shard) => {
      const lanes = old.filter((lane) => lane.shard === shard);
      const epochs = noted
        ? noted.filter((each) => each[1] === shard).map(([epoch]) => epoch)
        : lanes.slice(-MAX_UNSETTLED_LANES).map(({ epoch }) => epoch);
      return shardOfLife(shard, lanes, epochs);
    });
  }

  /** Begun lanes that are not finished, older epochs first. */
  lanes(): Lane[] {
    return this.#shards.flatMap(({ started }) => [...started.keys()].filter(({ isStarted }) => isStarted));
  }

  /** True while something waits to be begun. */
  get isWaiting(): boolean {
    return this.#shards.some(isWaiting);
  }

  /** True when a lane cannot be sent before the next note. */
  isUnstarted(lane: Lane): boolean {
    return !lane.isStarted && this.#of(lane).fresh === lane;
  }

  openEpoch(fresh: Lane[]): void {
    for (const lane of fresh) {
      const of = this.#of(lane);
      if (of.fresh && !of.fresh.isStarted && of.fresh.next > 1) of.old.push(of.fresh);
      of.fresh = lane;
    }
  }

  /** The controller has answered for a lane. True when a note may begin others for that. */
  onResponse(lane: Lane): boolean {
    const of = this.#of(lane);
    lane.isInDoubt = false;
    of.inDoubt.delete(lane);
    return isWaiting(of);
  }

  /** To be written together with the watermarks of this moment. */
  note(): StartNote {
    const starting = this.#shards.flatMap(startMore);
    const noted = this.#shards.flatMap(({ shard, earlier, started }) => {
      const epochs = new Set([...earlier, ...[...started.keys()].map(({ epoch }) => epoch)]);
      return [...epochs].map((epoch): NotedLane => [epoch, shard]);
    });
    return { noted, starting };
  }

  /** The note is on disk, or the disk takes nothing: then sending what there is comes first. */
  written({ starting }: StartNote): void {
    for (const lane of starting) lane.isStarted = true;
  }

  #of(lane: Lane): ShardLanes {
    return this.#shards[lane.shard] as ShardLanes;
  }
}

function shardOfLife(shard: number, old: Lane[], earlier: string[]): ShardLanes {
  const noted = new Set(earlier);
  const doubtful = old.filter(({ epoch }) => noted.has(epoch));
  for (const lane of doubtful) lane.isStarted = lane.isInDoubt = true;
  return {
    shard, old, earlier, fresh: null,
    inDoubt: new Set(doubtful), started: new Map(doubtful.map((lane) => [lane, 0])),
  };
}

function isWaiting({ earlier, old, fresh }: ShardLanes): boolean {
  return earlier.length > 0 || old.length > 0 || (fresh !== null && !fresh.isStarted && fresh.next > 1);
}

/** Drops what is finished from the begun lanes, and adds what may be begun now. */
function startMore(of: ShardLanes): Lane[] {
  const { started, inDoubt, fresh } = of;
  of.old = of.old.filter((lane) => lane.depth > 0);
  for (const lane of started.keys()) {
    if (lane !== fresh && lane.depth === 0 && !lane.isDirty) started.delete(lane);
  }
  if (inDoubt.size === 0 && of.earlier.length > 0) settle(of);
  const starting: Lane[] = [];
  const count = new Set([...of.earlier, ...[...started.keys()].map(({ epoch }) => epoch)]).size;
  const hasRoom = of.earlier.length === 0 || count < MAX_UNSETTLED_LANES;
  if (fresh && fresh.next > 1 && !started.has(fresh) && hasRoom) starting.push(fresh);
  const isFree = of.earlier.length === 0 && !of.old.some((lane) => started.has(lane));
  if (isFree && [...started].every(([lane, sent]) => lane.watermark >= sent)) {
    starting.push(...of.old.slice(0, MAX_BACKLOG_LANES));
    for (const lane of started.keys()) started.set(lane, lane.sent);
  }
  for (const lane of starting) started.set(lane, 0);
  return starting;
}

/** Everything that earlier lives had sent is answered: what has nothing under way is backlog again. */
function settle(of: ShardLanes): void {
  of.earlier = [];
  for (const lane of of.old) {
    if (lane.sent > lane.watermark || !of.started.delete(lane)) continue;
    lane.isStarted = false;
  }
}
