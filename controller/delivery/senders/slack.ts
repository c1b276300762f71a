import type { SlackConfig } from '../../destinations/destination.ts';
import type { Poster, PostOutcome } from '../../platform/outbound/poster-port.ts';
import { alertContent } from '../content/alert-content.ts';
import type { AlertSnapshot, Verdict } from '../delivery.ts';
import type { SendContext, Sender, TargetFields } from '../ports.ts';
import { slackMessage } from '../content/slack-message.ts';
import { ANSWER_TIMEOUT_MS, webhookVerdict } from './webhook.ts';

/** Posts the alert to an incoming webhook of Slack. */
export class SlackSender implements Sender<'slack'> {
  readonly #poster: Poster;
  readonly #baseUrl: () => string;

  constructor(deps: { poster: Poster; baseUrl(): string }) {
    this.#poster = deps.poster;
    this.#baseUrl = deps.baseUrl;
  }

  async send(target: TargetFields & { config: SlackConfig }, alert: AlertSnapshot, { signal }: SendContext): Promise<Verdict> {
    const body = Buffer.from(JSON.stringify(slackMessage(alertContent(alert, this.#baseUrl()))), 'utf8');
    const headers = { 'Content-Type': 'application/json', 'User-Agent': 'Service-Webhook/1.0' };
    return slackVerdict(await this.#poster.post({ url: target.config.webhook_url, method: 'POST', headers, body, timeoutMs: ANSWER_TIMEOUT_MS, signal }));
  }
}

/** As for webhooks, but Slack means 429 as "later", and says how much later. */
export function slackVerdict(outcome: PostOutcome): Verdict {
  if (outcome.kind !== 'answered' || outcome.status !== 429) return webhookVerdict(outcome);
  return { kind: 'retry', reason: 'Slack answered 429', status: 429, durationMs: outcome.durationMs, notWithinMs: outcome.retryAfterMs ?? 0 };
}
