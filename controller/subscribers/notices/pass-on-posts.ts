import type { PageDeps } from '../../status-pages/deps.ts';
import { noticesOf } from './notice-rules.ts';
import type { NoticeStore } from './notice-store.ts';

export interface PassOnDeps extends Pick<PageDeps, 'pages'> {
  posts: Pick<PageDeps['posts'], 'untold' | 'markTold'>;
  notices: Pick<NoticeStore, 'add'>;
}

/** Posts at a time. */
const MOST_PASSED_ON = 50;

/**
 * Makes notices of what posts say anew. Subscribers of a page that is not published are told nothing, not
 * even later. May be repeated. Resolves to true if there may be more.
 */
export async function passOnPosts({ pages, posts, notices }: PassOnDeps): Promise<boolean> {
  const untold = await posts.untold(MOST_PASSED_ON);
  for (const post of untold) {
    const page = await pages.findOfOrganization(post.organization_id, post.page_id);
    if (page?.status === 'published') await notices.add(noticesOf(post));
    // After the notices: a crash in between repeats them under the same ids.
    await posts.markTold(post);
  }
  return untold.length === MOST_PASSED_ON;
}
