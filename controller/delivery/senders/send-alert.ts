import type { Clock } from '../../../shared/time.ts';
import type { AcknowledgeTokens, RecipientTokens } from '../../access/link-tokens.ts';
import {
  classify, classifyStrictly, type Channel, type ChannelResponse, type ResponseClass,
} from '../../destinations/channels/channel.ts';
import type { AlertDetails } from '../../destinations/channels/alert.ts';
import { alertContent } from '../../destinations/channels/alert-content.ts';
import { requestChannel } from '../../destinations/channels/registry.ts';
import { newSigningSecret, type DestinationDoc } from '../../destinations/destination.ts';
import type { Mail, MailClass, Mailer } from '../../platform/mail/mailer-port.ts';
import type { Poster, PostOutcome } from '../../platform/outbound/poster-port.ts';
import { alertMail, mailedContent } from '../content/alert-mail.ts';
import { digestMail } from '../content/digest-mail.ts';
import type { SendOutcome } from '../delivery.ts';
import type { DestinationReader } from '../ports.ts';

export interface SendDeps {
  poster: Poster;
  mailer: Pick<Mailer, 'send'>;
  destinations: Pick<DestinationReader, 'ensureSecret'>;
  clock: Clock;
  /** Public URL of the API, without a trailing slash. Prefix of links in messages. */
  baseUrl(): string;
  recipientTokens: Pick<RecipientTokens, 'link'>;
  acknowledgeTokens: Pick<AcknowledgeTokens, 'link'>;
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

/** The receiver must respond within this time (HTTP API, "Delivery behaviour"). */
export const RESPONSE_TIMEOUT_MS = 10_000;
export const USER_AGENT = 'Service-Webhook/1.0';
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
  const frame = { to, thread, stopLink: stopLink(deps, organizationId, to) };
  return sendMail(deps, digestMail(frame, alerts, deps.baseUrl()), 'alerts');
}

/** Mails about the same incident form one thread. */
function mailAlert(
  deps: SendDeps, organizationId: string, alert: AlertDetails, { recipient, isTest = false }: SendContext,
): Promise<SendOutcome> {
  const thread = alert.incident?.id ?? alert.id;
  const content = mailedContent(alert, deps.baseUrl());
  const shown = isTest ? { ...content, subject: TEST_SUBJECT } : content;
  const frame = { to: recipient, thread, stopLink: stopLink(deps, organizationId, recipient) };
  return sendMail(deps, alertMail(frame, shown), isTest ? 'tests' : 'alerts');
}

function stopLink({ baseUrl, recipientTokens }: SendDeps, organizationId: string, address: string): string {
  return recipientTokens.link(baseUrl(), { organizationId, address });
}

async function sendMail({ mailer, clock }: SendDeps, mail: Mail, mailClass: MailClass): Promise<SendOutcome> {
  const startedAt = clock.monotonic();
  const outcome = await mailer.send(mail, mailClass);
  const details = { status: null, durationMs: clock.monotonic() - startedAt };
  if (outcome.kind === 'busy') return { kind: 'deferred', reason: outcome.reason, ...details };
  return { ...details, ...outcome };
}

/** Makes the request of the destination's channel, with one attempt. */
async function postAlert(
  deps: SendDeps, channel: Channel<object>, destination: DestinationDoc, alert: AlertDetails,
  context: SendContext,
): Promise<SendOutcome> {
  const { poster, destinations, clock, baseUrl } = deps;
  const { _id: id, config, organization_id: caller } = destination;
  const secret = channel.isSigned === true
    ? destination.secret ?? (await destinations.ensureSecret(id, newSigningSecret())) : '';
  if (secret === null) return unsent('the integration was deleted');
  const { deliveryId, attemptId, recipient, signal } = context;
  const { url, method = 'POST', headers, body } = channel.render({
    config, alert, content: alertContent(alert, baseUrl()), baseUrl: baseUrl(), recipient, deliveryId,
    attemptId, secret, now: clock.now(),
  });
  const outcome = await poster.post({
    caller, url, method, headers: { 'User-Agent': USER_AGENT, ...headers }, body: Buffer.from(body),
    timeoutMs: RESPONSE_TIMEOUT_MS, signal,
  });
  return sendOutcome(outcome, channel.classify ?? classify);
}

/** The outcome of a webhook, whose contract ends on any 4xx. */
export function webhookSendOutcome(outcome: PostOutcome): SendOutcome {
  return sendOutcome(outcome, classifyStrictly);
}

/** Retries if there was no response. A forbidden address needs its owner. */
export function sendOutcome(
  outcome: PostOutcome, classified: (response: ChannelResponse) => ResponseClass,
): SendOutcome {
  if (outcome.kind === 'busy') return outcome;
  if (outcome.kind === 'refused') return unsent(`not sent: ${outcome.reason}`);
  const { durationMs } = outcome;
  if (outcome.kind === 'failed') return { kind: 'retry', reason: outcome.reason, status: null, durationMs };
  return { status: outcome.status, durationMs, ...classified(outcome) };
}

function unsent(reason: string): SendOutcome {
  return { kind: 'dead', reason, status: null, durationMs: null };
}
