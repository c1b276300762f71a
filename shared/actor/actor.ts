import { AppError } from '../errors.ts';
import type { Clock, Timer } from '../time.ts';

/** What one life of an actor does. A throw or a rejection anywhere in it ends that life and no other. */
export interface Behaviour<Message> {
  /** Handles one message; the next one waits until it returns, or until its promise settles. */
  receive(message: Message): void | Promise<void>;
  /** Lets go of what this life holds, after its last message. A next life waits for it. */
  close?(): void | Promise<void>;
}

/** What a life may use of its actor. */
export interface ActorContext<Message> {
  readonly clock: Clock;
  readonly self: Actor<Message>;
  /** Aborted when this life ends. */
  readonly signal: AbortSignal;
  /** Puts a message behind those that wait, however many there are; does nothing once this life has ended. */
  enqueue(message: Message): void;
  /** Sends `message` to itself after `delayMs`, in place of what `key` had pending. */
  after(key: string, delayMs: number, message: Message): void;
  /** Ends this life as a throw would: for work that goes on beside the messages. */
  fail(error: unknown): void;
  /** Ends this actor for good, once the message in hand is handled. */
  finish(): void;
}

export interface ActorOptions<Message> {
  clock: Clock;
  /** Messages that may wait; more are refused. */
  capacity: number;
  /** Begins the life, from what is durable. Messages that come meanwhile wait. */
  start(context: ActorContext<Message>): Behaviour<Message> | Promise<Behaviour<Message>>;
  onStarted?(): void;
  /** Told once. `error` is undefined after `stop` or `finish`. */
  onEnded(error: unknown): void;
}

interface Queued<Message> {
  message: Message;
  /** Rejects a question; does nothing after its answer. Null for other messages. */
  onNoResponse: (() => void) | null;
}

/** Messages handled in one turn of the event loop, so that sockets and timers get theirs. */
const MESSAGES_PER_TURN = 64;

/** One life of an actor: a bounded mailbox, and a behaviour that takes one message at a time out of it. */
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
  /** A turn is under way or scheduled, or the life has not begun. */
  #isBusy = true;
  #isEnding = false;
  #closed: Promise<void> | null = null;

  constructor(options: ActorOptions<Message>) {
    this.#options = options;
  }

  /** True from the end of its start to its own end. */
  get isRunning(): boolean {
    return this.#behaviour !== null && !this.#isEnding;
  }

  /** Messages that wait to be handled. */
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

  /** Returns false when it is not taken: the mailbox is full, or this life has ended. Never throws. */
  send(message: Message): boolean {
    if (this.#isEnding || this.waiting >= this.#options.capacity) return false;
    this.#put({ message, onNoResponse: null });
    return true;
  }

  /**
   * Sends a message that carries its own way back, and resolves to the answer.
   * @throws AppError SERVICE_UNAVAILABLE when it is not taken, or its handling ends without an answer.
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
          reject(new AppError('SERVICE_UNAVAILABLE', 'An actor ended, or takes no more messages'));
        }
      };
      if (this.#isEnding || this.waiting >= this.#options.capacity) onNoResponse();
      else this.#put({ message: request(respond), onNoResponse });
    });
  }

  /** Ends this life after the message in hand; drops what waits. Resolves when it holds nothing more. */
  stop(): Promise<void> {
    this.#end(undefined);
    return this.#closed ?? Promise.resolve();
  }

  #onStarted(behaviour: Behaviour<Message>): void {
    this.#behaviour = behaviour;
    // Stopped while it started: nobody else will close it.
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
      // The next life starts from what is durable, whatever this one could not let go of.
    }
  }
}
