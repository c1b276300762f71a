import type { PageDeps } from '../../status-pages/deps.ts';
import { noticesOf } from './notice-rules.ts';
import type { NoticeStore } from './notice-store.ts';

export interface PostNoticeDeps extends Pick<PageDeps, 'pages'> {
  posts: Pick<PageDeps['posts'], 'listUnnotified' | 'markNotified'>;
  notices: Pick<NoticeStore, 'add'>;
}

/** Posts at a time. */
const BATCH_SIZE = 50;

/**
 * Makes notices of what posts say anew. Subscribers of a page that is not published are told nothing, not
 * even later. May be repeated. Resolves to true if there may be more.
 */
export async function createPostNotices({ pages, posts, notices }: PostNoticeDeps): Promise<boolean> {
  const unnotified = await posts.listUnnotified(BATCH_SIZE);
  for (const post of unnotified) {
    const page = await pages.findOfOrganization(post.organization_id, post.page_id);
    if (page?.status === 'published') await notices.add(noticesOf(post));
    // After the notices: a crash in between repeats them under the same ids.
    await posts.markNotified(post);
  }
  return unnotified.length === BATCH_SIZE;
}
