import { isoTime } from '../../../shared/time.ts';
import type { PostDoc } from './post.ts';
import type { PostView } from './post-schema.ts';

export function viewPost(post: PostDoc): PostView {
  const { _id: id, page_id, incident_id, title, message, severity, status, affected_monitor_ids } = post;
  return {
    id, status_page_id: page_id, incident_id, title, message, severity, status, affected_monitor_ids,
    published_at: isoTime(post.published_at), updated_at: isoTime(post.updated_at),
    resolved_at: isoTime(post.resolved_at),
    auto_published: post.is_automatic,
    updates: post.updates.map((update) => ({ ...update, created_at: isoTime(update.created_at) })),
  };
}
