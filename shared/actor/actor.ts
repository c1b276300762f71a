import type { Clock, Timer } from '../time.ts';
import { ActorError, type ActorContext, type ActorRef, type Behaviour } from './actor-ref.ts';
import type { Watchdog } from './supervisor.ts';

/** Default deadline of `ask`: long enough for a full mailbox to drain, and shorter than a caller waits. */
const ASK_TIMEOUT_MS = 10_000;

export interface ActorOptions<Message> {
  clock: Clock;
  /** Maximum number of queued messages; more are rejected. */
  capacity: number;
  /** Starts the run from durable state. Messages that arrive meanwhile are queued. */
  start(context: ActorContext<Message>): Behaviour<Message> | Promise<Behaviour<Message>>;
  onStarted?(): void;
  /** Called once. `error` is undefined after `stop` or `finish`. */
  onEnded(error: unknown): void;
  /** A message was refused because the mailbox is full. */
  onRefused?(): void;
  /** The behaviour could not release its resources. */
  onCloseFailed?(error: unknown): void;
  /** For the watchdog. */
  name?: unknown;
  watchdog?: Watchdog;
}

interface Queued<Message> {
  message: Message;
  /** Rejects a pending `ask`; does nothing once it has a response. Null for other messages. */
  onNoResponse: ((reason: ActorError['reason']) => void) | null;
}

/** How many handled messages the array may hold before it is copied. */
const MAX_HANDLED = 1024;

/** The queued messages of one actor, first in, first out. */
class Mailbox<Message> {
  #queued: Queued<Message>[] = [];
  /** Index of the next message: shifting the array would cost more than handling a message. */
  #next = 0;

  get size(): number {
    return this.#queued.length - this.#next;
  }

  put(queued: Queued<Message>): void {
    this.#queued.push(queued);
  }

  take(): Queued<Message> | null {
    const next = this.#queued[this.#next];
    if (!next) return null;
    this.#next += 1;
    if (this.#next === this.#queued.length || this.#next >= MAX_HANDLED) {
      this.#queued = this.#queued.slice(this.#next);
      this.#next = 0;
    }
    return next;
  }

  /** Removes all messages. */
  drain(): Queued<Message>[] {
    return this.#queued.splice(this.#next);
  }
}

/** Messages handled per turn of the event loop, so that sockets and timers aren't starved. */
const MESSAGES_PER_TURN = 64;

/** One run of an actor: a bounded mailbox and a behaviour that handles one message at a time. */
export class Actor<Message> implements ActorRef<Message> {
  readonly #options: ActorOptions<Message>;
  readonly #timers = new Map<string, Timer>();
  readonly #abort = new AbortController();
  readonly #mailbox = new Mailbox<Message>();
  #behaviour: Behaviour<Message> | null = null;
  #current: Queued<Message> | null = null;
  #handling: Promise<void> | null = null;
  /** True during a turn, while one is scheduled, and before the run has started. */
  #isBusy = true;
  #isEnding = false;
  #closed: Promise<void> | null = null;

