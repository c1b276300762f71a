import type { PageDeps } from '../../status-pages/deps.ts';
import { noticesOf } from './notice-rules.ts';
import type { NoticeStore } from './notice-store.ts';

export interface PostNoticeDeps extends Pick<PageDeps, 'pages'> {
  posts: Pick<PageDeps['posts'], 'listUnnotified' | 'markNotified'>;
  notices: Pick<NoticeStore, 'add'>;
}

/** Posts per run. */
const BATCH_SIZE = 50;

/**
 * Creates notices of new messages in posts. Subscribers of an unpublished page never get them, not even
 * later. Safe to repeat. Resolves to true if there may be more.
 */
export async function createPostNotices({ pages, posts, notices }: PostNoticeDeps): Promise<boolean> {
  const unnotified = await posts.listUnnotified(BATCH_SIZE);
  for (const post of unnotified) {
    const page = await pages.findOfOrganization(post.organization_id, post.page_id);
    if (page?.status === 'published') await notices.add(noticesOf(post));
    // After the notices: a crash in between recreates them with the same ids.
    await posts.markNotified(post);
  }
  return unnotified.length === BATCH_SIZE;
}
