import { describe, expect, test } from 'vitest';
import {
  afterSending, digestAfter, digestAt, immediateOf, noticesOf, type SendOutcome,
} from '../../../controller/subscribers/notices/notice-rules.ts';
import type { PostDoc } from '../../../controller/status-pages/posts/post.ts';
import type { OutgoingDoc } from '../../../controller/subscribers/notice.ts';
import { pageSubscriber } from '../../helpers/page-subscriber.ts';

const HOUR = 3_600_000;
const post: PostDoc = {
  _id: 'post-1', organization_id: 'o', project_id: 'p', page_id: 'page', revision: 1, incident_id: null,
  title: 'Shop is down', message: 'We look.', severity: 'critical', status: 'investigating',
  affected_monitor_ids: [], updates: [], is_automatic: false, is_taken_over: false, notified_count: 0,
  published_at: 1000, updated_at: 1000, resolved_at: null,
};

describe('notices of a post', () => {
  const updates = [
    { status: 'identified' as const, message: 'A disk.', created_at: 2000 },
    { status: 'resolved' as const, message: 'Over.', created_at: 3000 },
  ];

  test('are its initial message and each update, in order, each with its own status', () => {
    const notices = noticesOf({ ...post, status: 'resolved', updates });
    expect(notices.map(({ text, is_first, post: of, created_at }) => [text, is_first, of?.status, created_at])).toEqual([
      ['We look.', true, 'investigating', 1000], ['A disk.', false, 'identified', 2000],
      ['Over.', false, 'resolved', 3000],
    ]);
    expect(new Set(notices.map(({ thread }) => thread)).size).toBe(1);
  });

  test('leave out what was already sent, and keep the ids of the others', () => {
    const all = noticesOf({ ...post, updates });
    expect(noticesOf({ ...post, updates, notified_count: 2 })).toEqual(all.slice(2));
    expect(noticesOf({ ...post, updates, notified_count: 3 })).toEqual([]);
  });

  test('of a critical post are for subscribers to all or only to critical incidents', () => {
    expect(noticesOf(post)[0]?.topics).toEqual(['critical_incidents', 'all_incidents']);
    expect(noticesOf({ ...post, severity: 'major' })[0]?.topics).toEqual(['all_incidents']);
  });
});

test('sends a digest at the end of the hour or day in UTC; an event at that instant is in the next', () => {
  const day = Date.UTC(2026, 2, 29);
  expect(digestAt('hourly', day + 1)).toBe(day + HOUR);
  expect(digestAt('hourly', day + HOUR)).toBe(day + 2 * HOUR);
  expect(digestAt('daily', day + 23 * HOUR)).toBe(day + 24 * HOUR);
  expect(digestAfter('daily', day)).toBe(day + 24 * HOUR);
});

describe('immediate messages', () => {
  const [notice] = noticesOf(post);
  const subscriber = pageSubscriber({ organizationId: 'o', projectId: 'p', pageId: 'page' }, 'a@x.example');
  const channels = (change: Partial<typeof subscriber>, kind: 'incident' | 'message' = 'incident') =>
    immediateOf({ ...(notice as NonNullable<typeof notice>), kind }, { ...subscriber, ...change }, 5)
      .map(({ channel }) => channel);
  const daily = { ...subscriber.preferences, frequency: 'daily' as const };

  test('are a mail unless the subscriber wants digests, and a request to their webhook', () => {
    expect(channels({})).toEqual(['email']);
    expect(channels({ webhook_url: 'https://x.example/' })).toEqual(['email', 'webhook']);
    expect(channels({ preferences: daily, webhook_url: 'https://x.example/' })).toEqual(['webhook']);
    expect(channels({ preferences: daily })).toEqual([]);
    expect(channels({ preferences: daily }, 'message')).toEqual(['email']);
  });
});

describe('after an attempt', () => {
  const outgoing: OutgoingDoc = {
    _id: 'x', organization_id: 'o', page_id: 'page', subscriber_id: 's', channel: 'email', notice_ids: ['n'],
    state: 'pending', due_at: 99, attempts: 1, created_at: 0,
  };
  const after = (outcome: SendOutcome, attempts = 1, now = 1000) =>
    afterSending({ ...outgoing, attempts }, outcome, { now, random: 0 });

  test('stops when sent, dropped, permanently refused or out of attempts', () => {
    expect(after('sent')).toEqual({ state: 'sent', attempts: 1 });
    expect(after('dropped')).toEqual({ state: 'dropped', attempts: 1 });
    expect(after('dead')).toEqual({ state: 'failed', attempts: 1 });
    expect(after('retry', 6)).toEqual({ state: 'failed', attempts: 6 });
  });

  test('retries a failure with growing delays, and does not count a busy relay as an attempt', () => {
    const waits = [1, 2, 3, 4, 5].map((attempts) => (after('retry', attempts).due_at ?? 0) - 1000);
    expect(waits).toEqual([30_000, 120_000, 600_000, HOUR, 4 * HOUR]);
    expect(after('busy', 9)).toEqual({ state: 'pending', attempts: 8, due_at: 6000 });
    expect(after('busy', 1, 49 * HOUR)).toEqual({ state: 'failed', attempts: 1 });
  });
});
