import { backoffMs } from '../backoff.ts';
import type { Log } from '../log.ts';
import type { Clock, Timer } from '../time.ts';
import type { ActorContext, ActorRef, Behaviour } from './actor-ref.ts';
import { Actor } from './actor.ts';

export interface SupervisorOptions<Name, Message> {
  /** What the log and the metrics call actors of this kind. */
  kind: string;
  clock: Clock;
  log: Log;
  random: () => number;
  /** Maximum number of queued messages per actor. */
  capacity: number;
  /**
   * Longest delay before the first restart. It doubles with each consecutive failure until a run lasts
   * `maxDelayMs`. Up to half of it is left out at random, so that actors that failed together restart apart.
   */
  firstDelayMs: number;
  maxDelayMs: number;
  /** Starts a run of the named actor from durable state. */
  start(name: Name, context: ActorContext<Message>): Behaviour<Message> | Promise<Behaviour<Message>>;
  /** Called on each failure. Returns false to prevent a restart. */
  onFailure(failure: Failure<Name>): boolean;
  /** A run has started and accepts messages. */
  onStarted?(name: Name): void;
  /** A run that had started has ended, for whatever reason. */
  onEnded?(name: Name): void;
}

export interface Failure<Name> {
  name: Name;
  error: unknown;
  /** False if it failed during startup. */
  hadStarted: boolean;
  /** Delay before the restart, if there is one. */
  restartInMs: number;
}

/** What metrics show of the actors of one kind. */
export interface ActorFigures {
  readonly kind: string;
  /** Since the start of this process. `refused`: messages for full mailboxes. */
  readonly counts: { readonly restarts: number; readonly refused: number; readonly slow: number };
  /** Messages in the fullest mailbox. */
  readonly mailboxDepth: number;
}

interface Child<Message> {
  actor: Actor<Message>;
  /** Consecutive failures. */
  failures: number;
  /** When this run started accepting messages, monotonic ms; null before that. */
  startedAt: number | null;
  restart: Timer | null;
}

/** Keeps actors of one kind running. Restarts a failed actor with backoff; the others are unaffected. */
export class Supervisor<Name, Message> implements ActorFigures {
  readonly counts = { restarts: 0, refused: 0, slow: 0 };
  readonly #options: SupervisorOptions<Name, Message>;
  readonly #children = new Map<Name, Child<Message>>();
  /** Ended runs that are still releasing their resources. */
  readonly #closing = new Map<Name, Promise<void>>();
  readonly #watchdog: Watchdog;
  #isStopped = false;