  constructor(options: ActorOptions<Message>) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#mailbox.size;
  }

  begin(): void {
    const { clock, start } = this.#options;
    const countWaiting = (): number => this.waiting;
    const context: ActorContext<Message> = {
      clock,
      self: this,
      signal: this.#abort.signal,
      get waiting() {
        return countWaiting();
      },
      enqueue: (message) => this.#put({ message, onNoResponse: null }),
      after: (key, delayMs, message) => this.#after(key, delayMs, message),
      fail: (error) => this.#end(error),
      finish: () => this.#end(undefined),
    };
    try {
      const behaviour = start(context);
      if (behaviour instanceof Promise) {
        behaviour.then((behaviour) => this.#onStarted(behaviour)).catch((error: unknown) => this.#end(error));
      } else this.#onStarted(behaviour);
    } catch (error) {
      this.#end(error);
    }
  }

  send(message: Message): boolean {
    if (this.#refusal() !== null) return false;
    this.#put({ message, onNoResponse: null });
    return true;
  }

  ask<Result>(
    request: (respond: (value: Result) => void) => Message, timeoutMs = ASK_TIMEOUT_MS,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const refusal = this.#refusal();
      if (refusal !== null) return reject(new ActorError(refusal));
      let isPending = true;
      const onNoResponse = (reason: ActorError['reason']): void => {
        if (!isPending) return;
        isPending = false;
        timer.cancel();
        reject(new ActorError(reason));
      };
      const timer = this.#options.clock.setTimer(timeoutMs, () => onNoResponse('timeout'));
      const message = request((value) => {
        isPending = false;
        timer.cancel();
        resolve(value);
      });
      this.#put({ message, onNoResponse });
    });
  }

  /**
   * Ends this run after the current message and drops queued messages. Resolves when all resources are
   * released.
   */
  stop(): Promise<void> {
    this.#end(undefined);
    return this.#closed ?? Promise.resolve();
  }

  #refusal(): 'ended' | 'full' | null {
    if (this.#isEnding) return 'ended';
    if (this.waiting < this.#options.capacity) return null;
    this.#options.onRefused?.();
    return 'full';
  }

  #onStarted(behaviour: Behaviour<Message>): void {
    this.#behaviour = behaviour;
    // Stopped during startup: nobody else will close it.
    if (this.#isEnding) return void this.#close();
    this.#isBusy = false;
    this.#options.onStarted?.();
    if (this.waiting > 0) this.#schedule();
  }

  #put(queued: Queued<Message>): void {
    if (this.#isEnding) return;
    this.#mailbox.put(queued);
    if (!this.#isBusy) this.#schedule();
  }

  #schedule(): void {
    this.#isBusy = true;
    queueMicrotask(this.#turn);
  }

  readonly #turn = (): void => {
    const { clock, name, watchdog } = this.#options;
    let since = clock.monotonic();
    for (let left = MESSAGES_PER_TURN; left > 0; left -= 1) {
      const next = this.#isEnding ? null : this.#mailbox.take();
      if (!next) {
        this.#isBusy = false;
        return;
      }
      this.#current = next;
      try {
        const handling = this.#behaviour?.receive(next.message);
        if (handling instanceof Promise) {
          watchdog?.begin(name, next.message, since);
          this.#handling = handling.then(this.#handled, (error: unknown) => {
            watchdog?.end(name);
            this.#end(error);
          });
          return;
        }
        since = watchdog?.handled(name, next.message, since) ?? since;
        this.#settleCurrent();
      } catch (error) {
        return this.#end(error);
      }
    }
    clock.setTimer(0, this.#turn);
  };

  readonly #handled = (): void => {
    this.#handling = null;
    this.#options.watchdog?.end(this.#options.name);
    this.#settleCurrent();
    this.#turn();
  };

  #settleCurrent(reason: ActorError['reason'] = 'unanswered'): void {
    this.#current?.onNoResponse?.(reason);
    this.#current = null;
  }

  #after(key: string, delayMs: number, message: Message): void {
    if (this.#isEnding) return;
    this.#timers.get(key)?.cancel();
    this.#timers.set(key, this.#options.clock.setTimer(delayMs, () => {
      this.#timers.delete(key);
      this.#put({ message, onNoResponse: null });
    }));
  }

  #end(error: unknown): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#abort.abort();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#settleCurrent('ended');
    for (const queued of this.#mailbox.drain()) queued.onNoResponse?.('ended');
    this.#closed = this.#close();
    this.#options.onEnded(error);
  }

  async #close(): Promise<void> {
    // A message may end its own run before it waits for something.
    await Promise.resolve();
    await this.#handling;
    try {
      await this.#behaviour?.close?.();
    } catch (error) {
      // The next run starts from durable state, so it can start nevertheless.
      this.#options.onCloseFailed?.(error);
    }
  }
}
