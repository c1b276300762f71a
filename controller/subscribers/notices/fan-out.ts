import type { NoticeDoc } from '../notice.ts';
import type { SubscriberStore } from '../store.ts';
import type { SubscriberDoc } from '../subscriber.ts';
import { digestAfter, digestAt, digestOf, immediateOf } from './notice-rules.ts';
import type { NoticeStore } from './notice-store.ts';
import type { OutboxStore } from './outbox-store.ts';

export interface FanOutDeps {
  subscribers: Pick<SubscriberStore, 'listRecipients' | 'verifiedAmong'>;
  notices: Pick<NoticeStore, 'advance' | 'finish'>;
  outbox: Pick<OutboxStore, 'add' | 'addToDigest'>;
}

/** Recipients per batch; then notices of other pages have their turn. */
const RECIPIENT_BATCH_SIZE = 200;
/** Digests updated concurrently. */
const DIGEST_CONCURRENCY = 8;

/** Adds a claimed notice to the outbox for its next recipients. Safe to repeat after a crash. */
export async function fanOutNotice(deps: FanOutDeps, notice: NoticeDoc, now: number): Promise<void> {
  const { recipients, cursor } = await nextOf(deps, notice);
  await deps.outbox.add(recipients.flatMap((subscriber) => immediateOf(notice, subscriber, now)));
  const digested = notice.kind === 'message' ? [] : recipients;
  for (let at = 0; at < digested.length; at += DIGEST_CONCURRENCY) {
    const batch = digested.slice(at, at + DIGEST_CONCURRENCY);
    await Promise.all(batch.map((subscriber) => addToDigest(deps, notice, subscriber, now)));
  }
  // After the outbox: recipients before the cursor must already be in it.
  if (cursor === null) await deps.notices.finish(notice);
  else await deps.notices.advance(notice, cursor, now);
}

/** The next recipients, and the cursor after them; null if no more follow. */
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
  // A digest that is being sent accepts no more notices, so the next one is tried.
  while (!(await outbox.addToDigest(digestOf(subscriber, dueAt, now), _id))) {
    dueAt = digestAfter(frequency, dueAt);
  }
}
