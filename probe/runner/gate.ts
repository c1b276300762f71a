import type { Clock, Timer } from '../../shared/time.ts';
import { Fifo } from '../fifo.ts';
import {
  nextLimit, REVIEW_INTERVAL_MS, SLOW_AFTER_MS, SLOW_REVIEW_INTERVAL_MS, type Limits,
} from './limits.ts';
import { WaitingLine, type Waiting } from './waiting-line.ts';

/** Where an item is. */
export type Stage = 'outside' | 'queued' | 'quick' | 'slow';

/** An item that passes the gate. Only the gate changes these fields. */
export interface Admission extends Waiting {
  stage: Stage;
  /** Monotonic time of its start, or of entering the queue. */
  sinceMs: number;
}

export interface GateOptions<Item extends Admission> {
  clock: Clock;
  limits: Limits;
  start: (item: Item) => void;
  /** Called if there is no room for an item, or it waited too long. */
  refuse: (item: Item) => void;
  /** Maximum time an item may be queued, ms. */
  maxQueueMs: (item: Item) => number;
}

/**
 * Limits concurrency. An item that takes long moves from the quick limit to the slow one, so that hanging
 * targets don't block others. The quick limit adapts to this process's own timer lateness.
 */
export class Gate<Item extends Admission> {
  readonly #options: GateOptions<Item>;
  readonly #clock: Clock;
  readonly #queue = new WaitingLine<Item>();
  /** In order of start; includes items that have already left. */
  readonly #quickOrder = new Fifo<Item>();
  #limit: number;
  #quick = 0;
  #slow = 0;
  #limitReached = false;
  #reviewTimer: Timer | null = null;
  #reviewDueMs = 0;
  #stalledMs = 0;

  constructor(options: GateOptions<Item>) {
    this.#options = options;
    this.#clock = options.clock;
    this.#limit = Math.min(256, options.limits.maxQuick);
  }

  get runningCount(): number {
    return this.#quick + this.#slow;
  }

  /** Whether less than half of the quick limit is in use and nothing is queued. */
  get hasRoom(): boolean {
    return this.#quick * 2 < this.#limit && this.#queue.size === 0;
  }

  /** Total time this process was stalled, as measured by its own timers, ms. */
  get stalledMs(): number {
    return this.#stalledMs + (this.#reviewTimer ? this.#overdueMs() : 0);
  }

  /** Starts, queues or rejects an item. One expected to be slow doesn't count against the quick limit. */
  enter(item: Item, isSlow: boolean): void {
    item.sinceMs = this.#clock.monotonic();
    if (isSlow) {
      if (this.#slow >= this.#options.limits.maxSlow) return this.#options.refuse(item);
      this.#slow += 1;
      return this.#start(item, 'slow');
    }
    if (this.#quick < this.#limit && this.#queue.size === 0) return this.#startQuick(item);
    this.#limitReached = true;
    if (this.#queue.size >= this.#options.limits.maxQueued) return this.#options.refuse(item);
    item.stage = 'queued';
    this.#queue.put(item);
    this.#scheduleReview();
  }

  /** Removes a finished item and starts the next. */
  leave(item: Item): void {
    if (item.stage === 'quick') this.#quick -= 1;
    else if (item.stage === 'slow') this.#slow -= 1;
    item.stage = 'outside';
    this.#startNext();
  }

  /** Empties the queue and returns its items. */
  clear(): Item[] {
    const waiting = this.#queue.clear();
    for (const item of waiting) item.stage = 'outside';
    return waiting;
  }

  stop(): void {
    this.#reviewTimer?.cancel();
    this.#reviewTimer = null;
  }

  #startQuick(item: Item): void {
    this.#quick += 1;
    this.#quickOrder.put(item);
    this.#start(item, 'quick');
  }

  #start(item: Item, stage: 'quick' | 'slow'): void {
    item.stage = stage;
    item.sinceMs = this.#clock.monotonic();
    this.#scheduleReview();
    this.#options.start(item);
  }

  #startNext(): void {
    while (this.#queue.size > 0 && this.#quick < this.#limit) {
      const item = this.#queue.take() as Item;
      if (this.#hasExpired(item)) this.#giveUp(item);
      else this.#startQuick(item);
    }
  }

  #giveUp(item: Item): void {
    item.stage = 'outside';
    this.#options.refuse(item);
  }

  #hasExpired(item: Item): boolean {
    return this.#clock.monotonic() - item.sinceMs > this.#options.maxQueueMs(item);
  }

  #scheduleReview(intervalMs = REVIEW_INTERVAL_MS): void {
    const dueMs = this.#clock.monotonic() + intervalMs;
    if (this.#reviewTimer && this.#reviewDueMs <= dueMs) return;
    this.#reviewTimer?.cancel();
    this.#reviewDueMs = dueMs;
    this.#reviewTimer = this.#clock.setTimer(intervalMs, () => this.#review());
  }

  #review(): void {
    this.#reviewTimer = null;
    this.#stalledMs += this.#overdueMs();
    const nowMs = this.#clock.monotonic();
    const lateMs = nowMs - this.#reviewDueMs;
    this.#limit = nextLimit(this.#limit, lateMs, this.#limitReached, this.#options.limits);
    this.#limitReached = this.#queue.size > 0;
    this.#moveSlow(nowMs);
    const hasExpired = (item: Item): boolean => this.#hasExpired(item);
    for (let item = this.#queue.takeExpired(hasExpired); item; item = this.#queue.takeExpired(hasExpired)) {
      this.#giveUp(item);
    }
    this.#startNext();
    if (this.#quickOrder.size > 0 || this.#queue.size > 0) this.#scheduleReview();
    else if (this.#slow > 0) this.#scheduleReview(SLOW_REVIEW_INTERVAL_MS);
  }

  /** Lateness of the review timer once it is large enough to indicate a stall, ms. */
  #overdueMs(): number {
    const lateMs = this.#clock.monotonic() - this.#reviewDueMs;
    return lateMs > REVIEW_INTERVAL_MS ? lateMs : 0;
  }

  #moveSlow(nowMs: number): void {
    for (let item = this.#quickOrder.peek(); item; item = this.#quickOrder.peek()) {
      if (item.stage === 'quick') {
        if (nowMs - item.sinceMs < SLOW_AFTER_MS || this.#slow >= this.#options.limits.maxSlow) return;
        item.stage = 'slow';
        this.#quick -= 1;
        this.#slow += 1;
      }
      this.#quickOrder.take();
    }
  }
}
