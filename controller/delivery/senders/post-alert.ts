import {
  classify, classifyStrictly, type Channel, type ChannelResponse, type ResponseClass,
} from '../../destinations/channels/channel.ts';
import type { AlertDetails } from '../../destinations/channels/alert.ts';
import { alertContent } from '../../destinations/channels/alert-content.ts';
import { newSigningSecret, type DestinationDoc } from '../../destinations/destination.ts';
import type { PostOutcome } from '../../platform/outbound/poster-port.ts';
import type { SendOutcome } from '../delivery.ts';
import type { SendContext, SendDeps } from './send-alert.ts';

/** The receiver must respond within this time (HTTP API, "Delivery behaviour"). */
export const RESPONSE_TIMEOUT_MS = 10_000;
export const USER_AGENT = 'Service-Webhook/1.0';

/** Makes the request of the destination's channel, with one attempt. */
export async function postAlert(
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
