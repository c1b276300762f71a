import type { Clock } from '../time.ts';

/** What code outside the runtime sees of one run of an actor. Messages for one run never reach the next. */
export interface ActorRef<Message> {
  /** Returns false if the message is refused: the mailbox is full, or this run has ended. Never throws. */
  send(message: Message): boolean;
  /**
   * Sends a message that carries a callback for its response, and resolves to that response.
   * @throws ActorError if there is none within `timeoutMs` (10 s by default). Unless it was refused, the
   * message may still be handled.
   */
  ask<Result>(request: (respond: (value: Result) => void) => Message, timeoutMs?: number): Promise<Result>;
}

const MESSAGES = {
  ended: 'The actor has ended',
  full: 'The mailbox of the actor is full',
  timeout: 'The actor did not respond in time',
  unanswered: 'The actor handled a message without a response',
} as const;

/** An actor did not respond. Another run of it may. */
export class ActorError extends Error {
  readonly reason: keyof typeof MESSAGES;

  constructor(reason: keyof typeof MESSAGES) {
    super(MESSAGES[reason]);
    this.name = 'ActorError';
    this.reason = reason;
  }
}

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
  readonly self: ActorRef<Message>;
  /** Aborted when this run ends. */
  readonly signal: AbortSignal;
  /** Number of queued messages. */
  readonly waiting: number;
  /** Queues a message regardless of capacity; does nothing once this run has ended. */
  enqueue(message: Message): void;
  /** Sends `message` to itself after `delayMs`, replacing any message still pending under `key`. */
  after(key: string, delayMs: number, message: Message): void;
  /** Ends this run as a throw would; for work that runs alongside message handling. */
  fail(error: unknown): void;
  /** Ends this actor permanently after the current message. */
  finish(): void;
}
