import { createTransport, type Transporter } from 'nodemailer';
import { smtpOutcome } from './mail-outcomes.ts';
import type { MailTransport } from './mailer.ts';
import type { Mail, MailOutcome } from './mailer-port.ts';
import { isSendableAsIs, readableParts } from './readable-parts.ts';

/** Replies to these commands are about the recipient or the message; all others are about us. */
const OF_RECIPIENT = new Set(['RCPT TO', 'DATA']);

/** Sends each mail by SMTP on a connection of its own. */
export class SmtpTransport implements MailTransport {
  readonly #transporter: Transporter;

  constructor({ url, from, timeoutMs }: { url: string; from: string; timeoutMs: number }) {
    const options = {
      url,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      dnsTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    };
    this.#transporter = createTransport(options, { from });
  }

  async deliver(mail: Mail, signal: AbortSignal): Promise<MailOutcome> {
    // The types do not know of `signal` yet.
    const message = { ...mail, ...(isSendableAsIs(mail) ? readableParts(mail, '7bit') : {}), signal };
    try {
      await this.#transporter.sendMail(message);
      return { kind: 'sent' };
    } catch (error) {
      const failure = error as Error & { responseCode?: number; response?: string; command?: string };
      const isOfRecipient = OF_RECIPIENT.has(failure.command ?? '');
      return smtpOutcome(failure.responseCode ?? null, failure.response ?? failure.message, isOfRecipient);
    }
  }

  close(): void {
    this.#transporter.close();
  }
}
