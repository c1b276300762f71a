import { createTransport, type Transporter } from 'nodemailer';
import { readablePart } from './mail-part.ts';
import { isSendableAsIs, smtpOutcome } from './mail-outcomes.ts';
import type { MailTransport } from './mail-transport.ts';
import type { Mail, MailOutcome } from './mailer-port.ts';

/** Replies to these are about the recipient or the message; to others, about us. */
const OF_RECIPIENT = new Set(['RCPT TO', 'DATA']);

/** Mail by SMTP, with a connection for each. */
export class SmtpTransport implements MailTransport {
  readonly #transporter: Transporter;

  constructor(settings: { url: string; from: string; timeoutMs: number }) {
    const { url, from, timeoutMs } = settings;
    const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs, dnsTimeout: timeoutMs };
    this.#transporter = createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true }, { from });
  }

  async deliver(mail: Mail, signal: AbortSignal): Promise<MailOutcome> {
    try {
      const isPlain = isSendableAsIs(mail.text) && isSendableAsIs(mail.html);
      const parts = isPlain ? { text: readablePart('text/plain', mail.text, '7bit'), html: readablePart('text/html', mail.html, '7bit') } : {};
      // The types do not know of `signal` yet.
      const message = { ...mail, ...parts, signal };
      await this.#transporter.sendMail(message);
      return { kind: 'sent' };
    } catch (error) {
      const { responseCode, response, command, message } = error as { responseCode?: number; response?: string; command?: string; message: string };
      return smtpOutcome(responseCode ?? null, response ?? message, OF_RECIPIENT.has(command ?? ''));
    }
  }

  async close(): Promise<void> {
    this.#transporter.close();
  }
}
