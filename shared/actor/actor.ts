import { AppError } from '../errors.ts';
import type { Clock, Timer } from '../time.ts';
import { Mailbox, type MailboxOptions } from './mailbox.ts';

/** What follows from a message: the state to go on with, and what the shell is to do. */
export interface Transition<State, Effect> {
  readonly state: State;
  readonly effects?: readonly Effect[];
}

/**
 * An actor as a value. `initial` and `transition` are pure and decide; `perform` is the shell and does. A message that
 * `perform` gives back comes next, before those that wait in the mailbox. Whatever throws or rejects stops the actor
 * and leaves the rest to its supervision: what is expected to fail is caught in `perform` and comes back as a message.
 */
export interface ActorDefinition<State, Message, Effect> {
  initial(now: number): Transition<State, Effect>;
  transition(state: State, message: Message, now: number): Transition<State, Effect>;
  perform(effect: Effect, context: ActorContext<Message>): Promise<Message | void> | Message | void;
  /** Message for when a child has failed and is not restarted. */
  childFailed?(path: string, error: unknown): Message;
  /** By default 1,000 messages, and what is beyond is rejected. */
  readonly mailbox?: MailboxOptions;
  /** Effects start in order; no message is taken while this many are under way. By default 1: each waits for the last. */
  readonly effectsAtOnce?: number;
}

/** An actor as others see it. It stays valid over restarts. */
export interface ActorRef<Message> {
  /** Names from the root down, joined by `/`. */
  readonly path: string;
  /** Messages in the mailbox. */
  readonly waiting: number;
  /** Messages that the mailbox rejected or dropped. */
  readonly lost: number;
  /** No message waits and no effect is under way. */
  readonly isIdle: boolean;
  /** False when the message was not taken: the mailbox is full and rejects, or the actor is stopped. Never throws. */
  send(message: Message): boolean;
}

/** What the shell of an actor may use while it performs an effect. */
export interface ActorContext<Message> {
  readonly self: ActorRef<Message>;
  readonly clock: Clock;
  /** Aborted when the actor fails, or is stopped and its deadline has passed. */
  readonly signal: AbortSignal;
  /** Gives `message` to this actor after `delayMs`, in place of what `key` had pending. Gone when the actor stops. */
  after(key: string, delayMs: number, message: Message): void;
  cancel(key: string): void;
  /** Starts a child. Throws when a child of that name is still there. */
  spawn<S, M, E>(definition: ActorDefinition<S, M, E>, options: SpawnOptions): ActorRef<M>;
  /** Stops a child of this actor; throws when it is somebody else's. See ActorSystem.stop for what happens to its work. */
  stop(child: ActorRef<never>, deadlineMs: number): Promise<void>;
}

/** The parent's decision about a child that failed. */
export interface Supervision {
  readonly onFailure: 'restart' | 'stop' | 'escalate';
  /** Wait before the first restart, doubled by each further one within `withinMs`, up to `maxDelayMs`. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** More restarts than this within `withinMs` escalate: the parent fails, too. */
  readonly maxRestarts: number;
  readonly withinMs: number;
}

export interface SpawnOptions {
  /** Unique among the living children of one parent. */
  readonly name: string;
  readonly supervision?: Partial<Supervision>;
}

/** What an actor needs of the system that it lives in. */
export interface ActorHost {
  readonly clock: Clock;
  /** Queues the actor for its turn. */
  ready(actor: AnyActor): void;
  failed(actor: AnyActor, error: unknown): void;
  spawn<S, M, E>(definition: ActorDefinition<S, M, E>, options: SpawnOptions, parent: AnyActor): ActorRef<M>;
  stopChild(child: ActorRef<never>, parent: AnyActor, deadlineMs: number): Promise<void>;
}

type Phase = 'running' | 'failed' | 'stopping' | 'stopped';
/** An actor whose types do not matter to the holder. */
export type AnyActor = Pick<
  Actor<never, never, never>,
  | 'path' | 'parent' | 'supervision' | 'children' | 'restarts' | 'phase'
  | 'run' | 'begin' | 'beginAfter' | 'halt' | 'finish' | 'retire' | 'childFailed'
>;

