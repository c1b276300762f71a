import type { Claims } from '../../../shared/claims.ts';
import type { NoticeDoc } from './notice.ts';
import { digestAfter, digestAt, digestOf, immediateOf } from './notice-rules.ts';
import type { NoticeStore } from './notice-store.ts';
import type { OutboxStore } from './outbox-store.ts';
import type { SubscriberDoc } from '../subscriber.ts';
import type { SubscriberStore } from '../store.ts';

export interface TellDeps {
  subscribers: Pick<SubscriberStore, 'toTell' | 'verifiedAmong'>;
  notices: Pick<NoticeStore, 'claim' | 'goOn' | 'end'>;
  outbox: Pick<OutboxStore, 'add' | 'addToDigest'>;
  claims: Claims;
}

/** Subscribers at a time: then notices of other pages have their turn. */
const TOLD_AT_ONCE = 200;
/** Digests that are added to at the same time. */
const DIGESTS_AT_ONCE = 8;

/**
 * Puts a notice into the outbox for its next subscribers, unless somebody else does. May be repeated, also
 * after a crash half-way.
 */
export async function tellSome(deps: TellDeps, seen: NoticeDoc, now: number): Promise<void> {
  await deps.claims.under((claim) => deps.notices.claim(seen, claim), (notice) => tell(deps, notice, now));
}

async function tell(deps: TellDeps, notice: NoticeDoc, now: number): Promise<void> {
  const { told, cursor } = await nextOf(deps, notice);
  await deps.outbox.add(told.flatMap((subscriber) => immediateOf(notice, subscriber, now)));
  const digested = notice.kind === 'message' ? [] : told;
  for (let at = 0; at < digested.length; at += DIGESTS_AT_ONCE) {
    const some = digested.slice(at, at + DIGESTS_AT_ONCE);
    await Promise.all(some.map((subscriber) => addToDigest(deps, notice, subscriber, now)));
  }
  // After the outbox: who is skipped by the cursor must be in it.
  if (cursor === null) await deps.notices.end(notice);
  else await deps.notices.goOn(notice, cursor, now);
}

/** The next subscribers, and the last one of them if there may be more. */
async function nextOf({ subscribers }: TellDeps, notice: NoticeDoc) {
  const { page_id, topics, cursor, subscriber_ids: named } = notice;
  if (named === undefined) {
    const told = await subscribers.toTell(page_id, topics, cursor, TOLD_AT_ONCE);
    return { told, cursor: told.length < TOLD_AT_ONCE ? null : (told.at(-1)?._id ?? null) };
  }
  const ids = named.filter((id) => id > cursor).slice(0, TOLD_AT_ONCE);
  const told = await subscribers.verifiedAmong(page_id, ids);
  return { told, cursor: ids.length < TOLD_AT_ONCE ? null : (ids.at(-1) ?? null) };
}

async function addToDigest(
  { outbox }: TellDeps, { _id, created_at }: NoticeDoc, subscriber: SubscriberDoc, now: number,
): Promise<void> {
  const { frequency } = subscriber.preferences;
  if (frequency === 'immediate') return;
  let dueAt = digestAt(frequency, created_at);
  // One that is on its way takes no more.
  while (!(await outbox.addToDigest(digestOf(subscriber, dueAt, now), _id))) {
    dueAt = digestAfter(frequency, dueAt);
  }
}
