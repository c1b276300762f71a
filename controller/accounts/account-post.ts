import type { Log } from '../../shared/log.ts';
import { sleep, type Clock } from '../../shared/time.ts';
import type { Mail, Mailer } from '../platform/mail/mailer-port.ts';

/** Waits between the tries of one mail, ms; after the last it is given up, and its receiver can ask for another. */
const RETRY_AFTER_MS = [5_000, 30_000, 120_000, 600_000];
/** Mails on their way at once, those that wait for their next try among them. */
const MOST_UNDER_WAY = 1000;

/**
 * Sends the mails of accounts behind the request's back: an answer that waited for its mail would tell by its time
 * whether there is an account. What is under way when the process ends is lost, and is asked for again.
 */
export class AccountPost {
  readonly #mailer: Mailer;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #underWay = new Set<Promise<void>>();
  #isClosed = false;
  #close: () => void = () => undefined;
  readonly #closed: Promise<void>;

  constructor(deps: { mailer: Mailer; clock: Clock; log: Log }) {
    this.#mailer = deps.mailer;
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#closed = new Promise((resolve) => (this.#close = resolve));
  }

  /** Sends what `compose` writes, in a while; null: nothing is to be sent. */
  post(compose: () => Promise<Mail | null>): void {
    if (this.#isClosed || this.#underWay.size >= MOST_UNDER_WAY) {
      this.#log.warn('too many mails are under way: one is not sent');
      return;
    }
    const sent = this.#send(compose)
      .catch((error: unknown) => this.#log.error({ err: error }, 'a mail could not be made'))
      .finally(() => this.#underWay.delete(sent));
    this.#underWay.add(sent);
  }

  /** Gives up what waits for its next try, and ends when nothing is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#close();
    await Promise.all(this.#underWay);
  }

  async #send(compose: () => Promise<Mail | null>): Promise<void> {
    const mail = await compose();
    if (mail === null) return;
    for (const waitMs of [...RETRY_AFTER_MS, null]) {
      const outcome = await this.#mailer.send(mail);
      if (outcome.kind === 'sent') return;
      const isLast = outcome.kind === 'bounced' || waitMs === null || this.#isClosed;
      this.#log.warn({ to: mail.to, subject: mail.subject, reason: outcome.reason }, isLast ? 'a mail was not sent' : 'a mail will be sent again');
      if (isLast) return;
      await Promise.race([sleep(this.#clock, waitMs), this.#closed]);
      if (this.#isClosed) return;
    }
  }
}