const DEFAULT_MAILBOX: MailboxOptions = Object.freeze({ capacity: 1000, overflow: 'reject' });

/** One living actor. Only its system calls what is neither of ActorRef nor of ActorContext. */
export class Actor<State, Message, Effect> implements ActorRef<Message>, ActorContext<Message> {
  readonly path: string;
  readonly parent: AnyActor | null;
  readonly supervision: Supervision;
  children: Map<string, AnyActor> | null = null;
  /** Monotonic instants of the restarts that still count. */
  restarts: number[] | null = null;
  phase: Phase = 'running';
  readonly #definition: ActorDefinition<State, Message, Effect>;
  readonly #host: ActorHost;
  readonly #mailbox: Mailbox<Message>;
  #state: State | undefined;
  #isQueued = false;
  #waitingEffects: Effect[] | null = null;
  #answers: Message[] | null = null;
  #timers: Map<string, Timer> | null = null;
  #restart: Timer | null = null;
  #abort: AbortController | null = null;
  #underWay = 0;
  /** Grows with each start, so that what an earlier life left under way is not mistaken for this one's. */
  #life = 0;
  #finishers: (() => void)[] | null = null;

  constructor(definition: ActorDefinition<State, Message, Effect>, host: ActorHost, path: string, parent: AnyActor | null, supervision: Supervision) {
    this.#definition = definition;
    this.#host = host;
    this.#mailbox = new Mailbox(definition.mailbox ?? DEFAULT_MAILBOX);
    this.path = path;
    this.parent = parent;
    this.supervision = supervision;
  }

  get self(): ActorRef<Message> {
    return this;
  }

  get clock(): Clock {
    return this.#host.clock;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  get waiting(): number {
    return this.#mailbox.size;
  }

  get lost(): number {
    return this.#mailbox.lost;
  }

  get isIdle(): boolean {
    return this.#isFinished && !this.#hasMessage();
  }

  send(message: Message): boolean {
    if (this.phase === 'stopping' || this.phase === 'stopped') return false;
    const isTaken = this.#mailbox.put(message);
    this.#queue();
    return isTaken;
  }

