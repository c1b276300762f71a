import PQueue from 'p-queue';
import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import { fileDelivery } from './file-delivery.ts';
import { mailRefusal } from './mail-outcomes.ts';
import type { Mail, MailClass, Mailer, MailOutcome } from './mailer-port.ts';
import { mailgunDelivery } from './mailgun-delivery.ts';
import { smtpDelivery } from './smtp-delivery.ts';

/** For one mail, from connecting to the provider's response. */
const SEND_TIMEOUT_MS = 10_000;
/** A busy provider refuses many mails; at most one per interval is logged. */
const BUSY_LOG_INTERVAL_MS = 60_000;
/**
 * Concurrent and queued mails per class; any beyond must be retried later. Tests get few, so that they leave
 * the relay's connections to alerts.
 */
const CLASS_LIMITS: Record<MailClass, { maxConcurrent: number; maxWaiting: number }> = {
  alerts: { maxConcurrent: 64, maxWaiting: 0 },
  tests: { maxConcurrent: 4, maxWaiting: 100 },
  // Verifications and password resets; separate from invitations and owner notices, so they wait for neither.
  accounts: { maxConcurrent: 16, maxWaiting: 100 },
  invitations: { maxConcurrent: 4, maxWaiting: 100 },
  owners: { maxConcurrent: 4, maxWaiting: 100 },
  // Anyone on the internet can request these.
  subscriptions: { maxConcurrent: 4, maxWaiting: 100 },
  // Low, because an update to thousands of subscribers isn't urgent.
  subscribers: { maxConcurrent: 8, maxWaiting: 8 },
};

/**
 * Hands a mail without control characters to the provider; `signal` aborts it. The provider's response is an
 * outcome; a rejection is a bug of ours.
 */
export type Deliver = (mail: Mail, signal: AbortSignal) => Promise<MailOutcome>;

export interface MailConfig {
  from: string;
  /** Whether `from` was configured; providers may refuse our default. */
  isFromConfigured: boolean;
  /** Takes precedence over `smtpUrl`. */
  mailgun: { apiKey: string; domain: string; url: string } | null;
  smtpUrl: string | null;
}

/** Opens the configured mail transport: Mailgun, else SMTP, else files in `folder`. */
export function openMailer(config: MailConfig, options: { folder: string; clock: Clock; log: Log }): Mailer {
  const { from, mailgun, smtpUrl } = config;
  if ((mailgun !== null || smtpUrl !== null) && !config.isFromConfigured) {
    options.log.warn({ from }, 'MAIL_FROM is not set, so email is sent from a default address');
  }
  const provider = { from, timeoutMs: SEND_TIMEOUT_MS };
  if (mailgun !== null) return boundedMailer(mailgunDelivery({ ...mailgun, ...provider }), options);
  if (smtpUrl !== null) return boundedMailer(smtpDelivery({ url: smtpUrl, ...provider }), options);
  return boundedMailer(fileDelivery({ from, ...options }), options);
}

/** Refuses mail that could forge headers, and limits concurrency and duration. */
function boundedMailer(deliver: Deliver, { clock, log }: { clock: Clock; log: Log }): Mailer {
  const inProgress = new Set<AbortController>();
  let isClosed = false;
  const queueOf = (name: MailClass) => new PQueue({ concurrency: CLASS_LIMITS[name].maxConcurrent });
  const queues = {
    alerts: queueOf('alerts'), tests: queueOf('tests'), accounts: queueOf('accounts'),
    invitations: queueOf('invitations'), owners: queueOf('owners'), subscriptions: queueOf('subscriptions'), subscribers: queueOf('subscribers'),
  };
  let loggedAt = -Infinity;
  const busy = (reason: string): MailOutcome => {
    if (clock.monotonic() - loggedAt >= BUSY_LOG_INTERVAL_MS) {
      loggedAt = clock.monotonic();
      log.warn({ reason }, 'the mail provider is busy; some email is waiting');
    }
    return { kind: 'busy', reason };
  };
  const sendOne = async (mail: Mail): Promise<MailOutcome> => {
    if (isClosed) return { kind: 'retry', reason: 'canceled because Farwatch is stopping' };
    const end = new AbortController();
    inProgress.add(end);
    const timer = clock.setTimer(SEND_TIMEOUT_MS, () => end.abort());
    const timedOut = new Promise<MailOutcome>((resolve) => {
      const reason = `the mail provider did not respond within ${SEND_TIMEOUT_MS / 1000} seconds`;
      end.signal.addEventListener('abort', () => resolve({ kind: 'retry', reason }));
    });
    const delivered = deliver(mail, end.signal).catch((error: unknown): MailOutcome => {
      if (!end.signal.aborted) log.error({ err: error }, 'sending an email failed unexpectedly');
      return { kind: 'retry', reason: 'the email could not be sent' };
    });
    const outcome = await Promise.race([delivered, timedOut]);
    timer.cancel();
    inProgress.delete(end);
    return outcome;
  };
  return {
    async send(mail, mailClass = 'alerts') {
      const refusal = mailRefusal(mail);
      if (refusal !== null) return { kind: 'bounced', reason: refusal };
      const { maxConcurrent, maxWaiting } = CLASS_LIMITS[mailClass];
      const { size, pending } = queues[mailClass];
      if (size + pending >= maxConcurrent + maxWaiting) return busy('too many emails at once');
      const outcome = await queues[mailClass].add(() => sendOne(mail));
      return outcome.kind === 'busy' ? busy(outcome.reason) : outcome;
    },
    async close() {
      isClosed = true;
      for (const send of inProgress) send.abort();
    },
  };
}
