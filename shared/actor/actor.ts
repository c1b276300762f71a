import type { Clock, Timer } from '../time.ts';

/** The behaviour of one actor run. A throw or rejection in it ends this run and no other actor. */
export interface Behaviour<Message> {
  /** Handles one message. The next one waits until it returns, or until its promise settles. */
  receive(message: Message): void | Promise<void>;
  /** Releases the run's resources after its last message. The next run waits for it. */
  close?(): void | Promise<void>;
}

/** What a run can use of its actor. */
export interface ActorContext<Message> {
  readonly clock: Clock;
  readonly self: Actor<Message>;
  /** Aborted when this run ends. */
  readonly signal: AbortSignal;
  /** Queues a message regardless of capacity; does nothing once this run has ended. */
  enqueue(message: Message): void;
  /** Sends `message` to itself after `delayMs`, replacing any message still pending under `key`. */
  after(key: string, delayMs: number, message: Message): void;
  /** Ends this run as a throw would; for work that runs alongside message handling. */
  fail(error: unknown): void;
  /** Ends this actor permanently after the current message. */
  finish(): void;
}

export interface ActorOptions<Message> {
  clock: Clock;
  /** Maximum number of queued messages; more are rejected. */
  capacity: number;
  /** Starts the run from durable state. Messages that arrive meanwhile are queued. */
  start(context: ActorContext<Message>): Behaviour<Message> | Promise<Behaviour<Message>>;
  onStarted?(): void;
  /** Called once. `error` is undefined after `stop` or `finish`. */
  onEnded(error: unknown): void;
}

interface Queued<Message> {
  message: Message;
  /** Rejects a pending `ask`; does nothing once it has a response. Null for other messages. */
  onNoResponse: (() => void) | null;
}

/** Messages handled per turn of the event loop, so that sockets and timers aren't starved. */
const MESSAGES_PER_TURN = 64;

/** One run of an actor: a bounded mailbox and a behaviour that handles one message at a time. */
export class Actor<Message> {
  readonly #options: ActorOptions<Message>;
  readonly #timers = new Map<string, Timer>();
  readonly #abort = new AbortController();
  #behaviour: Behaviour<Message> | null = null;
  #waiting: Queued<Message>[] = [];
  /** Index of the next message in `#waiting`: shifting the array would cost more than handling a message. */
  #next = 0;
  #current: Queued<Message> | null = null;
  #handling: Promise<void> | null = null;
  /** True during a turn, while one is scheduled, and before the run has started. */
  #isBusy = true;
  #isEnding = false;
  #closed: Promise<void> | null = null;

  constructor(options: ActorOptions<Message>) {
    this.#options = options;
  }

  /** True once started, until it ends. */
  get isRunning(): boolean {
    return this.#behaviour !== null && !this.#isEnding;
  }

  get waiting(): number {
    return this.#waiting.length - this.#next;
  }

  begin(): void {
    const { clock, start } = this.#options;
    const context: ActorContext<Message> = {
      clock,
      self: this,
      signal: this.#abort.signal,
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

  /** Returns false if the message is rejected: the mailbox is full, or this run has ended. Never throws. */
  send(message: Message): boolean {
    if (this.#isEnding || this.waiting >= this.#options.capacity) return false;
    this.#put({ message, onNoResponse: null });
    return true;
  }

  /**
   * Sends a message that carries a callback for its response, and resolves to that response. Rejects if the
   * message is refused or handled without a response.
   */
  ask<Result>(request: (respond: (value: Result) => void) => Message): Promise<Result> {
    return new Promise((resolve, reject) => {
      let hasResponded = false;
      const respond = (value: Result): void => {
        hasResponded = true;
        resolve(value);
      };
      const onNoResponse = (): void => {
        if (!hasResponded) {
          reject(new Error('the actor has ended, or its mailbox is full'));
        }
      };
      if (this.#isEnding || this.waiting >= this.#options.capacity) onNoResponse();
      else this.#put({ message: request(respond), onNoResponse });
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
    this.#waiting.push(queued);
    if (!this.#isBusy) this.#schedule();
  }

  #schedule(): void {
    this.#isBusy = true;
    queueMicrotask(this.#turn);
  }

  readonly #turn = (): void => {
    for (let left = MESSAGES_PER_TURN; left > 0; left -= 1) {
      const next = this.#isEnding ? null : this.#take();
      if (!next) {
        this.#isBusy = false;
        return;
      }
      this.#current = next;
      try {
        const handling = this.#behaviour?.receive(next.message);
        if (handling instanceof Promise) {
          this.#handling = handling.then(this.#handled, (error: unknown) => this.#end(error));
          return;
        }
        this.#settleCurrent();
      } catch (error) {
        return this.#end(error);
      }
    }
    this.#options.clock.setTimer(0, this.#turn);
  };

  readonly #handled = (): void => {
    this.#handling = null;
    this.#settleCurrent();
    this.#turn();
  };

  #settleCurrent(): void {
    this.#current?.onNoResponse?.();
    this.#current = null;
  }

  #take(): Queued<Message> | null {
    const next = this.#waiting[this.#next];
    if (!next) return null;
    this.#next += 1;
    if (this.#next === this.#waiting.length || this.#next >= 1024) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    return next;
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
    this.#settleCurrent();
    for (const queued of this.#waiting.splice(this.#next)) queued.onNoResponse?.();
    this.#closed = this.#close();
    this.#options.onEnded(error);
  }

  async #close(): Promise<void> {
    await this.#handling;
    try {
      await this.#behaviour?.close?.();
    } catch {
      // The next run starts from durable state, so a failed release doesn't matter.
    }
  }
}
