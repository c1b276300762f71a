import type { Clock } from '../../../shared/time.ts';
import type { WebhookConfig } from '../../destinations/destination.ts';
import { isReservedHeader } from '../../destinations/webhook-rules.ts';
import type { Poster, PostOutcome } from '../../platform/outbound/poster-port.ts';
import type { AlertSnapshot, Verdict } from '../delivery.ts';
import { webhookPayload } from '../content/webhook-payload.ts';
import type { SendContext, Sender, TargetFields, TargetReader } from '../ports.ts';
import { signatureOf } from '../signature.ts';

/** The receiver must answer within this time (HTTP API, "Delivery behaviour"). */
export const ANSWER_TIMEOUT_MS = 10_000;

/** Posts the payload, signed with the secret that the destination has at this try. */
export class WebhookSender implements Sender<'webhook'> {
  readonly #poster: Poster;
  readonly #targets: Pick<TargetReader, 'secret'>;
  readonly #clock: Clock;
  readonly #baseUrl: () => string;

  constructor(deps: { poster: Poster; targets: Pick<TargetReader, 'secret'>; clock: Clock; baseUrl(): string }) {
    this.#poster = deps.poster;
    this.#targets = deps.targets;
    this.#clock = deps.clock;
    this.#baseUrl = deps.baseUrl;
  }

  async send(target: TargetFields & { config: WebhookConfig }, alert: AlertSnapshot, context: SendContext): Promise<Verdict> {
    const secret = target.secret ?? (await this.#targets.secret(target.id));
    if (secret === null) return { kind: 'dead', reason: 'the integration was deleted', status: null, durationMs: null };
    const timestamp = this.#clock.now();
    const body = Buffer.from(JSON.stringify(webhookPayload(alert, timestamp, this.#baseUrl())), 'utf8');
    const headers: Record<string, string> = {};
    for (const { name, value } of target.config.headers) if (!isReservedHeader(name)) headers[name] = value;
    Object.assign(headers, {
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhook/1.0',
      'X-Service-Event': alert.event,
      'X-Service-Delivery': context.attemptId,
      'X-Service-Timestamp': String(timestamp),
      'X-Service-Signature': signatureOf(secret, timestamp, body),
    });
    const { url, method } = target.config;
    return webhookVerdict(await this.#poster.post({ url, method, headers, body, timeoutMs: ANSWER_TIMEOUT_MS, signal: context.signal }));
  }
}

/** 2xx is sent; a 5xx and no answer are worth a retry; a 4xx, a redirect or a forbidden address is for its owner to put right. */
export function webhookVerdict(outcome: PostOutcome): Verdict {
  if (outcome.kind === 'busy') return outcome;
  if (outcome.kind === 'refused') return { kind: 'dead', reason: `not sent: ${outcome.reason}`, status: null, durationMs: null };
  const { durationMs } = outcome;
  if (outcome.kind === 'failed') return { kind: 'retry', reason: outcome.reason, status: null, durationMs };
  const { status } = outcome;
  if (status >= 200 && status < 300) return { kind: 'sent', status, durationMs };
  if (status >= 500) return { kind: 'retry', reason: `the receiver answered ${status}`, status, durationMs };
  const reason = status >= 300 && status < 400 ? `the receiver answered ${status}: redirects are not followed` : `the receiver answered ${status}`;
  return { kind: 'dead', reason, status, durationMs };
}
