import { createTransport } from 'nodemailer';
import { smtpOutcome } from './mail-outcomes.ts';
import type { Deliver } from './mailer.ts';
import { isSendableAsIs, readableParts } from './readable-parts.ts';

/** Replies to these commands are about the recipient or the message; all others are about us. */
const OF_RECIPIENT = new Set(['RCPT TO', 'DATA']);

/** Sends each mail by SMTP on a connection of its own. */
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
    // The types do not know of `signal` yet.
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
