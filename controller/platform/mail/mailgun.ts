import Mailgun from 'mailgun.js';
import { mailgunOutcome } from './mail-outcomes.ts';
import type { MailTransport } from './mail-transport.ts';
import type { Mail, MailOutcome } from './mailer-port.ts';

type Client = ReturnType<Mailgun['client']>;

export interface MailgunSettings {
  apiKey: string;
  domain: string;
  /** Address of the API, without a slash at its end. */
  url: string;
  from: string;
  timeoutMs: number;
}

/** Mail by Mailgun's messages API. */
export class MailgunTransport implements MailTransport {
  readonly #client: Client;
  readonly #settings: MailgunSettings;

  constructor(settings: MailgunSettings) {
    const { apiKey: key, url, timeoutMs: timeout } = settings;
    this.#settings = settings;
    // Its other HTTP client counts only silence as a timeout, so that an answer in drops would never end.
    this.#client = new Mailgun(FormData).client({ username: 'api', key, url, timeout, useFetch: true });
  }

  async deliver(mail: Mail): Promise<MailOutcome> {
    const { to, subject, text, html } = mail;
    const headers = Object.fromEntries(Object.entries(mail.headers ?? {}).map(([name, value]) => [`h:${name}`, value]));
    try {
      await this.#client.messages.create(this.#settings.domain, { from: this.#settings.from, to, subject, text, html, ...headers });
      return { kind: 'sent' };
    } catch (error) {
      const { status, details } = answerOf(error);
      return mailgunOutcome(status, details);
    }
  }

  async close(): Promise<void> {
    // Nothing stays open beyond a send and its timeout.
  }
}

/** The client gives a failure to connect the status 400 too, with a code of the system's as its message. */
function answerOf(error: unknown): { status: number | null; details: string } {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') throw error;
  const details = 'details' in error && typeof error.details === 'string' ? error.details : error.message;
  const hasNoAnswer = error.status === 400 && error.message !== 'ERR_BAD_REQUEST' && /^E[A-Z0-9_]+$/.test(error.message);
  return { status: hasNoAnswer ? null : error.status, details: details === '' ? error.message : details };
}
