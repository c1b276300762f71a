import { assignmentDelta, type AssignmentChange, type AssignmentDelta, type SyncRequest } from '../../shared/contracts/assignment.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { ProbeBus, Subscription } from '../ports.ts';
import type { Applied, AssignmentSet } from './assignment-set.ts';
import type { EnvelopeOpener } from './envelope.ts';

export interface SynchronizerOptions {
  bus: ProbeBus;
  set: AssignmentSet;
  opener: EnvelopeOpener;
  clock: Clock;
  log: Log;
  random: () => number;
  region: string;
  probeId: string;
  /** Takes over what has changed in the set; changes come one after the other. */
  onApplied: (applied: Applied, change: AppliedChange) => void;
  /** Called each time the set is known to be what the controller wants. */
  onSynced: () => void;
}

/** What the set took over, and when (Unix ms). */
export type AppliedChange = Pick<AssignmentDelta, 'from' | 'revision' | 'reset' | 'changes'> & { atMs: number };

const ANSWER_TIMEOUT_MS = 5000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;
/** Asks now and then even if nothing seems to be missing. */
const EVERY_MS = 300_000;
/** Pages of one answer (of up to 1,000 changes each) before it counts as endless. */
const MAX_PAGES = 2000;

/** Keeps the set at what the controller wants: takes changes that follow, asks for everything else. */
export class Synchronizer {
  readonly #options: SynchronizerOptions;
  #subscription: Subscription | null = null;
  #timer: Timer | null = null;
  #every: Timer | null = null;
  #isAsking = false;
  #isBehind = false;
  #failures = 0;
  #refused = 0;
  #isStopped = false;

  constructor(options: SynchronizerOptions) {
    this.#options = options;
  }

  /** Messages refused since the start because they did not verify or made no sense. */
  get refusedCount(): number {
    return this.#refused;
  }

  start(): void {
    const { bus, region, probeId, clock } = this.#options;
    this.#subscription = bus.subscribe(subjects.assign(region, probeId), (payload) => this.#takeChange(payload));
    this.#every = clock.setRepeating(EVERY_MS, () => this.sync());
    bus.onChange((isConnected) => {
      if (isConnected) this.sync();
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#subscription?.stop();
    this.#timer?.cancel();
    this.#every?.cancel();
  }

  /** Somebody says the controller is at `revision`. */
  hear(revision: number): void {
    if (revision !== this.#options.set.revision) this.sync();
  }

  /** Asks what has changed since the revision held; again, later, for as long as nobody answers. */
  sync(): void {
    if (this.#isStopped) return;
    this.#isBehind = true;
    if (this.#isAsking || !this.#options.bus.isConnected) return;
    this.#timer?.cancel();
    this.#timer = null;
    this.#isAsking = true;
    void this.#ask()
      .then((isDone) => this.#settle(isDone))
      .catch((error: unknown) => {
        this.#options.log.error({ err: error }, 'applying assignments failed');
        this.#settle(false);
      });
  }

  #settle(isDone: boolean): void {
    this.#isAsking = false;
    this.#failures = isDone ? 0 : this.#failures + 1;
    if (isDone && !this.#isBehind) return this.#options.onSynced();
    if (this.#isStopped) return;
    const fullMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(this.#failures, 10));
    this.#timer = this.#options.clock.setTimer(fullMs * (0.5 + this.#options.random() / 2), () => this.sync());
  }

  async #ask(): Promise<boolean> {
    const { set, clock } = this.#options;
    this.#isBehind = false;
    const changes: AssignmentChange[] = [];
    let isReset = false;
    let after: string | null = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const delta = await this.#page({ v: 1, revision: set.revision, after });
      if (!delta) return false;
      isReset ||= delta.reset;
      for (const change of delta.changes) changes.push(change);
      after = delta.more;
      if (after !== null) continue;
      if (!isReset && delta.from !== set.revision) return false;
      this.#apply({ from: set.revision, revision: delta.revision, reset: isReset, changes }, clock.now());
      return true;
    }
    return false;
  }

  async #page(request: SyncRequest): Promise<AssignmentDelta | null> {
    const { bus, region, probeId } = this.#options;
    try {
      const answer = await bus.request(subjects.sync(region, probeId), Buffer.from(JSON.stringify(request)), ANSWER_TIMEOUT_MS);
      return this.#open(answer, 'sync');
    } catch {
      return null;
    }
  }

  #takeChange(payload: Uint8Array): void {
    const delta = this.#open(payload, 'assign');
    const { set, clock } = this.#options;
    if (!delta || delta.revision < set.revision) return;
    if (delta.revision === set.revision && !delta.reset) return;
    if (this.#isAsking || delta.more !== null || !set.follows(delta)) return this.sync();
    this.#apply(delta, clock.now());
  }

  #apply(delta: Omit<AppliedChange, 'atMs'>, nowMs: number): void {
    const { from, revision, reset, changes } = delta;
    if (changes.length === 0 && !reset && revision === this.#options.set.revision) return;
    this.#options.onApplied(this.#options.set.apply(delta, nowMs), { from, revision, reset, changes, atMs: nowMs });
  }

  #open(payload: Uint8Array, purpose: 'assign' | 'sync'): AssignmentDelta | null {
    const opened = this.#options.opener.open(payload, purpose, this.#options.clock.now());
    const delta = opened.ok ? assignmentDelta.safeParse(opened.content) : null;
    if (delta?.success) return delta.data;
    this.#refused += 1;
    this.#options.log.warn({ purpose, reason: opened.ok ? 'content' : opened.reason }, 'a message of the controller was refused');
    return null;
  }
}
