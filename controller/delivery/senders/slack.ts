import type { DestinationDoc } from '../../destinations/destination.ts';
import type { PostOutcome } from '../../platform/outbound/poster-port.ts';
import { alertContent } from '../content/alert-content.ts';
import { slackMessage } from '../content/slack-message.ts';
import type { AlertDetails, Verdict } from '../delivery.ts';
import type { SendDeps } from './send-alert.ts';
import { ANSWER_TIMEOUT_MS, USER_AGENT, webhookVerdict } from './webhook.ts';

type Slack = Extract<DestinationDoc, { type: 'slack' }>;

/** Posts the alert to a Slack incoming webhook. */
export async function postToSlack(
  { poster, baseUrl }: SendDeps, { organization_id: caller, config }: Slack, alert: AlertDetails,
  signal: AbortSignal,
): Promise<Verdict> {
  const outcome = await poster.post({
    caller, url: config.webhook_url, method: 'POST', timeoutMs: ANSWER_TIMEOUT_MS, signal,
    headers: { 'Content-Type': 'application/json', 'User-Agent': USER_AGENT },
    body: Buffer.from(JSON.stringify(slackMessage(alertContent(alert, baseUrl())))),
  });
  return slackVerdict(outcome);
}

/** As for webhooks, except that Slack answers 429 to ask for a retry after a delay that it names. */
export function slackVerdict(outcome: PostOutcome): Verdict {
  if (outcome.kind !== 'answered' || outcome.status !== 429) return webhookVerdict(outcome);
  const { status, durationMs, retryAfterMs } = outcome;
  return { kind: 'retry', reason: 'Slack responded with status 429', status, durationMs, notWithinMs: retryAfterMs ?? 0 };
}
