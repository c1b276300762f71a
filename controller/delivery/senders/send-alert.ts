import type { Clock } from '../../../shared/time.ts';
import type { AlertDetails } from '../../destinations/channels/alert.ts';
import { requestChannel } from '../../destinations/channels/registry.ts';
import type { DestinationDoc } from '../../destinations/destination.ts';
import type { Mail, MailClass, Mailer } from '../../platform/mail/mailer-port.ts';
import type { Poster } from '../../platform/outbound/poster-port.ts';
import { alertMail, mailedContent } from '../content/alert-mail.ts';
import { digestMail } from '../content/digest-mail.ts';
import type { SendOutcome } from '../delivery.ts';
import type { DestinationReader } from '../ports.ts';
import { postAlert } from './post-alert.ts';

export interface SendDeps {
  poster: Poster;
  mailer: Pick<Mailer, 'send'>;
  destinations: Pick<DestinationReader, 'ensureSecret'>;
  clock: Clock;
  /** Public URL of the API, without a trailing slash. Prefix of links in messages. */
  baseUrl(): string;
  /** The page on which the recipient stops the organization's alert mails. */
  stopLink(organizationId: string, address: string): string;
  /** The page on which a recipient of an alert acknowledges its incident. */
  acknowledgeLink(to: { incidentId: string; destinationId: string; recipient: string }): string;
}

export interface SendContext {
  /** Unique for each attempt. */
  attemptId: string;
  /** The same for every attempt. */
  deliveryId: string;
  /** One of the destination's recipients. */
  recipient: string;
  signal: AbortSignal;
  isTest?: boolean;
}

/** Contains no text from the tenant, so that test mails cannot be used as spam. */
const TEST_SUBJECT = '[TEST] Test alert from Farwatch: nothing is wrong';

/** Makes one attempt to send an alert to one recipient. A failure of the receiver resolves as an outcome. */
export function sendAlert(
  deps: SendDeps, destination: DestinationDoc, alert: AlertDetails, context: SendContext,
): Promise<SendOutcome> {
  if (destination.type === 'email') return mailAlert(deps, destination.organization_id, alert, context);
  return postAlert(deps, requestChannel(destination.type), destination, alert, context);
}

/** Alerts to send in one mail. */
export interface Digest {
  digestId: string;
  organizationId: string;
  recipient: string;
  /** Oldest first. */
  alerts: AlertDetails[];
}

/** Makes one attempt to send a digest. A failure of the receiver resolves as an outcome. */
export function sendDigest(deps: SendDeps, digest: Digest): Promise<SendOutcome> {
  const { digestId: thread, organizationId, recipient: to, alerts } = digest;
  const frame = { to, thread, stopLink: deps.stopLink(organizationId, to) };
  return sendMail(deps, digestMail(frame, alerts, deps.baseUrl()), 'alerts');
}

/** Mails about the same incident form one thread. */
function mailAlert(
  deps: SendDeps, organizationId: string, alert: AlertDetails, { recipient, isTest = false }: SendContext,
): Promise<SendOutcome> {
  const thread = alert.incident?.id ?? alert.id;
  const content = mailedContent(alert, deps.baseUrl());
  const shown = isTest ? { ...content, subject: TEST_SUBJECT } : content;
  const frame = { to: recipient, thread, stopLink: deps.stopLink(organizationId, recipient) };
  return sendMail(deps, alertMail(frame, shown), isTest ? 'tests' : 'alerts');
}

async function sendMail({ mailer, clock }: SendDeps, mail: Mail, mailClass: MailClass): Promise<SendOutcome> {
  const startedAt = clock.monotonic();
  const outcome = await mailer.send(mail, mailClass);
  const details = { status: null, durationMs: clock.monotonic() - startedAt };
  if (outcome.kind === 'busy') return { kind: 'deferred', reason: outcome.reason, ...details };
  return { ...details, ...outcome };
}
