import { shardOf } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import { sleep, type Clock, type Timer } from '../../shared/time.ts';
import { sweepDeadLetters, sweepOrganization, type SweepDeps } from './sweep.ts';

/** How soon a change of plan is acted upon. */
const LOOK_EVERY_MS = 600_000;
/** Between two batches, so that a long round is no load that anybody feels. */
const PAUSE_MS = 500;
const ORGANIZATIONS = 100;
/** Dead letters are for the operator to look at: for so long, in every plan. */
export const DEAD_LETTERS_MS = 30 * 86_400_000;
/** Whoever has this shard looks after what belongs to no organization. */
const COMMON_SHARD = 0;

export interface SweeperDeps extends Omit<SweepDeps, 'breathe'> {
  clock: Clock;
  log: Log;
  /** Whether this controller has a shard: an organization is looked after where its id lies. */
  ownsShard(shard: number): boolean;
}

/** Goes through all organizations again and again and removes what their plans no longer keep. */
export class RetentionSweeper {
  readonly #deps: SweeperDeps;
  #timer: Timer | null = null;
  #round: Promise<void> | null = null;
  #isStopped = false;

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = this.#deps.clock.setRepeating(LOOK_EVERY_MS, () => this.look());
  }

  /** Begins a round unless one is under way. */
  look(): void {
    if (this.#isStopped) return;
    this.#round ??= this.#goRound()
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'what has aged could not be removed'))
      .finally(() => {
        this.#round = null;
      });
  }

  /** Whether a round is under way. */
  get isBusy(): boolean {
    return this.#round !== null;
  }

  /** Ends after the batch that is under way; the rest waits for the next controller. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#round;
  }

  async #goRound(): Promise<void> {
    const { organizations, clock, log, ownsShard } = this.#deps;
    const deps: SweepDeps = { ...this.#deps, breathe: () => this.#breathe() };
    if (ownsShard(COMMON_SHARD)) await sweepDeadLetters(deps, clock.now() - DEAD_LETTERS_MS);
    for (let after = ''; !this.#isStopped; ) {
      const ids = await organizations.page(after, ORGANIZATIONS);
      for (const id of ids) {
        if (this.#isStopped || !ownsShard(shardOf(id))) continue;
        await sweepOrganization(deps, id, clock.now())
          .catch((error: unknown) => log.warn({ err: error, organization_id: id }, 'what an organization no longer keeps could not be removed'));
      }
      if (ids.length < ORGANIZATIONS) return;
      after = ids.at(-1) as string;
    }
  }

  /** In short steps, so that stopping waits for none of them. */
  async #breathe(): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < PAUSE_MS && !this.#isStopped; waitedMs += 100) await sleep(this.#deps.clock, 100);
    return !this.#isStopped;
  }
}
