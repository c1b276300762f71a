import Mailgun from 'mailgun.js';
import { mailgunOutcome } from './mail-outcomes.ts';
import type { MailTransport } from './mailer.ts';
import type { Mail, MailOutcome } from './mailer-port.ts';

interface MailgunSettings {
  apiKey: string;
  domain: string;
  /** Of the API, without a slash at its end. */
  url: string;
  from: string;
  timeoutMs: number;
}

/** Sends mail by Mailgun's messages API. */
export class MailgunTransport implements MailTransport {
  readonly #client: ReturnType<Mailgun['client']>;
  readonly #settings: MailgunSettings;

  constructor(settings: MailgunSettings) {
    const { apiKey: key, url, timeoutMs: timeout } = settings;
    this.#settings = settings;
    // Its other HTTP client counts only silence as a timeout, so an answer that drips would never end.
    this.#client = new Mailgun(FormData).client({ username: 'api', key, url, timeout, useFetch: true });
  }

  async deliver({ to, subject, text, html, headers = {} }: Mail): Promise<MailOutcome> {
    const { domain, from } = this.#settings;
    const extra = Object.fromEntries(Object.entries(headers).map(([name, value]) => [`h:${name}`, value]));
    try {
      await this.#client.messages.create(domain, { from, to, subject, text, html, ...extra });
      return { kind: 'sent' };
    } catch (error) {
      const { status, details } = answerOf(error);
      return mailgunOutcome(status, details);
    }
  }

  close(): void {
    // Nothing stays open beyond a send and its timeout.
  }
}

/** The client gives status 400 to a failure to connect too, with the system's error code as its message. */
function answerOf(error: unknown): { status: number | null; details: string } {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') throw error;
  const { status, message } = error;
  const details = 'details' in error && typeof error.details === 'string' ? error.details : '';
  const hasNoAnswer = status === 400 && message !== 'ERR_BAD_REQUEST' && /^E[A-Z0-9_]+$/.test(message);
  return { status: hasNoAnswer ? null : status, details: details === '' ? message : details };
}
