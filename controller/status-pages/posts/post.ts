import type { Severity } from '../page.ts';

export const POST_STATUSES = ['investigating', 'identified', 'monitoring', 'resolved'] as const;
export type PostStatus = (typeof POST_STATUSES)[number];

export interface PostUpdate {
  status: PostStatus;
  message: string;
  /** Unix ms. */
  created_at: number;
}

/** A document of `status_page_posts`: what a page tells its readers of one trouble. Instants are Unix ms. */
export interface PostDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  page_id: string;
  /** Rises with each change. */
  revision: number;
  /** The incident that an automatic post is about; null for one that a person wrote. */
  incident_id: string | null;
  title: string;
  message: string;
  severity: Severity;
  status: PostStatus;
  affected_monitor_ids: string[];
  /** Oldest first, without what the post began with. */
  updates: PostUpdate[];
  is_automatic: boolean;
  /** A person has changed it: it no longer follows its incident. */
  is_taken_over: boolean;
  /** Of what it began with and of its updates, so many have been passed on to subscribers. */
  notified_count: number;
  /** Since when there is more to pass on; missing if there is not. */
  notify_pending_since?: number;
  published_at: number;
  updated_at: number;
  resolved_at: number | null;
}

/** On every plan: readers get a post with all of its updates. */
export const MAX_UPDATES = 200;
/** On every plan; the oldest can be deleted. */
export const MAX_POSTS = 5000;
