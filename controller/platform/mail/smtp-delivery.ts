import { createTransport } from 'nodemailer';
import { smtpOutcome } from './mail-outcomes.ts';
import type { Deliver } from './mailer.ts';
import { isSendableAsIs, readableParts } from './readable-parts.ts';

/** Responses to these commands concern the recipient or the message; all others concern our account. */
const OF_RECIPIENT = new Set(['RCPT TO', 'DATA']);

/** Sends each mail over its own SMTP connection. */
export function smtpDelivery(settings: { url: string; from: string; timeoutMs: number }): Deliver {
  const { url, from, timeoutMs } = settings;
  const options = {
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const transporter = createTransport(options, { from });
  return async (mail, signal) => {
    // The types lack `signal`.
    const message = { ...mail, ...(isSendableAsIs(mail) ? readableParts(mail, '7bit') : {}), signal };
    try {
      await transporter.sendMail(message);
      return { kind: 'sent' };
    } catch (error) {
      const failure = error as Error & { responseCode?: number; response?: string; command?: string };
      const isOfRecipient = OF_RECIPIENT.has(failure.command ?? '');
      return smtpOutcome(failure.responseCode ?? null, failure.response ?? failure.message, isOfRecipient);
    }
  };
}
