import type { Severity } from '../page.ts';

export const POST_STATUSES = ['investigating', 'identified', 'monitoring', 'resolved'] as const;
export type PostStatus = (typeof POST_STATUSES)[number];

export interface PostUpdate {
  status: PostStatus;
  message: string;
  /** Unix ms. */
  created_at: number;
}

/** A document of `status_page_posts`: what a page publishes about one incident. Instants are Unix ms. */
export interface PostDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  page_id: string;
  /** Incremented with each change. */
  revision: number;
  /** The incident of an automatic post; null for one that a person wrote. */
  incident_id: string | null;
  title: string;
  message: string;
  severity: Severity;
  status: PostStatus;
  affected_monitor_ids: string[];
  /** Oldest first, without the initial message. */
  updates: PostUpdate[];
  is_automatic: boolean;
  /** A person has changed it, so it no longer follows its incident. */
  is_taken_over: boolean;
  /** Number of messages sent to subscribers: the initial one and updates. */
  notified_count: number;
  /** Since when subscribers are waiting for a message; absent if none is pending. */
  notify_pending_since?: number;
  published_at: number;
  updated_at: number;
  resolved_at: number | null;
}

/** On every plan: readers get a post with all of its updates. */
export const MAX_UPDATES = 200;
/** On every plan; old posts can be deleted. */
export const MAX_POSTS = 5000;
