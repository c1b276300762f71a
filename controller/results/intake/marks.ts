import type { Log } from '../../../shared/log.ts';
import { Rounds } from '../../../shared/rounds.ts';
import type { Clock } from '../../../shared/time.ts';
import type { Ingest } from './ingest.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';

const LOOK_EVERY_MS = 1000;
/** Changed monitors that are looked at at once. */
const AT_ONCE = 500;

/** A monitor whose change the journal lacks. `monitor` is whatever placement takes. */
export interface MarkedMonitor<M> {
  shard: number;
  config: MonitorConfig;
  monitor: M;
}

export interface MarksDeps<M> {
  clock: Clock;
  log: Log;
  ingest: Ingest;
  /** Marked monitors of these shards. */
  findMarked(shards: number[], limit: number): Promise<MarkedMonitor<M>[]>;
  /** Makes the probes' assignments agree with these monitors, durably. */
  place(monitors: M[]): Promise<void>;
  /** Takes the mark away where the revision is still the same. */
  clear(marks: { monitor_id: string; revision: number }[]): Promise<void>;
}

/**
 * Takes changes of monitors from their collection into the journal, and from there to the probes: first journaled,
 * then placed, then the mark is cleared; a crash between any two finds the mark again.
 */
export class Marks<M> {
  readonly #deps: MarksDeps<M>;
  readonly #rounds: Rounds;

  constructor(deps: MarksDeps<M>) {
    this.#deps = deps;
    this.#rounds = new Rounds({
      clock: deps.clock, everyMs: LOOK_EVERY_MS, round: () => this.#lookOnce(),
      onFailed: (error) => deps.log.warn({ err: error }, 'changed monitors could not be taken'),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Looks now; while a round is under way, once more after it. */
  look(): void {
    this.#rounds.look();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #lookOnce(): Promise<boolean> {
    const { ingest, findMarked, place, clear } = this.#deps;
    const shards = [...ingest.shards.keys()];
    if (shards.length === 0) return false;
    const marked = await findMarked(shards, AT_ONCE);
    const journaled = marked.filter(({ shard, config }) => this.#isJournaled(shard, config));
    for (const { shard, config } of marked) if (!this.#isJournaled(shard, config)) ingest.note(shard, [config]);
    if (journaled.length === 0) return false;
    await place(journaled.map(({ monitor }) => monitor));
    await clear(journaled.map(({ config }) => ({ monitor_id: config.monitor_id, revision: config.revision })));
    return marked.length === AT_ONCE;
  }

  #isJournaled(shard: number, config: MonitorConfig): boolean {
    const known = ingestRevision(this.#deps.ingest, shard, config.monitor_id);
    return known !== null && known >= config.revision;
  }
}

function ingestRevision(ingest: Ingest, shard: number, monitorId: string): number | null {
  return ingest.shards.get(shard)?.state.monitors.get(monitorId)?.state.config.revision ?? null;
}
