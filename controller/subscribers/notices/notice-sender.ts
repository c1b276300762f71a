import PQueue from 'p-queue';
import type { Log } from '../../../shared/log.ts';
import { sleep } from '../../../shared/time.ts';
import { CLAIM_MS } from '../../delivery/attempt-steps.ts';
import { DueWork } from '../../work/claimed-work.ts';
import type { Peers } from '../../work/peers.ts';
import { PeriodicTask } from '../../work/periodic-task.ts';
import type { NoticeDoc, OutgoingDoc } from '../notice.ts';
import type { SubscriberStore } from '../store.ts';
import { createPostNotices, type PostNoticeDeps } from './create-post-notices.ts';
import { fanOutNotice } from './fan-out.ts';
import type { SendOutcome } from './notice-rules.ts';
import type { NoticeStore } from './notice-store.ts';
import type { OutboxStore } from './outbox-store.ts';
import { sendOne, type SendDeps } from './send.ts';

export interface NoticeSenderDeps extends Pick<PostNoticeDeps, 'pages' | 'posts'>,
  Pick<SendDeps, 'mailer' | 'poster' | 'links' | 'clock' | 'random'> {
  subscribers: SubscriberStore;
  notices: NoticeStore;
  outbox: OutboxStore;
  log: Log;
  peers: Peers;
  /** Name of this controller. */
  holder: string;
}

const POLL_INTERVAL_MS = 1000;
/** Poll interval while there is nothing to send. */
const IDLE_INTERVAL_MS = 5000;
/** Longer than one batch of recipients takes; then another controller repeats it. */
const FAN_OUT_CLAIM_MS = 15_000;
/** Due notices read per run, to find one that no other controller has claimed. */
const NOTICE_BATCH_SIZE = 20;
/** Messages per run; if there are more, the next run follows at once. */
const SEND_BATCH_SIZE = 200;
/** Concurrent messages: a relay accepts few connections, and alerts need some of them. */
const SEND_CONCURRENCY = 8;
const CLEANUP_INTERVAL_MS = 3_600_000;
const CLEANUP_BATCH_SIZE = 500;
/** Longer than any message waits in the outbox. */
const RETENTION_MS = 7 * 86_400_000;
const UNCONFIRMED_RETENTION_MS = 30 * 86_400_000;

/**
 * Sends notices to subscribers as fast as the relay accepts them. Everything is stored before it is sent, so
 * a crash loses nothing and any controller can continue.
 */
export class NoticeSender {
  readonly #deps: NoticeSenderDeps;
  readonly #task: PeriodicTask;
  readonly #abortController = new AbortController();
  readonly #fanOut: DueWork<NoticeDoc>;
  readonly #sending: DueWork<OutgoingDoc>;
  readonly counts: Record<SendOutcome, number> = { sent: 0, dropped: 0, dead: 0, retry: 0, busy: 0 };
  #isStarted = false;
  #isStopped = false;
  /** The last poll found more than one run sends. */
  #isBacklogged = false;
  #cleanedUpAt: number;

  constructor(deps: NoticeSenderDeps) {
    this.#deps = deps;
    const { notices, outbox, clock, log, peers, holder } = deps;
    this.#fanOut = new DueWork({ clock, holder, ttlMs: FAN_OUT_CLAIM_MS, store: notices });
    this.#sending = new DueWork({ clock, holder, ttlMs: CLAIM_MS, store: outbox });
    this.#cleanedUpAt = clock.monotonic();
    this.#task = new PeriodicTask({
      clock, intervalMs: POLL_INTERVAL_MS, idleIntervalMs: IDLE_INTERVAL_MS, peers,
      task: () => this.#sendDue(),
      onError: (error) => log.warn({ err: error }, 'could not send updates to subscribers'),
    });
  }

  start(): void {
    this.#isStarted = true;
    this.#task.start();
    this.#task.trigger();
  }

  /** One run, also before the start. */
  run(): Promise<void> {
    return this.#task.run();
  }

  /** Called when there may be something to send. */
  trigger(): void {
    if (this.#isStarted) this.#task.trigger();
  }

  /** Starts nothing new, and aborts what is still running after `timeoutMs`. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    await Promise.race([this.#task.stop(), sleep(this.#deps.clock, timeoutMs)]);
    this.#abortController.abort();
  }

  async #sendDue(): Promise<boolean | 'idle'> {
    const hasPosts = await createPostNotices(this.#deps);
    // The outbox has priority, so that it stays small.
    const canFanOut = !this.#isBacklogged;
    const hasNotice = canFanOut && (await this.#fanOutNext());
    const { free, next } = await this.#sending.find(SEND_BATCH_SIZE);
    this.#isBacklogged = next === true;
    const isAccepted = await this.#sendAll(free);
    const hasOld = await this.#cleanUp();
    if (!isAccepted || this.#isStopped) return false;
    if (hasPosts || hasNotice || hasOld || free.length > 0 || !canFanOut) return true;
    return next === 'idle' && !this.#fanOut.hasClaims ? 'idle' : false;
  }

  /** Notices take turns. False if other controllers have claimed all of them. */
  async #fanOutNext(): Promise<boolean> {
    const [notice] = (await this.#fanOut.find(NOTICE_BATCH_SIZE)).free;
    if (notice === undefined) return false;
    await this.#fanOut.run(notice, (claimed) => fanOutNotice(this.#deps, claimed, this.#deps.clock.now()));
    return true;
  }

  /** False if the relay is busy: the rest waits. */
  async #sendAll(due: OutgoingDoc[]): Promise<boolean> {
    const { log } = this.#deps;
    let isAccepted = true;
    const queue = new PQueue({ concurrency: SEND_CONCURRENCY });
    await queue.addAll(due.map((one) => async () => {
      if (!isAccepted || this.#isStopped) return;
      try {
        const { signal } = this.#abortController;
        const outcome = await sendOne({ sending: this.#sending, ...this.#deps }, one, signal);
        if (outcome !== null) this.counts[outcome] += 1;
        if (outcome === 'busy') isAccepted = false;
      } catch (error) {
        // The claim expires by itself; other messages are not affected.
        log.warn({ err: error, outgoing_id: one._id }, 'could not send an update to a subscriber');
      }
    }));
    return isAccepted;
  }

  /** Periodically removes old documents. True if there may be more. */
  async #cleanUp(): Promise<boolean> {
    const { notices, outbox, subscribers, clock } = this.#deps;
    if (clock.monotonic() - this.#cleanedUpAt < CLEANUP_INTERVAL_MS) return false;
    const removed = await Promise.all(
      [notices, outbox].map((store) => store.removeOlder(clock.now() - RETENTION_MS, CLEANUP_BATCH_SIZE)),
    );
    if (removed.includes(CLEANUP_BATCH_SIZE)) return true;
    await subscribers.removeUnconfirmed(clock.now() - UNCONFIRMED_RETENTION_MS);
    this.#cleanedUpAt = clock.monotonic();
    return false;
  }
}
