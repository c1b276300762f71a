import { createHmac } from 'node:crypto';
import { newSigningSecret, type DestinationDoc } from '../../destinations/destination.ts';
import { isReservedHeader } from '../../destinations/webhook-rules.ts';
import type { PostOutcome } from '../../platform/outbound/poster-port.ts';
import type { AlertDetails, SendOutcome } from '../delivery.ts';
import type { SendContext, SendDeps } from './send-alert.ts';
import { alertContent, plainText, redactedTarget } from '../content/alert-content.ts';

/** The receiver must respond within this time (HTTP API, "Delivery behaviour"). */
export const RESPONSE_TIMEOUT_MS = 10_000;
export const USER_AGENT = 'Service-Webhook/1.0';

type Webhook = Extract<DestinationDoc, { type: 'webhook' }>;

/** Posts the payload, signed with the destination's current secret. */
export async function postToWebhook(
  deps: SendDeps, webhook: Webhook, alert: AlertDetails, { attemptId, signal }: SendContext,
): Promise<SendOutcome> {
  const { poster, destinations, clock, baseUrl } = deps;
  const secret = webhook.secret ?? (await destinations.ensureSecret(webhook._id, newSigningSecret()));
  if (secret === null) return unsent('the integration was deleted');
  const timestamp = clock.now();
  const body = Buffer.from(JSON.stringify(webhookPayload(alert, timestamp, baseUrl())));
  const { url, method } = webhook.config;
  const custom = webhook.config.headers.filter(({ name }) => !isReservedHeader(name));
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-Service-Event': alert.event,
    'X-Service-Delivery': attemptId,
    'X-Service-Timestamp': String(timestamp),
    'X-Service-Signature': signatureOf(secret, timestamp, body),
    ...Object.fromEntries(custom.map(({ name, value }) => [name, value])),
  };
  const timeoutMs = RESPONSE_TIMEOUT_MS;
  return webhookSendOutcome(await poster.post({
    caller: webhook.organization_id, url, method, headers, body, timeoutMs, signal,
  }));
}

/** `X-Service-Signature`: HMAC-SHA256 with the secret over the timestamp, a period and the body. */
export function signatureOf(secret: string, timestamp: number, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}

/** Retries a 5xx and a missing response. Only the owner can fix a 4xx, a redirect or a private address. */
export function webhookSendOutcome(outcome: PostOutcome): SendOutcome {
  if (outcome.kind === 'busy') return outcome;
  if (outcome.kind === 'refused') return unsent(`not sent: ${outcome.reason}`);
  const { durationMs } = outcome;
  if (outcome.kind === 'failed') return { kind: 'retry', reason: outcome.reason, status: null, durationMs };
  const { status } = outcome;
  if (status >= 200 && status < 300) return { kind: 'sent', status, durationMs };
  const hint = status >= 300 && status < 400 ? ': redirects are not followed' : '';
  const reason = `the receiver responded with status ${status}${hint}`;
  return { kind: status >= 500 ? 'retry' : 'dead', reason, status, durationMs };
}

function unsent(reason: string): SendOutcome {
  return { kind: 'dead', reason, status: null, durationMs: null };
}

/**
 * Body of a webhook, version 1. Instants are Unix ms; `timestamp` is the time of the attempt. For alerts
 * about a probe, `monitor` is null and `probe` is present.
 */
export function webhookPayload(alert: AlertDetails, timestamp: number, baseUrl: string) {
  const { event, incident, probe, regions } = alert;
  const content = alertContent(alert, baseUrl);
  const { subject } = content;
  return {
    version: '1', event, timestamp, monitor: alert.monitor && viewMonitor(alert.monitor), incident, subject,
    message: plainText(content),
    ...(probe ? { probe: { ...probe, region: regions[0]?.id } } : {}),
  };
}

function viewMonitor(monitor: NonNullable<AlertDetails['monitor']>) {
  const { id, name, type, runbook_url = null } = monitor;
  return { id, name, url: redactedTarget(monitor), type, runbook_url };
}
