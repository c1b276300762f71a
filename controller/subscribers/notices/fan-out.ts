import type { WorkClaims } from '../../../shared/work-claims.ts';
import type { NoticeDoc } from './notice.ts';
import { digestAfter, digestAt, digestOf, immediateOf } from './notice-rules.ts';
import type { NoticeStore } from './notice-store.ts';
import type { OutboxStore } from './outbox-store.ts';
import type { SubscriberDoc } from '../subscriber.ts';
import type { SubscriberStore } from '../store.ts';

export interface FanOutDeps {
  subscribers: Pick<SubscriberStore, 'listRecipients' | 'verifiedAmong'>;
  notices: Pick<NoticeStore, 'claim' | 'advance' | 'finish'>;
  outbox: Pick<OutboxStore, 'add' | 'addToDigest'>;
  workClaims: WorkClaims;
}

/** Subscribers at a time: then notices of other pages have their turn. */
const RECIPIENT_BATCH_SIZE = 200;
/** Digests that are added to at the same time. */
const DIGEST_CONCURRENCY = 8;

/**
 * Puts a notice into the outbox for its next subscribers, unless somebody else does. May be repeated, also
 * after a crash half-way.
 */
export async function fanOutNotice(deps: FanOutDeps, seen: NoticeDoc, now: number): Promise<void> {
  const { notices, workClaims } = deps;
  await workClaims.runClaimed((claim) => notices.claim(seen, claim), (notice) => fanOut(deps, notice, now));
}

async function fanOut(deps: FanOutDeps, notice: NoticeDoc, now: number): Promise<void> {
  const { recipients, cursor } = await nextOf(deps, notice);
  await deps.outbox.add(recipients.flatMap((subscriber) => immediateOf(notice, subscriber, now)));
  const digested = notice.kind === 'message' ? [] : recipients;
  for (let at = 0; at < digested.length; at += DIGEST_CONCURRENCY) {
    const batch = digested.slice(at, at + DIGEST_CONCURRENCY);
    await Promise.all(batch.map((subscriber) => addToDigest(deps, notice, subscriber, now)));
  }
  // After the outbox: who is skipped by the cursor must be in it.
  if (cursor === null) await deps.notices.finish(notice);
  else await deps.notices.advance(notice, cursor, now);
}

/** The next subscribers, and the last one of them if there may be more. */
async function nextOf({ subscribers }: FanOutDeps, notice: NoticeDoc) {
  const { page_id, topics, cursor, subscriber_ids: named } = notice;
  if (named === undefined) {
    const recipients = await subscribers.listRecipients(page_id, topics, cursor, RECIPIENT_BATCH_SIZE);
    const isLast = recipients.length < RECIPIENT_BATCH_SIZE;
    return { recipients, cursor: isLast ? null : (recipients.at(-1)?._id ?? null) };
  }
  const ids = named.filter((id) => id > cursor).slice(0, RECIPIENT_BATCH_SIZE);
  const recipients = await subscribers.verifiedAmong(page_id, ids);
  return { recipients, cursor: ids.length < RECIPIENT_BATCH_SIZE ? null : (ids.at(-1) ?? null) };
}

async function addToDigest(
  { outbox }: FanOutDeps, { _id, created_at }: NoticeDoc, subscriber: SubscriberDoc, now: number,
): Promise<void> {
  const { frequency } = subscriber.preferences;
  if (frequency === 'immediate') return;
  let dueAt = digestAt(frequency, created_at);
  // One that is on its way takes no more.
  while (!(await outbox.addToDigest(digestOf(subscriber, dueAt, now), _id))) {
    dueAt = digestAfter(frequency, dueAt);
  }
}
