import type { Clock, Timer } from '../time.ts';
import { Actor, type ActorContext, type Behaviour } from './actor.ts';

export interface SupervisorOptions<Name, Message> {
  clock: Clock;
  /** Messages that may wait for one actor. */
  capacity: number;
  /** Wait before the first restart; doubles with each failure in a row, until a life lasts `maxDelayMs`. */
  firstDelayMs: number;
  maxDelayMs: number;
  /** Begins a life of the actor of that name, from what is durable. */
  start(name: Name, context: ActorContext<Message>): Behaviour<Message> | Promise<Behaviour<Message>>;
  /** Told of each failure. Returns false when the actor is not to be started again. */
  onFailure(failure: Failure<Name>): boolean;
  /** The actor has begun a life and takes messages. */
  onStarted?(name: Name): void;
  /** A life that had begun is over, whatever ended it. */
  onEnded?(name: Name): void;
}

export interface Failure<Name> {
  name: Name;
  error: unknown;
  /** False when its start failed. */
  hadStarted: boolean;
  /** Wait before the restart, if there is one. */
  restartInMs: number;
}

interface Child<Message> {
  actor: Actor<Message>;
  /** Failures in a row. */
  failures: number;
  /** When this life took its first message, monotonic ms; null before that. */
  startedAt: number | null;
  restart: Timer | null;
}

/** Keeps actors of one kind running: restarts one that fails after a growing wait, and the others go on. */
export class Supervisor<Name, Message> {
  readonly #options: SupervisorOptions<Name, Message>;
  readonly #children = new Map<Name, Child<Message>>();
  /** Lives that are over and still let go of what they held. */
  readonly #closing = new Map<Name, Promise<void>>();

  #isStopped = false;

  constructor(options: SupervisorOptions<Name, Message>) {
    this.#options = options;
  }

  /** Actors that were started and not stopped, those that wait for a restart included. */
  get size(): number {
    return this.#children.size;
  }

  /** Names of the actors that were started and not stopped. */
  names(): Name[] {
    return [...this.#children.keys()];
  }

  /** The present life of an actor, perhaps still starting, until a restart; undefined if there is none. */
  get(name: Name): Actor<Message> | undefined {
    const child = this.#children.get(name);
    return child && child.restart === null ? child.actor : undefined;
  }

  /** Starts an actor; does nothing when it was started and not stopped, or after `stopAll`. */
  start(name: Name): void {
    if (this.#isStopped || this.#children.has(name)) return;
    this.#begin(name, 0);
  }

  /** Ends an actor for good. Resolves when it has let go of what it held. */
  async stop(name: Name): Promise<void> {
    const child = this.#children.get(name);
    this.#children.delete(name);
    child?.restart?.cancel();
    await child?.actor.stop();
    await this.#closing.get(name);
  }

  /** Ends all for good; none begins any more. */
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
    const restartInMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
    if (!onFailure({ name, error, hadStarted, restartInMs })) return;
    child.restart = clock.setTimer(restartInMs, () => this.#begin(name, failures));
    this.#children.set(name, child);
  }
}