  constructor(options: SupervisorOptions<Name, Message>) {
    const { clock, log, kind } = options;
    this.#options = options;
    this.#watchdog = new Watchdog(clock, ({ message, ...slow }) => {
      this.counts.slow += 1;
      log.warn({ kind, ...slow, message: kindOf(message) }, 'an actor is slow to handle a message');
    });
  }

  get kind(): string {
    return this.#options.kind;
  }

  get mailboxDepth(): number {
    let depth = 0;
    for (const { actor } of this.#children.values()) depth = Math.max(depth, actor.waiting);
    return depth;
  }

  /** Number of actors started and not stopped, including those awaiting a restart. */
  get size(): number {
    return this.#children.size;
  }

  /** Names of the actors started and not stopped. */
  names(): Name[] {
    return [...this.#children.keys()];
  }

  /**
   * The current run of an actor, which may still be starting; undefined if there is none or a restart is
   * pending.
   */
  get(name: Name): ActorRef<Message> | undefined {
    const child = this.#children.get(name);
    return child && child.restart === null ? child.actor : undefined;
  }

  /** Starts an actor; does nothing if it is already started, or after `stopAll`. */
  start(name: Name): void {
    if (this.#isStopped || this.#children.has(name)) return;
    this.#begin(name, 0);
  }

  /** Stops an actor permanently. Resolves when its resources are released. */
  async stop(name: Name): Promise<void> {
    const child = this.#children.get(name);
    this.#children.delete(name);
    child?.restart?.cancel();
    await child?.actor.stop();
    await this.#closing.get(name);
  }

  /** Stops all actors permanently and prevents new ones from starting. */
  async stopAll(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#children.keys(), ...this.#closing.keys()].map((name) => this.stop(name)));
    this.#watchdog.stop();
  }

  #begin(name: Name, failures: number): void {
    const { kind, clock, log, capacity, start, onStarted, onEnded } = this.#options;
    const actor: Actor<Message> = new Actor({
      clock, capacity, name, watchdog: this.#watchdog,
      start: async (context) => {
        await this.#closing.get(name);
        return start(name, context);
      },
      onStarted: () => {
        child.startedAt = clock.monotonic();
        onStarted?.(name);
      },
      onEnded: (error) => {
        if (child.startedAt !== null) onEnded?.(name);
        this.#ended(name, child, error);
      },
      onRefused: () => {
        this.counts.refused += 1;
      },
      onCloseFailed: (error) => {
        log.error({ err: error, kind, actor: name }, 'an actor could not release its resources');
      },
    });
    const child: Child<Message> = { actor, failures, startedAt: null, restart: null };
    this.#children.set(name, child);
    actor.begin();
  }

  #ended(name: Name, child: Child<Message>, error: unknown): void {
    const closing = child.actor.stop().then(() => {
      if (this.#closing.get(name) === closing) this.#closing.delete(name);
    });
    this.#closing.set(name, closing);
    const isStopped = this.#children.get(name) !== child;
    if (isStopped) return;
    this.#children.delete(name);
    if (error === undefined) return;
    const { clock, random, firstDelayMs, maxDelayMs, onFailure } = this.#options;
    const hadStarted = child.startedAt !== null;
    const wasLongLived = child.startedAt !== null && clock.monotonic() - child.startedAt >= maxDelayMs;
    const failures = wasLongLived ? 1 : child.failures + 1;
    const restartInMs = backoffMs(failures, { minMs: firstDelayMs, maxMs: maxDelayMs }, random());
    if (!onFailure({ name, error, hadStarted, restartInMs })) return;
    child.restart = clock.setTimer(restartInMs, () => {
      this.counts.restarts += 1;
      this.#begin(name, failures);
    });
    this.#children.set(name, child);
  }
}

function kindOf(message: unknown): unknown {
  return (message as { kind?: unknown } | null)?.kind;
}

/** A message is in work for too long after this time: longer than its longest request to others takes. */
const SLOW_AFTER_MS = 10_000;
/** The same for a message that is handled without waiting, because it blocks the whole process. */
const BLOCKED_AFTER_MS = 1000;
const SWEEP_INTERVAL_MS = 5000;

interface SlowMessage {
  /** The actor's name. */
  actor: unknown;
  message: unknown;
  forMs: number;
}

interface Work {
  message: unknown;
  sinceMono: number;
  isReported: boolean;
}

/**
 * Reports each message that is in work for too long, once. One timer for all actors of a kind looks at those
 * that wait for something; it is not set while there are none.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #onSlow: (slow: SlowMessage) => void;
  /** By actor. */
  readonly #inWork = new Map<unknown, Work>();
  #timer: Timer | null = null;

  constructor(clock: Clock, onSlow: (slow: SlowMessage) => void) {
    this.#clock = clock;
    this.#onSlow = onSlow;
  }

  /** The actor waits for something while it handles a message that it began at `sinceMono`. */
  begin(actor: unknown, message: unknown, sinceMono: number): void {
    this.#inWork.set(actor, { message, sinceMono, isReported: false });
    this.#timer ??= this.#clock.setTimer(SWEEP_INTERVAL_MS, this.#sweep, true);
  }

  end(actor: unknown): void {
    this.#inWork.delete(actor);
  }

  /** The actor handled a message without waiting. @returns the time, monotonic ms. */
  handled(actor: unknown, message: unknown, sinceMono: number): number {
    const nowMono = this.#clock.monotonic();
    const forMs = nowMono - sinceMono;
    if (forMs >= BLOCKED_AFTER_MS) this.#onSlow({ actor, message, forMs });
    return nowMono;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  readonly #sweep = (): void => {
    const nowMono = this.#clock.monotonic();
    for (const [actor, work] of this.#inWork) {
      const forMs = nowMono - work.sinceMono;
      if (work.isReported || forMs < SLOW_AFTER_MS) continue;
      work.isReported = true;
      this.#onSlow({ actor, message: work.message, forMs });
    }
    this.#timer = this.#inWork.size > 0 ? this.#clock.setTimer(SWEEP_INTERVAL_MS, this.#sweep, true) : null;
  };
}
