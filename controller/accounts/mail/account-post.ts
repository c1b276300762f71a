import type { Log } from '../../../shared/log.ts';
import { sleep, type Clock } from '../../../shared/time.ts';
import type { Mail, MailLane, Mailer } from '../../platform/mail/mailer-port.ts';

/** Waits between the attempts to send a mail, ms. After the last attempt the mail is given up. */
const RETRY_AFTER_MS = [5_000, 30_000, 120_000, 600_000];
/** Mails in progress, including those that wait for their next attempt. */
const MOST_IN_PROGRESS = 1000;

/** Sends mail after the answer, whose timing would otherwise reveal who has an account or subscribes. */
export class AccountPost {
  readonly #deps: { mailer: Mailer; lane: MailLane; clock: Clock; log: Log };
  readonly #inProgress = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #closed = new Promise((resolve) => this.#closing.signal.addEventListener('abort', resolve));

  constructor(deps: { mailer: Mailer; lane: MailLane; clock: Clock; log: Log }) {
    this.#deps = deps;
  }

  /** Sends the mail that `compose` returns, if any. */
  post(compose: () => Promise<Mail | null>): void {
    const { log } = this.#deps;
    if (this.#closing.signal.aborted || this.#inProgress.size >= MOST_IN_PROGRESS) {
      log.warn('too many mails are under way: one is not sent');
      return;
    }
    const sent = this.#send(compose)
      .catch((error: unknown) => log.error({ err: error }, 'a mail could not be made'))
      .finally(() => this.#inProgress.delete(sent));
    this.#inProgress.add(sent);
  }

  /** Gives up mails that wait for their next attempt; resolves when none is in progress. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#inProgress);
  }

  async #send(compose: () => Promise<Mail | null>): Promise<void> {
    const { mailer, lane, clock, log } = this.#deps;
    const { signal } = this.#closing;
    const mail = await compose();
    if (mail === null) return;
    const { to, subject } = mail;
    for (const waitMs of [...RETRY_AFTER_MS, null]) {
      const outcome = await mailer.send(mail, lane);
      if (outcome.kind === 'sent') return;
      const isLast = outcome.kind === 'bounced' || waitMs === null || signal.aborted;
      const text = isLast ? 'a mail was not sent' : 'a mail will be sent again';
      log.warn({ to, subject, reason: outcome.reason }, text);
      if (isLast) return;
      await Promise.race([sleep(clock, waitMs), this.#closed]);
      if (signal.aborted) return;
    }
  }
}
