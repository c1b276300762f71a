import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import { FileTransport } from './file-transport.ts';
import { mailRefusal } from './mail-outcomes.ts';
import type { Mail, Mailer, MailOutcome } from './mailer-port.ts';
import { MailgunTransport } from './mailgun-transport.ts';
import { SmtpTransport } from './smtp-transport.ts';

/** For one mail, from connecting to the provider's answer. */
const SEND_WITHIN_MS = 10_000;
/** Mails under way at once; any other is to be sent again later. */
const SENDS_AT_ONCE = 64;

/** One way to hand a mail over. The mail is free of control characters. */
export interface MailTransport {
  /** `signal` ends it early. What the provider says is an outcome; a rejection is a fault of ours. */
  deliver(mail: Mail, signal: AbortSignal): Promise<MailOutcome>;
  close(): void;
}

export interface MailConfig {
  from: string;
  /** Whether somebody chose `from`; a provider may refuse one that we made up. */
  isFromGiven: boolean;
  /** Wins over `smtpUrl`. */
  mailgun: { apiKey: string; domain: string; url: string } | null;
  smtpUrl: string | null;
}

/** Opens the way out for mail that the settings name: Mailgun, else SMTP, else files in `folder`. */
export function openMailer(config: MailConfig, options: { folder: string; clock: Clock; log: Log }): Mailer {
  const { from, mailgun, smtpUrl } = config;
  if ((mailgun !== null || smtpUrl !== null) && !config.isFromGiven) {
    options.log.warn({ from }, 'MAIL_FROM is not set: mail has a sender that we made up');
  }
  const provider = { from, timeoutMs: SEND_WITHIN_MS };
  if (mailgun !== null) return new BoundedMailer(new MailgunTransport({ ...mailgun, ...provider }), options);
  if (smtpUrl !== null) return new BoundedMailer(new SmtpTransport({ url: smtpUrl, ...provider }), options);
  return new BoundedMailer(new FileTransport({ from, ...options }), options);
}

/** Refuses what could forge headers, and bounds number and time of what is under way. */
class BoundedMailer implements Mailer {
  readonly #transport: MailTransport;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #underWay = new Set<AbortController>();

  constructor(transport: MailTransport, options: { clock: Clock; log: Log }) {
    this.#transport = transport;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  async send(mail: Mail): Promise<MailOutcome> {
    const refusal = mailRefusal(mail);
    if (refusal !== null) return { kind: 'bounced', reason: refusal };
    if (this.#underWay.size >= SENDS_AT_ONCE) return { kind: 'retry', reason: 'too many mails at once' };
    const end = new AbortController();
    this.#underWay.add(end);
    const timer = this.#clock.setTimer(SEND_WITHIN_MS, () => end.abort());
    const late = new Promise<MailOutcome>((resolve) => {
      const reason = `the mail provider did not answer within ${SEND_WITHIN_MS / 1000} seconds`;
      end.signal.addEventListener('abort', () => resolve({ kind: 'retry', reason }));
    });
    try {
      return await Promise.race([this.#deliver(mail, end.signal), late]);
    } finally {
      timer.cancel();
      this.#underWay.delete(end);
    }
  }

  async close(): Promise<void> {
    for (const send of this.#underWay) send.abort();
    this.#transport.close();
  }

  async #deliver(mail: Mail, signal: AbortSignal): Promise<MailOutcome> {
    try {
      return await this.#transport.deliver(mail, signal);
    } catch (error) {
      if (!signal.aborted) this.#log.error({ err: error }, 'sending a mail failed unexpectedly');
      return { kind: 'retry', reason: 'the mail could not be sent' };
    }
  }
}
