import type { Log } from '../../../shared/log.ts';
import { Rounds } from '../../../shared/rounds.ts';
import type { Clock } from '../../../shared/time.ts';
import type { Shards } from '../shards/shards.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';

const LOOK_EVERY_MS = 1000;
/** Changed monitors per round. */
const AT_ONCE = 500;

/** A monitor whose change the journal does not have. `monitor` is what placement expects. */
export interface MarkedMonitor<M> {
  shard: number;
  config: MonitorConfig;
  monitor: M;
}

export interface ChangeFeedDeps<M> {
  clock: Clock;
  log: Log;
  shards: Pick<Shards, 'get' | 'states'>;
  /** Marked monitors of these shards. */
  findMarked(shards: number[], limit: number): Promise<MarkedMonitor<M>[]>;
  /** Brings the stored assignments in line with these monitors. */
  place(monitors: M[]): Promise<void>;
  /** Removes the mark if the revision is still the same. */
  clear(marks: { monitor_id: string; revision: number }[]): Promise<void>;
}

/**
 * Brings changed monitors into the journal and then to the probes: journaled first, then placed, then
 * unmarked. After a crash in between, the mark is still there.
 */
export class ChangeFeed<M> {
  readonly #deps: ChangeFeedDeps<M>;
  readonly #rounds: Rounds;

  constructor(deps: ChangeFeedDeps<M>) {
    this.#deps = deps;
    this.#rounds = new Rounds({
      clock: deps.clock, everyMs: LOOK_EVERY_MS, round: () => this.#lookOnce(),
      onFailed: (error) => deps.log.warn({ err: error }, 'changed monitors could not be taken'),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Looks now, or again after the current round. */
  look(): void {
    this.#rounds.look();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #lookOnce(): Promise<boolean> {
    const { shards, findMarked, place, clear } = this.#deps;
    const running = [...shards.states.keys()];
    if (running.length === 0) return false;
    const marked = await findMarked(running, AT_ONCE);
    const journaled = new Set((await Promise.all(running.map((shard) => this.#note(shard, marked)))).flat());
    const settled = marked.filter(({ config }) => journaled.has(config.monitor_id));
    if (settled.length === 0) return false;
    await place(settled.map(({ monitor }) => monitor));
    await clear(settled.map(({ config }) => ({ monitor_id: config.monitor_id, revision: config.revision })));
    return marked.length === AT_ONCE;
  }

  /**
   * Gives changes to their shard. Returns the ids of those that the journal has; none when the shard is gone.
   */
  async #note(shard: number, marked: MarkedMonitor<M>[]): Promise<string[]> {
    const configs = marked.flatMap((one) => (one.shard === shard ? [one.config] : []));
    if (configs.length === 0) return [];
    const asked =
      this.#deps.shards.get(shard)?.ask<string[]>((answer) => ({ kind: 'configs', configs, answer }));
    return asked?.catch(() => []) ?? [];
  }
}
