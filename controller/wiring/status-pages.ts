import type { MonitorDeps } from '../monitors/deps.ts';
import { PostStore } from '../status-pages/posts/post-store.ts';
import { postRoutes } from '../status-pages/posts/post-routes.ts';
import { pageRoutes } from '../status-pages/routes.ts';
import type { PageStore } from '../status-pages/store.ts';
import type { ControllerPorts } from './ports.ts';

/** Status pages, and what they tell their readers. */
export async function openStatusPages({ mongo: { db } }: ControllerPorts, pages: PageStore) {
  const posts = new PostStore(db);
  await Promise.all([pages, posts].map((store) => store.ensureIndexes()));
  return {
    routesOver: ({ monitors, readers, quota }: MonitorDeps) => [
      ...pageRoutes({ pages, posts, monitors, statistics: readers.statistics, quota }),
      ...postRoutes({ pages, posts }),
    ],
  };
}
