import type { Log } from '../../../shared/log.ts';
import { sleep, type Clock } from '../../../shared/time.ts';
import type { Mail, MailClass, Mailer } from '../../platform/mail/mailer-port.ts';

/** Delays between attempts. The mail is dropped after the last attempt. */
const RETRY_DELAYS_MS = [5_000, 30_000, 120_000, 600_000];
/** Includes mails that wait for their next attempt. */
const MAX_IN_PROGRESS = 1000;

/**
 * Sends mail of one class after the response, because the response time would otherwise reveal who has an
 * account or a subscription. Each class has its own mailer, so none can fill up another. Dropped mails are
 * logged.
 */
export class BackgroundMailer {
  readonly #deps: { mailer: Mailer; mailClass: MailClass; clock: Clock; log: Log };
  readonly #inProgress = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #closed = new Promise((resolve) => this.#closing.signal.addEventListener('abort', resolve));
  /** Mails dropped since startup. */
  dropped = 0;

  constructor(deps: { mailer: Mailer; mailClass: MailClass; clock: Clock; log: Log }) {
    this.#deps = deps;
  }

  /** True when too many mails are in progress to accept another. */
  get isFull(): boolean {
    return this.#inProgress.size >= MAX_IN_PROGRESS;
  }

  /**
   * Sends what `compose` returns. Null means nothing to send; a string is the reason for dropping the mail.
   */
  send(to: string, compose: () => Promise<Mail | string | null>): void {
    if (this.#closing.signal.aborted) return this.#drop({ to, reason: 'Farwatch is stopping' });
    if (this.isFull) return this.#drop({ to, reason: 'too many emails are in progress' });
    const sent = this.#send(to, compose)
      .catch((error: unknown) => this.#drop({ to, err: error, reason: 'the email could not be composed' }))
      .finally(() => this.#inProgress.delete(sent));
    this.#inProgress.add(sent);
  }

  /** Drops mails that wait for their next attempt. Resolves when no mail is in progress. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#inProgress);
  }

  async #send(to: string, compose: () => Promise<Mail | string | null>): Promise<void> {
    const { mailer, mailClass, clock, log } = this.#deps;
    const { signal } = this.#closing;
    const mail = await compose();
    if (mail === null) return;
    if (typeof mail === 'string') return this.#drop({ to, reason: mail });
    const { subject } = mail;
    for (const delayMs of [...RETRY_DELAYS_MS, null]) {
      const outcome = await mailer.send(mail, mailClass);
      if (outcome.kind === 'sent') return;
      const { reason } = outcome;
      const isLast = outcome.kind === 'bounced' || delayMs === null || signal.aborted;
      if (isLast) return this.#drop({ to, subject, reason });
      log.warn({ class: mailClass, to, subject, reason }, 'sending an email failed and will be retried');
      await Promise.race([sleep(clock, delayMs), this.#closed]);
      if (!signal.aborted) continue;
      return this.#drop({ to, subject, reason: `Farwatch is stopping; last error: ${reason}` });
    }
  }

  #drop(mail: { to: string; subject?: string; reason: string; err?: unknown }): void {
    this.dropped += 1;
    const { mailClass, log } = this.#deps;
    log[mail.err === undefined ? 'warn' : 'error']({ class: mailClass, ...mail }, 'an email was not sent');
  }
}
