import type { Log } from '../../../shared/log.ts';
import { Rounds } from '../../../shared/rounds.ts';
import type { Clock } from '../../../shared/time.ts';
import type { Ingest } from './ingest.ts';
import type { ReceivedPing } from './ping-rules.ts';
import type { ShardActor } from '../shards/shard-actor.ts';

const LOOK_EVERY_MS = 1000;
/** Pings that are looked at at once. */
const AT_ONCE = 1000;
/** A ping whose monitor nobody knows after this long has none any more, ms. */
const ORPHAN_MS = 3_600_000;

/** The collection of pings, each from its receipt until it is in the journal. */
export interface PingSource {
  /** The oldest of these shards. */
  find(shards: number[], limit: number): Promise<(ReceivedPing & { shard: number })[]>;
  remove(ids: string[]): Promise<void>;
}

export interface PingsDeps {
  clock: Clock;
  log: Log;
  ingest: Ingest;
  source: PingSource;
}

/**
 * Takes pings from their collection into the journal, and out of the collection once they are in it; a crash between the
 * two finds them in both, and the journal wins.
 */
export class Pings {
  readonly #deps: PingsDeps;
  readonly #rounds: Rounds;

  constructor(deps: PingsDeps) {
    this.#deps = deps;
    this.#rounds = new Rounds({
      clock: deps.clock, everyMs: LOOK_EVERY_MS, round: () => this.#lookOnce(),
      onFailed: (error) => {
        deps.log.warn({ err: error }, 'pings could not be taken');
        for (const actor of deps.ingest.shards.values()) actor.interrupted();
      },
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
    const { ingest, source, clock } = this.#deps;
    // Bound to these very actors: what was read for one that has since been loaded anew may be journaled and gone.
    const actors = new Map(ingest.shards);
    if (actors.size === 0) return false;
    await this.#removeJournaled(actors);
    const startedAt = clock.now();
    const found = await source.find([...actors.keys()], AT_ONCE);
    const orphans: string[] = [];
    for (const [shard, actor] of actors) {
      const pings = found.filter((ping) => ping.shard === shard);
      orphans.push(...pings.filter((ping) => ping.at < startedAt - ORPHAN_MS && !actor.state.monitors.has(ping.monitor_id)).map((ping) => ping.id));
      ingest.notePings(actor, pings, found.length < AT_ONCE ? startedAt : null);
    }
    if (orphans.length > 0) await source.remove(orphans);
    return found.length === AT_ONCE;
  }

  async #removeJournaled(actors: ReadonlyMap<number, ShardActor>): Promise<void> {
    const journaled = [...actors.values()].flatMap(({ state }) => [...state.pings.keys()].map((id) => ({ state, id })));
    for (let at = 0; at < journaled.length; at += AT_ONCE) {
      const some = journaled.slice(at, at + AT_ONCE);
      await this.#deps.source.remove(some.map(({ id }) => id));
      for (const { state, id } of some) state.pings.delete(id);
    }
  }
}
