import { ActorSystem } from '../../shared/actor/system.ts';
import type { ActorContext, ActorDefinition, ActorRef, Supervision } from '../../shared/actor/actor.ts';
import { newId, SHARD_COUNT, shardOf } from '../../shared/ids.ts';
import { sleep, type Clock } from '../../shared/time.ts';
import type { Log } from '../../shared/log.ts';
import type { Tried } from './attempt.ts';
import { inTurns, type UnorderedStores } from './in-turns.ts';
import { destinationActor } from './destination-actor.ts';
import { Lanes } from './lanes.ts';
import type { QueueMessage } from './queue-rules.ts';
import { Turns } from './turns.ts';

export interface DeliveryServiceDeps extends UnorderedStores {
  /** Destinations of these shards that are due, at most `limit`. */
  due(shards: number[], now: number, limit: number): Promise<string[]>;
  /** Removes at most `limit` deliveries made before an instant, Unix ms; returns how many. */
  removeOlder(before: number, limit: number): Promise<number>;
  /** Whether this controller serves the destinations of a shard. */
  ownsShard(shard: number): boolean;
  clock: Clock;
  log: Log;
}

type Message = { kind: 'look' } | { kind: 'sweep' } | { kind: 'wake'; ids: string[] } | { kind: 'rested'; id: string; calls: number };

/** Since the start. `resumed`: tries after one that was never reported, so that the receiver may have got the alert twice. */
export interface DeliveryCounts {
  sent: number;
  retry: number;
  failed: number;
  dropped: number;
  again: number;
  lost: number;
  resumed: number;
}

interface Working {
  ref: ActorRef<QueueMessage>;
  /** Number of the last call to wake up. */
  calls: number;
}

/** What is due is found by looking this often, whoever forgot to wake us. */
const LOOK_EVERY_MS = 1000;
/** While a look finds as many as it asked for. */
const LOOK_AGAIN_MS = 100;
const LOOK_AT_LEAST_EVERY_MS = 5000;
/** Destinations at work at once; more wait in the database, most overdue first. */
const MOST_AT_WORK = 10_000;
const LOOK_PAGE = 200;
/** The notification log reaches back so far. */
const KEPT_MS = 400 * 86_400_000;
const SWEEP_EVERY_MS = 3_600_000;
const SWEEP_PAGE = 500;
const SWEEP_PAUSE_MS = 500;
/** Whoever serves this shard sweeps. */
const SWEEPING_SHARD = 0;
/** Of the time to stop, what is left for giving back claims after tries were broken off. */
const RELEASE_MS = 1000;

/** The database may be away for long; nobody gives up on it. */
const PATIENT: Partial<Supervision> = Object.freeze({ firstDelayMs: 500, maxDelayMs: 15_000, maxRestarts: Infinity });

/** Sends what is due: wakes one actor per destination, and lets it go when it has nothing more to do. */
export class DeliveryService {
  readonly #deps: DeliveryServiceDeps;
  #lanes = new Lanes();
  readonly #turns = new Turns();
  readonly #atWork = new Map<string, Working>();
  readonly #counts: DeliveryCounts = { sent: 0, retry: 0, failed: 0, dropped: 0, again: 0, lost: 0, resumed: 0 };
  #system: ActorSystem | null = null;
  #root: ActorRef<Message> | null = null;
  #isLookWaiting = false;
  #lookedAt = -Infinity;
  #failedAt = -Infinity;

  constructor(deps: DeliveryServiceDeps) {
    this.#deps = deps;
  }

  get counts(): Readonly<DeliveryCounts> {
    return this.#counts;
  }

  /** Destinations with something under way. */
  get atWork(): number {
    return this.#atWork.size;
  }

  /** Whether, in the last so many ms, what is due was found and nothing of ours failed. Receivers that fail do not count. */
  hasWorked(withinMs: number): boolean {
    const since = this.#deps.clock.monotonic() - withinMs;
    return this.#lookedAt >= since && this.#failedAt < since;
  }

