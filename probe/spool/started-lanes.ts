import type { ShardMap } from '../../shared/ids.ts';
import type { Lane } from './lane.ts';

/**
 * Maximum lanes of a shard started by this probe's runs while one is unacknowledged; then it starts no more.
 * The controller remembers 64 (`LANES_PER_PROBE`).
 */
const MAX_UNSETTLED_LANES = 32;
/** Maximum backlog lanes started at once; they are sent one after another. */
const MAX_BACKLOG_LANES = 8;

/** A lane as recorded in a mark. */
export type NotedLane = [epoch: string, shard: number];

/** The started lanes for a mark, and the lanes that may be sent once it is on disk. */
export interface StartNote {
  noted: NotedLane[];
  starting: Lane[];
}

interface ShardLanes {
  shard: number;
  /** Epochs started by earlier runs; empty once all are acknowledged. */
  earlier: string[];
  inDoubt: Set<Lane>;
  /** Started and unfinished lanes, with the highest number sent when the shard last started backlog lanes. */
  started: Map<Lane, number>;
  /** Unfinished lanes of earlier epochs, oldest first. */
  old: Lane[];
  fresh: Lane | null;
}

/**
 * Decides which lanes may be sent. A lane is recorded as started before its first batch is sent, and the
 * controller must remember it until that batch is settled, but remembers only the 64 lanes that moved last.
 * So the backlog starts in small steps, each after everything sent before is acknowledged on disk.
 */
export class StartedLanes {
  readonly #shards: ShardLanes[];

  /** `noted`: started lanes in the last mark. */
  constructor(old: Lane[], noted: readonly NotedLane[], shardMap: ShardMap) {
    this.#shards = shardMap.all.map((shard) => {
      const lanes = old.filter((lane) => lane.shard === shard);
      const epochs = noted.filter((each) => each[1] === shard).map(([epoch]) => epoch);
      return initialShard(shard, lanes, epochs);
    });
  }

  /** Started lanes that are not finished, older epochs first. */
  lanes(): Lane[] {
    return this.#shards.flatMap(({ started }) => [...started.keys()].filter(({ isStarted }) => isStarted));
  }

  /** True while a lane is waiting to be started. */
  get isWaiting(): boolean {
    return this.#shards.some(isWaiting);
  }

  /** True if a lane can't be sent before the next note. */
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

  /** Handles the controller's response for a lane; true if a note may now start others. */
  onResponse(lane: Lane): boolean {
    const of = this.#of(lane);
    lane.isInDoubt = false;
    of.inDoubt.delete(lane);
    return isWaiting(of);
  }

  /** Must be written together with the current watermarks. */
  note(): StartNote {
    const starting = this.#shards.flatMap(startMore);
    const noted = this.#shards.flatMap(({ shard, earlier, started }) => {
      const epochs = new Set([...earlier, ...[...started.keys()].map(({ epoch }) => epoch)]);
      return [...epochs].map((epoch): NotedLane => [epoch, shard]);
    });
    return { noted, starting };
  }

  /** Called when the note is on disk, or the disk accepts no writes: then sending has priority. */
  written({ starting }: StartNote): void {
    for (const lane of starting) lane.isStarted = true;
  }

  #of(lane: Lane): ShardLanes {
    return this.#shards[lane.shard] as ShardLanes;
  }
}

function initialShard(shard: number, old: Lane[], earlier: string[]): ShardLanes {
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

/** Removes finished lanes from the started ones and starts further ones if allowed. */
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

/** Everything sent by earlier runs is acknowledged: lanes with nothing in flight become backlog again. */
function settle(of: ShardLanes): void {
  of.earlier = [];
  for (const lane of of.old) {
    if (lane.sent > lane.watermark || !of.started.delete(lane)) continue;
    lane.isStarted = false;
  }
}
