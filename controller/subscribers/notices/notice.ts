import type { WorkClaim } from '../../../shared/work-claims.ts';
import type { Severity } from '../../status-pages/page.ts';
import type { PostStatus } from '../../status-pages/posts/post.ts';
import type { Topic } from '../subscriber.ts';

/** `before` its start; `cancelled` if it was deleted after people were told of it. */
export type MaintenancePhase = 'before' | 'start' | 'end' | 'cancelled';

/** A document of `subscriber_notices`: what subscribers are told at one time. Instants are Unix ms. */
export interface NoticeDoc {
  /** Derived from what it tells of, so that a repetition adds nothing. */
  _id: string;
  organization_id: string;
  project_id: string;
  page_id: string;
  kind: 'incident' | 'maintenance' | 'message';
  /** Told are those who have one of these preferences. */
  topics: Topic[];
  /** Told are these, in order, whatever they prefer. */
  subscriber_ids?: string[];
  /** Mails about the same form one thread. */
  thread: string;
  /** The first of its thread. */
  is_first: boolean;
  title: string;
  text: string;
  /** The maintenance that it is about, of which `title` and `text` are what people have written. */
  maintenance?: { phase: MaintenancePhase; starts_at: number; ends_at: number };
  /** The post that it is about, as it was then. */
  post?: { id: string; status: PostStatus; severity: Severity };
  created_at: number;
  /** The last subscriber for whom the outbox has it; empty at first. */
  cursor: string;
  /** When to go on with it; missing once the outbox has it for everybody. */
  due_at?: number;
  /** Of the controller that tells some of it now. */
  claim?: WorkClaim;
}

/**
 * A document of `subscriber_outbox`: one mail to one subscriber, or one request to their webhook. Its id is
 * derived from both sides, so nobody gets the same twice. Instants are Unix ms.
 */
export interface OutgoingDoc {
  _id: string;
  organization_id: string;
  page_id: string;
  subscriber_id: string;
  channel: 'email' | 'digest' | 'webhook';
  /** Several in a digest, which takes more until its first attempt. */
  notice_ids: string[];
  state: 'pending' | 'sent' | 'failed' | 'dropped';
  /** Not attempted before this instant; missing once it is not pending. */
  due_at?: number;
  /** Of the controller that attempts it now. */
  claim?: WorkClaim;
  attempts: number;
  created_at: number;
}