  start(): void {
    const { clock, log } = this.#deps;
    this.#lanes = new Lanes();
    this.#isLookWaiting = false;
    this.#system = new ActorSystem({
      clock,
      onFailure: ({ path, error, restartInMs }) => {
        this.#failedAt = clock.monotonic();
        log.error({ err: error, actor: path, restartInMs }, 'delivery failed');
      },
      onEscalation: ({ path }) => log.fatal({ actor: path }, 'delivery stopped'),
    });
    this.#root = this.#system.spawn(this.#definition(), { name: 'deliveries', supervision: PATIENT });
  }

  /** Starts no more tries, lets those under way end until the deadline, then breaks them off. */
  async stop(deadlineMs: number): Promise<void> {
    this.#lanes.close();
    await this.#system?.stop(Math.max(0, deadlineMs - RELEASE_MS));
    await Promise.race([this.#lanes.drained(), sleep(this.#deps.clock, RELEASE_MS)]);
    this.#system = null;
    this.#root = null;
    this.#atWork.clear();
  }

  /** Something was queued for these destinations. May be lost; they are then found within a second. */
  wake(destinationIds: string[]): void {
    const ids = destinationIds.filter((id) => this.#deps.ownsShard(shardOf(id)));
    if (ids.length > 0) this.#root?.send({ kind: 'wake', ids });
  }

  /** Something is due, or this controller serves more shards than before. */
  poke(): void {
    if (this.#isLookWaiting) return;
    this.#isLookWaiting = this.#root?.send({ kind: 'look' }) ?? false;
  }

  /** Decides nothing by itself: each message is its own effect, and the shell keeps who is at work. */
  #definition(): ActorDefinition<null, Message, Message | { kind: 'begin' }> {
    return {
      initial: () => ({ state: null, effects: [{ kind: 'begin' }, { kind: 'look' }, { kind: 'sweep' }] }),
      transition: (state, message) => ({ state, effects: [message] }),
      perform: async (effect, context) => {
        if (effect.kind === 'begin') this.#atWork.clear();
        else if (effect.kind === 'look') await this.#look(context);
        else if (effect.kind === 'sweep') await this.#sweep(context);
        else if (effect.kind === 'wake') for (const id of effect.ids) this.#wake(id, context);
        else await this.#rest(effect, context);
      },
    };
  }

  async #look(context: ActorContext<Message>): Promise<void> {
    const { due, ownsShard, clock, log } = this.#deps;
    this.#isLookWaiting = false;
    context.after('look', LOOK_EVERY_MS, { kind: 'look' });
    const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard).filter(ownsShard);
    if (shards.length === 0) return;
    if (this.#atWork.size >= MOST_AT_WORK) {
      this.#lookedAt = clock.monotonic();
      return;
    }
    // A backlog waits in the database, most overdue first, not here. Now and then it is looked at all the same, to know that we can.
    const isCrowded = this.#turns.waiting >= LOOK_PAGE && clock.monotonic() - this.#lookedAt < LOOK_AT_LEAST_EVERY_MS;
    if (isCrowded) return context.after('look', LOOK_AGAIN_MS, { kind: 'look' });
    try {
      // Those at work may still be due; asking for so many more, they hide nobody.
      const most = LOOK_PAGE + this.#atWork.size;
      const found = await due(shards, clock.now(), most);
      for (const id of found) {
        if (this.#atWork.get(id)?.ref.isIdle ?? true) this.#wake(id, context);
      }
      this.#lookedAt = clock.monotonic();
      if (found.length === most) context.after('look', LOOK_AGAIN_MS, { kind: 'look' });
    } catch (error) {
      log.warn({ err: error }, 'could not look for deliveries that are due');
    }
  }

  #wake(id: string, context: ActorContext<Message>): void {
    const working = this.#atWork.get(id);
    if (working) {
      if (working.ref.send({ kind: 'wake', call: working.calls + 1 })) working.calls += 1;
      return;
    }
    if (this.#atWork.size >= MOST_AT_WORK) return;
    const definition = destinationActor(id, {
      ...inTurns(this.#deps, this.#turns),
      lanes: this.#lanes,
      onRest: (destinationId, calls) => void context.self.send({ kind: 'rested', id: destinationId, calls }),
      onTried: (deliveryId, tried) => this.#count(deliveryId, tried),
    });
    // The name is new each time: one that failed for good may still be about to go.
    const ref = context.spawn(definition, { name: `${id}-${newId(context.clock.now())}`, supervision: PATIENT });
    this.#atWork.set(id, { ref, calls: 0 });
  }

  #count(deliveryId: string, { end, isResumed }: Tried): void {
    this.#counts[end.kind] += 1;
    if (!isResumed) return;
    this.#counts.resumed += 1;
    this.#deps.log.warn({ delivery_id: deliveryId }, 'a delivery was taken up whose last try was never reported: its receiver may get it twice');
  }

  async #sweep(context: ActorContext<Message>): Promise<void> {
    const { removeOlder, ownsShard, clock, log } = this.#deps;
    context.after('sweep', SWEEP_EVERY_MS, { kind: 'sweep' });
    if (!ownsShard(SWEEPING_SHARD)) return;
    try {
      const removed = await removeOlder(clock.now() - KEPT_MS, SWEEP_PAGE);
      // A page at a time, so that nothing that is due waits behind it.
      if (removed === SWEEP_PAGE) context.after('sweep', SWEEP_PAUSE_MS, { kind: 'sweep' });
    } catch (error) {
      log.warn({ err: error }, 'could not remove old deliveries');
    }
  }

  /** Lets an actor go unless it was woken since it said that it rests. */
  async #rest({ id, calls }: { id: string; calls: number }, context: ActorContext<Message>): Promise<void> {
    const working = this.#atWork.get(id);
    if (!working) return;
    // A call may still wait in its mailbox, or was forgotten when it failed and began anew.
    if (working.calls !== calls) return void working.ref.send({ kind: 'wake', call: working.calls });
    this.#atWork.delete(id);
    await context.stop(working.ref as ActorRef<never>, 0);
  }
}
