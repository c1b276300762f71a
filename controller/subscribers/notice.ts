import type { Severity } from '../status-pages/page.ts';
import type { PostStatus } from '../status-pages/posts/post.ts';
import type { WorkClaim } from '../work/claimed-work.ts';
import type { Topic } from './subscriber.ts';

/** `before` the start; `cancelled` if it was deleted after its announcement. */
export type MaintenancePhase = 'before' | 'start' | 'end' | 'cancelled';

/** A document of `subscriber_notices`: one message to all subscribers. Instants are Unix ms. */
export interface NoticeDoc {
  /** Derived from its content, so that a repetition adds nothing. */
  _id: string;
  organization_id: string;
  project_id: string;
  page_id: string;
  kind: 'incident' | 'maintenance' | 'message';
  /** Sent to subscribers with one of these preferences. */
  topics: Topic[];
  /** If set, sent to exactly these subscribers, in order, whatever their preferences. */
  subscriber_ids?: string[];
  /** Mails with the same value form one thread. */
  thread: string;
  /** The first of its thread. */
  is_first: boolean;
  title: string;
  text: string;
  /** The announced maintenance. `title` and `text` are what people wrote. */
  maintenance?: { phase: MaintenancePhase; starts_at: number; ends_at: number };
  /** The post, as it was then. */
  post?: { id: string; status: PostStatus; severity: Severity };
  created_at: number;
  /** The last recipient in the outbox; empty at first. */
  cursor: string;
  /** When to continue; absent once the outbox contains all recipients. */
  due_at?: number;
  /** Of the controller that is processing it. */
  claim?: WorkClaim;
}

/**
 * A document of `subscriber_outbox`: one mail to one subscriber, or one request to their webhook. The id is
 * derived from notice and subscriber, so nobody gets one twice. Instants are Unix ms.
 */
export interface OutgoingDoc {
  _id: string;
  organization_id: string;
  page_id: string;
  subscriber_id: string;
  channel: 'email' | 'digest' | 'webhook';
  /** Several in a digest, which accepts more until its first attempt. */
  notice_ids: string[];
  state: 'pending' | 'sent' | 'failed' | 'dropped';
  /** Not attempted before; absent once it is not pending. */
  due_at?: number;
  /** Of the controller that is sending it. */
  claim?: WorkClaim;
  attempts: number;
  created_at: number;
}
