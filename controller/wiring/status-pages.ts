import type { MonitorDeps } from '../monitors/deps.ts';
import { IncidentFollower } from '../status-pages/posts/incident-follower.ts';
import { PostStore } from '../status-pages/posts/post-store.ts';
import { followIncident } from '../status-pages/posts/verbs/follow-incident.ts';
import { postRoutes } from '../status-pages/posts/post-routes.ts';
import { detailRoutes } from '../status-pages/public/detail-routes.ts';
import { PublicPages, type LastPages } from '../status-pages/public/public-pages.ts';
import { publicPageRoutes, quickPages } from '../status-pages/public/public-routes.ts';
import { readPublicPage } from '../status-pages/public/read-public-page.ts';
import type { PageSubscribers } from '../status-pages/deps.ts';
import { pageRoutes } from '../status-pages/routes.ts';
import type { PageStore } from '../status-pages/store.ts';
import type { Incidents } from './incidents.ts';
import type { ControllerPorts } from './ports.ts';

const NOTHING_KNOWN: LastPages =
  { recall: () => Promise.resolve(null), keep: () => undefined, remove: () => undefined };

/** Status pages, and what they tell their readers. */
export async function openStatusPages(
  ports: ControllerPorts, { pages, incidents }: { pages: PageStore; incidents: Incidents['store'] },
) {
  const { mongo: { db }, clock, log, company } = ports;
  const posts = new PostStore(db);
  await Promise.all([pages, posts].map((store) => store.ensureIndexes()));
  return {
    follower: new IncidentFollower({
      incidents, clock, log, company,
      follow: (incident) => followIncident({ pages, posts }, incident, clock.now()),
    }),
    over: (
      { monitors, readers: { statistics, pastDays, history }, quota }: MonitorDeps,
      subscribers: PageSubscribers,
    ) => {
      const shown = { pages, posts, monitors, statistics, pastDays, history };
      const readers = new PublicPages({
        clock, read: (subdomain) => readPublicPage(shown, subdomain, clock.now()), last: NOTHING_KNOWN,
      });
      const changed = (subdomain: string, isPublished: boolean) => readers.changed(subdomain, isPublished);
      return {
        quick: quickPages(readers),
        routes: [
          ...pageRoutes({ ...shown, quota, changed, subscribers }), ...postRoutes(shown),
          ...publicPageRoutes(readers), ...detailRoutes(shown, readers, clock),
        ],
      };
    },
  };
}
