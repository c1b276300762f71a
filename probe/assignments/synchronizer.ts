import type { ActorContext, Behaviour } from '../../shared/actor/actor-ref.ts';
import { backoffMs } from '../../shared/backoff.ts';
import {
  assignmentDelta, type AssignmentChange, type AssignmentDelta, type SyncRequest,
} from '../../shared/contracts/assignment.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { ProbeBus, Subscription } from '../ports.ts';
import { superviseOne, type OnlyActor } from '../supervise-one.ts';
import type { AppliedDelta, AssignmentSet } from './assignment-set.ts';
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
  /** Called with each applied change, in order. */
  onApplied: (applied: AppliedDelta, change: AppliedChange) => void;
  /** Called whenever the set is known to match the controller's. */
  onSynced: () => void;
}

/** A change as applied, with its time (Unix ms). */
export type AppliedChange = Pick<AssignmentDelta, 'from' | 'revision' | 'reset' | 'changes'> & {
  atMs: number;
};

/**
 * Initial response timeout; doubles with each failure. NATS reports no missing responders across accounts, so
 * a short timeout lets the next request reach a controller that starts together with the probe.
 */
const RESPONSE_TIMEOUT = { minMs: 250, maxMs: 5000 };
const BACKOFF = { minMs: 250, maxMs: 15_000 };
/** Requests changes this often even if nothing seems to be missing. */
const SYNC_INTERVAL_MS = 300_000;
/** Maximum pages per response (up to 1,000 changes each); more are treated as an endless response. */
const MAX_PAGES = 2000;

/** Maximum changes queued during a sync. A dropped one is detected by its revision. */
const MAILBOX_MESSAGES = 1000;

type SynchronizerMessage =
  | { kind: 'change'; payload: Uint8Array }
  /** A hint that the controller is at `revision`. */
  | { kind: 'revision'; revision: number }
  | { kind: 'sync' };

/**
 * Keeps the set in sync with the controller: an actor that applies changes in order and requests missing
 * ones.
 */
export class Synchronizer {
  readonly #options: SynchronizerOptions;
  readonly #actor: OnlyActor<SynchronizerMessage>;
  #subscription: Subscription | null = null;
  #syncTimer: Timer | null = null;
  #refused = 0;

  constructor(options: SynchronizerOptions) {
    const { clock, log, random } = options;
    this.#options = options;
    this.#actor = superviseOne({
      kind: 'synchronizer', clock, log, random, failureMessage: 'applying assignments failed',
      capacity: MAILBOX_MESSAGES, firstDelayMs: BACKOFF.minMs, maxDelayMs: BACKOFF.maxMs,
      start: (context) => new SynchronizerBehaviour(options, context, () => {
        this.#refused += 1;
      }),
    });
  }

  /** Messages rejected since the start as unverified or invalid. */
  get refusedCount(): number {
    return this.#refused;
  }

  start(): void {
    const { bus, region, probeId, clock } = this.#options;
    this.#actor.start();
    this.#subscription = bus.subscribe(
      subjects.assign(region, probeId), (payload) => this.#actor.send({ kind: 'change', payload }),
    );
    this.#syncTimer = clock.setRepeating(SYNC_INTERVAL_MS, () => this.#actor.send({ kind: 'sync' }));
    bus.onChange((isConnected) => {
      if (isConnected) this.#actor.send({ kind: 'sync' });
    });
  }

  async stop(): Promise<void> {
    this.#subscription?.stop();
    this.#syncTimer?.cancel();
    await this.#actor.stop();
  }

  onRevision(revision: number): void {
    this.#actor.send({ kind: 'revision', revision });
  }
}

/** One run of the synchronizer. Changes and hints are queued while it syncs. */
class SynchronizerBehaviour implements Behaviour<SynchronizerMessage> {
  readonly #options: SynchronizerOptions;
  readonly #context: ActorContext<SynchronizerMessage>;
  readonly #onRefused: () => void;
  #failures = 0;

  constructor(
    options: SynchronizerOptions, context: ActorContext<SynchronizerMessage>, onRefused: () => void,
  ) {
    this.#options = options;
    this.#context = context;
    this.#onRefused = onRefused;
    context.enqueue({ kind: 'sync' });
  }

  receive(message: SynchronizerMessage): Promise<void> | void {
    const { set } = this.#options;
    if (message.kind === 'sync') return this.#sync();
    if (message.kind === 'revision') return message.revision === set.revision ? undefined : this.#sync();
    return this.#takeChange(message.payload);
  }

  /** Requests the changes since the current revision; retries with backoff until a controller responds. */
  async #sync(): Promise<void> {
    const { bus, random, onSynced } = this.#options;
    if (!bus.isConnected) return;
    const isDone = await this.#fetchChanges();
    this.#failures = isDone ? 0 : this.#failures + 1;
    if (isDone) return onSynced();
    this.#context.after('sync', backoffMs(this.#failures, BACKOFF, random()), { kind: 'sync' });
  }

  #takeChange(payload: Uint8Array): Promise<void> | void {
    const delta = this.#open(payload, 'assign');
    const { set, clock } = this.#options;
    if (!delta || delta.revision < set.revision) return;
    if (delta.revision === set.revision && !delta.reset) return;
    if (delta.more !== null || !set.follows(delta)) return this.#sync();
    this.#apply(delta, clock.now());
  }

  async #fetchChanges(): Promise<boolean> {
    const { set, clock } = this.#options;
    const changes: AssignmentChange[] = [];
    let isReset = false;
    let after: string | null = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const delta = await this.#fetchPage({ v: 1, revision: set.revision, after });
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

  async #fetchPage(request: SyncRequest): Promise<AssignmentDelta | null> {
    const { bus, region, probeId } = this.#options;
    const timeoutMs = backoffMs(this.#failures + 1, RESPONSE_TIMEOUT);
    try {
      const response = await bus.request(
        subjects.sync(region, probeId), Buffer.from(JSON.stringify(request)), timeoutMs,
      );
      return this.#open(response, 'sync');
    } catch {
      return null;
    }
  }

  #apply(delta: Omit<AppliedChange, 'atMs'>, nowMs: number): void {
    const { from, revision, reset, changes } = delta;
    if (changes.length === 0 && !reset && revision === this.#options.set.revision) return;
    this.#options.onApplied(
      this.#options.set.apply(delta, nowMs), { from, revision, reset, changes, atMs: nowMs },
    );
  }

  #open(payload: Uint8Array, purpose: 'assign' | 'sync'): AssignmentDelta | null {
    const opened = this.#options.opener.open(payload, purpose, this.#options.clock.now());
    const delta = opened.ok ? assignmentDelta.safeParse(opened.content) : null;
    if (delta?.success) return delta.data;
    this.#onRefused();
    this.#options.log.warn(
      { purpose, reason: opened.ok ? 'content' : opened.reason }, 'rejected a message from the controller',
    );
    return null;
  }
}
