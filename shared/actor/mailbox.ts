import type { Clock } from '../time.ts';
import { ActorError } from './actor-ref.ts';

export interface Queued<Message> {
  message: Message;
  /** Rejects a pending `ask`; does nothing once it has a response. Null for other messages. */
  onNoResponse: ((reason: ActorError['reason']) => void) | null;
}

/** A message whose first response, or the lack of one, settles a promise. */
export function queuedRequest<Message, Result>(
  request: (respond: (value: Result) => void) => Message,
  { clock, timeoutMs, resolve, reject }: {
    clock: Clock; timeoutMs: number; resolve: (value: Result) => void; reject: (error: ActorError) => void;
  },
): Queued<Message> {
  let isPending = true;
  const settle = (): void => {
    isPending = false;
    timer.cancel();
  };
  const onNoResponse = (reason: ActorError['reason']): void => {
    if (!isPending) return;
    settle();
    reject(new ActorError(reason));
  };
  const timer = clock.setTimer(timeoutMs, () => onNoResponse('timeout'));
  const message = request((value) => {
    settle();
    resolve(value);
  });
  return { message, onNoResponse };
}

/** How many handled messages the array may hold before it is copied. */
const MAX_HANDLED = 1024;

/** The queued messages of one actor, first in, first out. */
export class Mailbox<Message> {
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
