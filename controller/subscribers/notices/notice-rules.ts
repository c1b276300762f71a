import { spreadMs } from '../../../shared/backoff.ts';
import { derivedId } from '../../../shared/ids.ts';
import type { PostDoc } from '../../status-pages/posts/post.ts';
import type { NoticeDoc, OutgoingDoc } from '../notice.ts';
import type { Frequency, SubscriberDoc, Topic } from '../subscriber.ts';

const HOUR_MS = 3_600_000;
const PERIODS_MS: Record<Exclude<Frequency, 'immediate'>, number> = { hourly: HOUR_MS, daily: 24 * HOUR_MS };

/** Notices of a post's messages that subscribers have not received yet. */
export function noticesOf(post: PostDoc): NoticeDoc[] {
  const { _id: id, organization_id, project_id, page_id, title, severity, updates } = post;
  const { notified_count: notifiedCount } = post;
  const status = updates.length === 0 ? post.status : 'investigating' as const;
  const topics: Topic[] = severity === 'critical' ? ['critical_incidents', 'all_incidents'] : ['all_incidents'];
  const steps = [{ status, message: post.message, created_at: post.published_at }, ...updates];
  return steps.slice(notifiedCount).map(({ status, message, created_at }, at) => ({
    _id: derivedId('notice of a post', id, notifiedCount + at), organization_id, project_id, page_id, kind: 'incident',
    topics, thread: id, is_first: notifiedCount + at === 0, title, text: message,
    post: { id, status, severity },
    created_at, cursor: '', due_at: created_at,
  }));
}

/** When the digest with an event at `at` is sent: at the end of its hour or day, in UTC. */
export function digestAt(frequency: Exclude<Frequency, 'immediate'>, at: number): number {
  const period = PERIODS_MS[frequency];
  return (Math.floor(at / period) + 1) * period;
}

export function digestAfter(frequency: Exclude<Frequency, 'immediate'>, dueAt: number): number {
  return dueAt + PERIODS_MS[frequency];
}

/** A subscriber's digest that is sent at `dueAt`. */
export function digestOf(
  { _id, organization_id, page_id }: SubscriberDoc, dueAt: number, now: number,
): OutgoingDoc {
  return {
    _id: derivedId('digest', _id, dueAt), organization_id, page_id, subscriber_id: _id, channel: 'digest',
    notice_ids: [], state: 'pending', due_at: dueAt, attempts: 0, created_at: now,
  };
}

/** The immediate mail and webhook request of a notice for one subscriber. */
export function immediateOf(
  { _id: noticeId, kind }: NoticeDoc, subscriber: SubscriberDoc, now: number,
): OutgoingDoc[] {
  const { _id, organization_id, page_id, webhook_url, preferences } = subscriber;
  const isMailedNow = kind === 'message' || preferences.frequency === 'immediate';
  const channels = [
    ...(isMailedNow ? ['email'] as const : []), ...(webhook_url === null ? [] : ['webhook'] as const),
  ];
  return channels.map((channel) => ({
    _id: derivedId('notice', noticeId, _id, channel), organization_id, page_id, subscriber_id: _id, channel,
    notice_ids: [noticeId], state: 'pending', due_at: now, attempts: 0, created_at: now,
  }));
}

const RETRY_AFTER_MS = [30_000, 120_000, 600_000, 3_600_000, 4 * HOUR_MS];
const JITTER = 0.2;
/** Retry delay while the relay is busy, which doesn't count as an attempt. */
const BUSY_MS = 5000;
/** Older notices are outdated; a daily digest waits for a day before its first attempt. */
const MAX_WAIT_MS = 48 * HOUR_MS;

/** `dropped`: the subscriber or the page was deleted. `dead`: a retry can't help. */
export type SendOutcome = 'sent' | 'dropped' | 'dead' | 'retry' | 'busy';

/** The fields that an attempt changes. `attempts` already includes it; `random` is in [0, 1). */
export function afterSending(
  { attempts, created_at }: OutgoingDoc, outcome: SendOutcome,
  { now, random }: { now: number; random: number },
): Pick<OutgoingDoc, 'state' | 'attempts' | 'due_at'> {
  if (outcome === 'sent' || outcome === 'dropped') return { state: outcome, attempts };
  const isBusy = outcome === 'busy';
  const waitMs = isBusy ? BUSY_MS : RETRY_AFTER_MS[attempts - 1];
  const isFinal = outcome === 'dead' || waitMs === undefined || now - created_at > MAX_WAIT_MS + waitMs;
  if (isFinal) return { state: 'failed', attempts };
  const due_at = now + Math.round(spreadMs(waitMs, JITTER, random));
  return { state: 'pending', attempts: isBusy ? attempts - 1 : attempts, due_at };
}
