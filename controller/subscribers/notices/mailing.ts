import PQueue from 'p-queue';
import { Claims } from '../../../shared/claims.ts';
import type { Company } from '../../../shared/company.ts';
import type { Log } from '../../../shared/log.ts';
import { ALONE_MS, Rounds } from '../../../shared/rounds.ts';
import { sleep } from '../../../shared/time.ts';
import { CLAIM_MS } from '../../delivery/claimed.ts';
import type { SubscriberStore } from '../store.ts';
import type { OutgoingDoc } from './notice.ts';
import type { SendOutcome } from './notice-rules.ts';
import type { NoticeStore } from './notice-store.ts';
import type { OutboxStore } from './outbox-store.ts';
import { passOnPosts, type PassOnDeps } from './pass-on-posts.ts';
import { sendOne, type SendDeps } from './send.ts';
import { tellSome } from './tell.ts';

export interface MailingDeps extends Pick<PassOnDeps, 'pages' | 'posts'>,
  Pick<SendDeps, 'mailer' | 'poster' | 'links' | 'clock' | 'random'> {
  subscribers: SubscriberStore;
  notices: NoticeStore;
  outbox: OutboxStore;
  log: Log;
  company: Company;
  /** The name of this controller. */
  holder: string;
}

const LOOK_EVERY_MS = 1000;
/** While there is nothing to send. */
const QUIET_MS = 5000;
/** Longer than telling some subscribers of a notice takes; after that, another controller repeats it. */
const TELL_CLAIM_MS = 15_000;
/** Of which a controller looks for one that no other tells of. */
const NOTICES_AT_A_LOOK = 20;
/** Sent in one round; the next follows at once. */
const SENT_AT_ONCE = 200;
/** Under way at the same time: a relay takes few connections, and alerts need some. */
const AT_ONCE = 8;
const SWEEP_EVERY_MS = 3_600_000;
const SWEPT_AT_ONCE = 500;
/** Longer than anything waits in the outbox. */
const KEPT_MS = 7 * 86_400_000;
const UNCONFIRMED_KEPT_MS = 30 * 86_400_000;

/**
 * Tells subscribers what is new, as fast as the relay takes it. Everything is in the database before it is
 * sent, so a crash loses nothing, and any controller goes on with it.
 */
export class Mailing {
  readonly #deps: MailingDeps;
  readonly #rounds: Rounds;
  readonly #breakOff = new AbortController();
  readonly #telling: Claims;
  readonly #sending: Claims;
  readonly counts: Record<SendOutcome, number> = { sent: 0, dropped: 0, dead: 0, retry: 0, busy: 0 };
  #isStarted = false;
  #isStopped = false;
  /** More was due at the last look than one round sends. */
  #isFull = false;
  #sweptAt: number;

  constructor(deps: MailingDeps) {
    this.#deps = deps;
    const { clock, log, company, holder } = deps;
    this.#telling = new Claims({ clock, holder, lastsMs: TELL_CLAIM_MS });
    this.#sending = new Claims({ clock, holder, lastsMs: CLAIM_MS });
    this.#sweptAt = clock.monotonic();
    this.#rounds = new Rounds({
      clock, everyMs: LOOK_EVERY_MS, quietMs: QUIET_MS, company, round: () => this.#round(),
      onFailed: (error) => log.warn({ err: error }, 'could not send updates to subscribers'),
    });
  }

  start(): void {
    this.#isStarted = true;
    this.#rounds.start();
    this.#rounds.look();
  }

  /** One round, also before the start. */
  run(): Promise<void> {
    return this.#rounds.run();
  }

  /** There may be something new. */
  look(): void {
    if (this.#isStarted) this.#rounds.look();
  }

  /** Begins nothing more, and ends what is under way after `withinMs`. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopped = true;
    await Promise.race([this.#rounds.stop(), sleep(this.#deps.clock, withinMs)]);
    this.#breakOff.abort();
  }

  async #round(): Promise<boolean | 'quiet'> {
    const { outbox, clock } = this.#deps;
    const hasPosts = await passOnPosts(this.#deps);
    // What is in the outbox goes first, so that it stays small.
    const mayTell = !this.#isFull;
    const hasNotice = mayTell && (await this.#tellNext());
    const soon = await outbox.due(clock.now() + ALONE_MS, SENT_AT_ONCE, this.#sending.held);
    const due = soon.filter(({ due_at = Infinity }) => due_at <= clock.now());
    const free = due.filter(({ claim }) => this.#sending.isFree(claim));
    this.#isFull = due.length === SENT_AT_ONCE && free.length > 0;
    const isTaken = await this.#sendAll(free);
    const hasOld = await this.#sweep();
    if (!isTaken || this.#isStopped) return false;
    if (hasPosts || hasNotice || hasOld || free.length > 0 || !mayTell) return true;
    // What others have claimed may be left to us.
    const isLeft = [this.#telling, this.#sending].some(({ held }) => held.length > 0);
    return soon.length === 0 && !isLeft ? 'quiet' : false;
  }

  /** Notices take turns. False if there is none that others do not tell of. */
  async #tellNext(): Promise<boolean> {
    const { notices, clock } = this.#deps;
    const claims = this.#telling;
    const due = await notices.due(clock.now(), NOTICES_AT_A_LOOK, claims.held);
    const notice = due.find(({ claim }) => claims.isFree(claim));
    if (notice !== undefined) await tellSome({ claims, ...this.#deps }, notice, clock.now());
    return notice !== undefined;
  }

  /** False if the relay has too much to do: the rest waits. */
  async #sendAll(due: OutgoingDoc[]): Promise<boolean> {
    const { log } = this.#deps;
    let isTaken = true;
    const queue = new PQueue({ concurrency: AT_ONCE });
    await queue.addAll(due.map((one) => async () => {
      if (!isTaken || this.#isStopped) return;
      try {
        const outcome = await sendOne({ claims: this.#sending, ...this.#deps }, one, this.#breakOff.signal);
        if (outcome !== null) this.counts[outcome] += 1;
        if (outcome === 'busy') isTaken = false;
      } catch (error) {
        // Its claim ends by itself; the others may work.
        log.warn({ err: error, outgoing_id: one._id }, 'could not send an update to a subscriber');
      }
    }));
    return isTaken;
  }

  /** Now and then, removes what is over. True if there may be more. */
  async #sweep(): Promise<boolean> {
    const { notices, outbox, subscribers, clock } = this.#deps;
    if (clock.monotonic() - this.#sweptAt < SWEEP_EVERY_MS) return false;
    const removed = await Promise.all(
      [notices, outbox].map((store) => store.removeOlder(clock.now() - KEPT_MS, SWEPT_AT_ONCE)),
    );
    if (removed.includes(SWEPT_AT_ONCE)) return true;
    await subscribers.removeUnconfirmed(clock.now() - UNCONFIRMED_KEPT_MS);
    this.#sweptAt = clock.monotonic();
    return false;
  }
}
