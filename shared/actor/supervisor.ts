import { backoffMs } from '../backoff.ts';
import type { Clock, Timer } from '../time.ts';
import { Actor, type ActorContext, type Behaviour } from './actor.ts';

export interface SupervisorOptions<Name, Message> {
  clock: Clock;
  /** Maximum number of queued messages per actor. */
  capacity: number;
  /**
   * Delay before the first restart. It doubles with each consecutive failure until a run lasts `maxDelayMs`.
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

interface Child<Message> {
  actor: Actor<Message>;
  /** Consecutive failures. */
  failures: number;
  /** When this run started accepting messages, monotonic ms; null before that. */
  startedAt: number | null;
  restart: Timer | null;
}

/** Keeps actors of one kind running. Restarts a failed actor with backoff; the others are unaffected. */
export class Supervisor<Name, Message> {
  readonly #options: SupervisorOptions<Name, Message>;
  readonly #children = new Map<Name, Child<Message>>();
  /** Ended runs that are still releasing their resources. */
  readonly #closing = new Map<Name, Promise<void>>();

  #isStopped = false;

  constructor(options: SupervisorOptions<Name, Message>) {
    this.#options = options;
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
  get(name: Name): Actor<Message> | undefined {
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
  }

  #begin(name: Name, failures: number): void {
    const { clock, capacity, start, onStarted, onEnded } = this.#options;
    const actor: Actor<Message> = new Actor({
      clock, capacity,
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
    const { clock, firstDelayMs, maxDelayMs, onFailure } = this.#options;
    const hadStarted = child.startedAt !== null;
    const wasLongLived = child.startedAt !== null && clock.monotonic() - child.startedAt >= maxDelayMs;
    const failures = wasLongLived ? 1 : child.failures + 1;
    const restartInMs = backoffMs(failures, { minMs: firstDelayMs, maxMs: maxDelayMs });
    if (!onFailure({ name, error, hadStarted, restartInMs })) return;
    child.restart = clock.setTimer(restartInMs, () => this.#begin(name, failures));
    this.#children.set(name, child);
  }
}
