import { mailgunOutcome } from './mail-outcomes.ts';
import type { Deliver } from './mailer.ts';

interface MailgunSettings {
  apiKey: string;
  domain: string;
  /** API URL without a trailing slash. */
  url: string;
  from: string;
  timeoutMs: number;
}

export function mailgunDelivery({ apiKey: key, domain, url, from, timeoutMs }: MailgunSettings): Deliver {
  // Mailgun's other HTTP client times out only on silence, so a slowly dripping response would never end.
  const options = { username: 'api', key, url, timeout: timeoutMs, useFetch: true };
  // Loaded with the first mail, because other transports don't need it in memory.
  const load = async () => new (await import('mailgun.js')).default(FormData).client(options);
  let client: ReturnType<typeof load> | null = null;
  return async ({ to, subject, text, html, headers = {} }) => {
    const extra = Object.fromEntries(Object.entries(headers).map(([name, value]) => [`h:${name}`, value]));
    try {
      const { messages } = await (client ??= load());
      await messages.create(domain, { from, to, subject, text, html, ...extra });
      return { kind: 'sent' };
    } catch (error) {
      const { status, details } = failureOf(error);
      return mailgunOutcome(status, details);
    }
  };
}

/**
 * The client also reports a failure to connect as status 400, with the system's error code as its message.
 */
function failureOf(error: unknown): { status: number | null; details: string } {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') throw error;
  const { status, message } = error;
  const details = 'details' in error && typeof error.details === 'string' ? error.details : '';
  const isUnreachable = status === 400 && message !== 'ERR_BAD_REQUEST' && /^E[A-Z0-9_]+$/.test(message);
  return { status: isUnreachable ? null : status, details: details === '' ? message : details };
}
