import type { Clock } from '../../../shared/time.ts';
import type { DestinationDoc } from '../../destinations/destination.ts';
import type { Mail, MailClass, Mailer } from '../../platform/mail/mailer-port.ts';
import type { Poster } from '../../platform/outbound/poster-port.ts';
import { alertMail, mailedContent } from '../content/alert-mail.ts';
import { digestMail } from '../content/digest-mail.ts';
import type { AlertDetails, SendOutcome } from '../delivery.ts';
import type { DestinationReader } from '../ports.ts';
import { postToSlack } from './slack.ts';
import { postToWebhook } from './webhook.ts';

export interface SendDeps {
  poster: Poster;
  mailer: Pick<Mailer, 'send'>;
  destinations: Pick<DestinationReader, 'ensureSecret'>;
  clock: Clock;
  /** Where the API answers, without a trailing slash; links in messages begin with it. */
  baseUrl(): string;
  /** The page on which the owner of an address stops the alert mails of an organization. */
  stopLink(organizationId: string, address: string): string;
}

export interface SendContext {
  /** Different for each attempt at a delivery. */
  attemptId: string;
  /** Of the destination's recipients the one to send to. */
  recipient: string;
  signal: AbortSignal;
  isTest?: boolean;
}

/** Without anything that a tenant has written: strangers must not receive its text as our subject. */
const TEST_SUBJECT = '[TEST] Test alert from Farwatch: nothing is wrong';

/** One attempt to send an alert to one recipient of a destination. Never rejects because of the receiver. */
export function sendAlert(
  deps: SendDeps, destination: DestinationDoc, alert: AlertDetails, context: SendContext,
): Promise<SendOutcome> {
  switch (destination.type) {
    case 'webhook': return postToWebhook(deps, destination, alert, context);
    case 'email': return mailAlert(deps, destination.organization_id, alert, context);
    case 'slack': return postToSlack(deps, destination, alert, context.signal);
  }
}

/** Alerts that one mail tells. */
export interface Digest {
  digestId: string;
  organizationId: string;
  recipient: string;
  /** Oldest first. */
  alerts: AlertDetails[];
}

/** One attempt to send a digest. Never rejects because of the receiver. */
export function sendDigest(deps: SendDeps, digest: Digest): Promise<SendOutcome> {
  const { digestId: thread, organizationId, recipient: to, alerts } = digest;
  const frame = { to, thread, stopLink: deps.stopLink(organizationId, to) };
  return sendMail(deps, digestMail(frame, alerts, deps.baseUrl()), 'alerts');
}

/** The mails about an incident form one thread. */
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