  after(key: string, delayMs: number, message: Message): void {
    if (this.phase !== 'running') return;
    this.#timers ??= new Map();
    this.#timers.get(key)?.cancel();
    const timer = this.#host.clock.setTimer(delayMs, () => {
      this.#timers?.delete(key);
      (this.#answers ??= []).push(message);
      this.#queue();
    });
    this.#timers.set(key, timer);
  }

  cancel(key: string): void {
    this.#timers?.get(key)?.cancel();
    this.#timers?.delete(key);
  }

  spawn<S, M, E>(definition: ActorDefinition<S, M, E>, options: SpawnOptions): ActorRef<M> {
    return this.#host.spawn(definition, options, this);
  }

  stop(child: ActorRef<never>, deadlineMs: number): Promise<void> {
    return this.#host.stopChild(child, this, deadlineMs);
  }

  /** Starts, or starts anew with what waits in the mailbox. */
  begin(): void {
    this.phase = 'running';
    this.#life += 1;
    this.#underWay = 0;
    this.#abort = null;
    this.#attempt(() => this.#apply(this.#definition.initial(this.clock.now())));
    this.#queue();
  }

  /** Begins `delayMs` after `cleared`, unless it is stopped before. */
  beginAfter(delayMs: number, cleared: Promise<unknown>): void {
    this.#restart = this.#host.clock.setTimer(delayMs, () => {
      void cleared.then(() => {
        if (this.phase === 'failed') this.begin();
      });
    });
  }

  /** Handles up to `most` messages; returns how many. */
  run(most: number): number {
    this.#isQueued = false;
    let count = 0;
    while (count < most && this.#canTake()) {
      count += 1;
      const message = (this.#answers?.length ? this.#answers.shift() : this.#mailbox.take()) as Message;
      try {
        this.#apply(this.#definition.transition(this.#state as State, message, this.#host.clock.now()));
      } catch (error) {
        this.#fail(error);
      }
    }
    this.#queue();
    return count;
  }

  /** Takes no more messages and cancels all timers. A failed actor keeps its mailbox for the restart. */
  halt(phase: 'failed' | 'stopping'): void {
    this.phase = phase;
    if (phase === 'failed') this.#waitingEffects = null;
    this.#answers = null;
    this.#restart?.cancel();
    for (const timer of this.#timers?.values() ?? []) timer.cancel();
    this.#timers = null;
    if (phase === 'stopping') return this.#mailbox.clear();
    this.#abort?.abort();
  }

  /** Resolves when no effect is left, or after `deadlineMs`. */
  finish(deadlineMs: number): Promise<void> {
    if (this.#isFinished) return Promise.resolve();
    return new Promise((resolve) => {
      const deadline = this.#host.clock.setTimer(deadlineMs, resolve);
      (this.#finishers ??= []).push(() => {
        deadline.cancel();
        resolve();
      });
    });
  }

  /** Ends for good; what is still under way is aborted and its outcome ignored. */
  retire(): void {
    this.phase = 'stopped';
    this.#life += 1;
    this.#waitingEffects = null;
    this.#mailbox.clear();
    this.#abort?.abort();
    this.#tellFinishers();
  }

  /** Tells this actor of a child that will not come back. */
  childFailed(path: string, error: unknown): void {
    if (this.#definition.childFailed) this.#answer(this.#definition.childFailed(path, error));
    this.#queue();
  }

  get #isFinished(): boolean {
    return this.#underWay === 0 && !this.#waitingEffects;
  }

  #hasMessage(): boolean {
    return this.#mailbox.size > 0 || (this.#answers?.length ?? 0) > 0;
  }

  #canTake(): boolean {
    return this.phase === 'running' && !this.#waitingEffects && this.#underWay < (this.#definition.effectsAtOnce ?? 1) && this.#hasMessage();
  }

  #queue(): void {
    if (this.#isQueued || !this.#canTake()) return;
    this.#isQueued = true;
    this.#host.ready(this);
  }

  #apply(next: Transition<State, Effect>): void {
    this.#state = next.state;
    if (!next.effects || next.effects.length === 0) return;
    this.#waitingEffects = [...next.effects];
    this.#performWaiting();
  }

  #performWaiting(): void {
    while (this.#waitingEffects && this.#underWay < (this.#definition.effectsAtOnce ?? 1)) {
      const effect = this.#waitingEffects.shift() as Effect;
      if (this.#waitingEffects.length === 0) this.#waitingEffects = null;
      const outcome = this.#definition.perform(effect, this);
      if (outcome instanceof Promise) this.#follow(outcome);
      else if (outcome !== undefined) this.#answer(outcome);
    }
  }

  #follow(outcome: Promise<Message | void>): void {
    const life = this.#life;
    this.#underWay += 1;
    outcome.then(
      (message) => this.#settled(life, () => {
        if (message !== undefined) this.#answer(message);
      }),
      (error: unknown) => this.#settled(life, () => this.#fail(error)),
    );
  }

  #settled(life: number, then: () => void): void {
    if (life !== this.#life) return;
    this.#underWay -= 1;
    then();
    this.#attempt(() => this.#performWaiting());
    if (this.#isFinished) this.#tellFinishers();
    this.#queue();
  }

  #tellFinishers(): void {
    for (const tell of this.#finishers ?? []) tell();
    this.#finishers = null;
  }

  #answer(message: Message): void {
    if (this.phase === 'running') (this.#answers ??= []).push(message);
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#waitingEffects = null;
    this.#host.failed(this, error);
  }
}

/**
 * Sends a message that carries its own way back, and resolves to the answer.
 * @throws AppError SERVICE_UNAVAILABLE when the message is not taken, or not answered within `timeoutMs`.
 */
export function ask<Message, Answer>(
  ref: ActorRef<Message>, clock: Clock, timeoutMs: number, question: (answer: (value: Answer) => void) => Message,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(timeoutMs, () => reject(new AppError('SERVICE_UNAVAILABLE', `${ref.path} did not answer within ${timeoutMs} ms`)));
    const isTaken = ref.send(question((value) => {
      timer.cancel();
      resolve(value);
    }));
    if (isTaken) return;
    timer.cancel();
    reject(new AppError('SERVICE_UNAVAILABLE', `${ref.path} takes no more messages`));
  });
}
