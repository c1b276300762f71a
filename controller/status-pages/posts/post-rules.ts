import type { PostDoc, PostStatus } from './post.ts';

/** When a post with this status was resolved; a resolved post keeps its time. */
export function resolvedAt(seen: Pick<PostDoc, 'resolved_at'> | null, status: PostStatus, now: number) {
  return status === 'resolved' ? (seen?.resolved_at ?? now) : null;
}

/** The monitors in `ids` that a page doesn't show. */
export function notAttached(components: readonly { monitor_id: string }[], ids: readonly string[]): string[] {
  const attached = new Set(components.map((component) => component.monitor_id));
  return ids.filter((id) => !attached.has(id));
}
