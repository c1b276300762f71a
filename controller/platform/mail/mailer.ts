import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import { FileTransport } from './mail-files.ts';
import { mailRefusal } from './mail-outcomes.ts';
import { SmtpTransport } from './mail-smtp.ts';
import type { MailTransport } from './mail-transport.ts';
import type { Mail, Mailer, MailOutcome } from './mailer-port.ts';
import { MailgunTransport } from './mailgun.ts';

/** For one mail, from connecting to the provider's answer. */
const SEND_WITHIN_MS = 10_000;
/** Mails under way at once; beyond it a mail is told to come again. */
const SENDS_AT_ONCE = 64;

export interface MailConfig {
  from: string;
  /** Whether somebody chose `from`; a provider may refuse one that we made up. */
  isFromGiven: boolean;
  /** Wins over `smtpUrl`. */
  mailgun: { apiKey: string; domain: string; url: string } | null;
  smtpUrl: string | null;
}

/** The way out for mail that the settings name: Mailgun, else SMTP, else files in `folder`. */
export function openMailer(config: MailConfig, options: { folder: string; clock: Clock; log: Log }): Mailer {
  const hasProvider = config.mailgun !== null || config.smtpUrl !== null;
  if (hasProvider && !config.isFromGiven) options.log.warn({ from: config.from }, 'MAIL_FROM is not set: mail has a sender that we made up');
  return new BoundedMailer(transportOf(config, options), options);
}

function transportOf(config: MailConfig, { folder, clock, log }: { folder: string; clock: Clock; log: Log }): MailTransport {
  const { from } = config;
  if (config.mailgun !== null) return new MailgunTransport({ ...config.mailgun, from, timeoutMs: SEND_WITHIN_MS });
  if (config.smtpUrl !== null) return new SmtpTransport({ url: config.smtpUrl, from, timeoutMs: SEND_WITHIN_MS });
  return new FileTransport({ folder, from, clock, log });
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
      end.signal.addEventListener('abort', () => resolve({ kind: 'retry', reason: `the mail provider did not answer within ${SEND_WITHIN_MS / 1000} seconds` }));
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
    await this.#transport.close();
  }

  #deliver(mail: Mail, signal: AbortSignal): Promise<MailOutcome> {
    return this.#transport.deliver(mail, signal).catch((error: unknown): MailOutcome => {
      if (!signal.aborted) this.#log.error({ err: error }, 'sending a mail failed unexpectedly');
      return { kind: 'retry', reason: 'the mail could not be sent' };
    });
  }
}
