import type { Clock } from '../../../shared/time.ts';
import { retryWhileClaimed } from '../../delivery/attempt-steps.ts';
import { RESPONSE_TIMEOUT_MS, USER_AGENT, webhookSendOutcome } from '../../delivery/senders/send-alert.ts';
import type { Mailer } from '../../platform/mail/mailer-port.ts';
import type { Poster } from '../../platform/outbound/poster-port.ts';
import type { PageDeps } from '../../status-pages/deps.ts';
import type { DueWork } from '../../work/claimed-work.ts';
import type { NoticeDoc, OutgoingDoc } from '../notice.ts';
import type { SubscriberStore } from '../store.ts';
import type { SubscriberLinks } from '../subscriber-links.ts';
import { digestMail, noticeMail, noticePayload, type Recipient } from './notice-content.ts';
import { afterSending, type SendOutcome } from './notice-rules.ts';
import type { NoticeStore } from './notice-store.ts';
import type { OutboxStore } from './outbox-store.ts';

export interface SendDeps extends Pick<PageDeps, 'pages'> {
  subscribers: Pick<SubscriberStore, 'find'>;
  notices: Pick<NoticeStore, 'findMany'>;
  outbox: Pick<OutboxStore, 'settle'>;
  mailer: Pick<Mailer, 'send'>;
  poster: Poster;
  links: SubscriberLinks;
  sending: DueWork<OutgoingDoc>;
  clock: Clock;
  /** In [0, 1). */
  random(): number;
}

/**
 * Attempts one message: claims it, sends it, records the outcome; null if another controller has it. After a
 * crash between sending and recording, the claim expires and the message is sent again.
 */
export function sendOne(
  deps: SendDeps, seen: OutgoingDoc, signal: AbortSignal,
): Promise<SendOutcome | null> {
  const { outbox, sending, clock, random } = deps;
  const startedAt = clock.monotonic();
  const elapsedMs = () => clock.monotonic() - startedAt;
  return sending.run(seen, async (claimed) => {
    const outcome = await attempt(deps, claimed, signal);
    const settled = afterSending(claimed, outcome, { now: clock.now(), random: random() });
    await retryWhileClaimed(clock, { elapsedMs }, signal, () => outbox.settle(claimed, settled));
    return outcome;
  });
}

async function attempt(deps: SendDeps, outgoing: OutgoingDoc, signal: AbortSignal): Promise<SendOutcome> {
  const { pages, subscribers, notices, mailer, links } = deps;
  const { subscriber_id, page_id, organization_id, channel } = outgoing;
  const subscriber = await subscribers.find(subscriber_id);
  if (subscriber?.state !== 'verified') return 'dropped';
  const page = await pages.findOfOrganization(organization_id, page_id);
  const found = await notices.findMany(outgoing.notice_ids);
  const included = found.sort((one, other) => one.created_at - other.created_at);
  const [first] = included;
  if (page === null || first === undefined) return 'dropped';
  const to = { subscriber, page, links };
  if (channel === 'webhook') return post(deps, to, first, signal);
  const mail = channel === 'digest' ? digestMail(to, outgoing, included) : noticeMail(to, outgoing, first);
  const { kind } = await mailer.send(mail, 'subscribers');
  return kind === 'bounced' ? 'dead' : kind;
}

async function post(
  { poster }: SendDeps, to: Recipient, notice: NoticeDoc, signal: AbortSignal,
): Promise<SendOutcome> {
  const { webhook_url: url } = to.subscriber;
  if (url === null) return 'dropped';
  const { kind } = webhookSendOutcome(await poster.post({
    caller: `subscribers:${to.page.organization_id}`,
    url, method: 'POST', timeoutMs: RESPONSE_TIMEOUT_MS, signal,
    headers: { 'Content-Type': 'application/json', 'User-Agent': USER_AGENT },
    body: Buffer.from(JSON.stringify(noticePayload(to, notice))),
  }));
  return kind === 'bounced' ? 'dead' : kind === 'deferred' ? 'busy' : kind;
}
