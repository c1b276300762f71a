import type { DestinationDoc } from '../../destinations/destination.ts';
import type { PostOutcome } from '../../platform/outbound/poster-port.ts';
import { alertContent } from '../content/alert-content.ts';
import { slackMessage } from '../content/slack-message.ts';
import type { AlertDetails, SendOutcome } from '../delivery.ts';
import type { SendDeps } from './send-alert.ts';
import { RESPONSE_TIMEOUT_MS, USER_AGENT, webhookSendOutcome } from './webhook.ts';

type Slack = Extract<DestinationDoc, { type: 'slack' }>;

export async function postToSlack(
  { poster, baseUrl }: SendDeps, { organization_id: caller, config }: Slack, alert: AlertDetails,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const outcome = await poster.post({
    caller, url: config.webhook_url, method: 'POST', timeoutMs: RESPONSE_TIMEOUT_MS, signal,
    headers: { 'Content-Type': 'application/json', 'User-Agent': USER_AGENT },
    body: Buffer.from(JSON.stringify(slackMessage(alertContent(alert, baseUrl())))),
  });
  return slackSendOutcome(outcome);
}

/** Like `webhookSendOutcome`, but retries a 429: Slack uses it to ask for a later retry. */
export function slackSendOutcome(outcome: PostOutcome): SendOutcome {
  if (outcome.kind !== 'responded' || outcome.status !== 429) return webhookSendOutcome(outcome);
  const { status, durationMs, retryAfterMs } = outcome;
  const reason = 'Slack responded with status 429';
  return { kind: 'retry', reason, status, durationMs, retryAfterMs: retryAfterMs ?? 0 };
}
