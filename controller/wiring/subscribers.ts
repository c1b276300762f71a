import type { Tenant } from '../accounts/tenant.ts';
import type { UrlVetting } from '../destinations/ports.ts';
import type { PageStore } from '../status-pages/store.ts';
import { publicSubscriberRoutes } from '../subscribers/public/public-routes.ts';
import { subscriberPageRoutes } from '../subscribers/public/page-routes.ts';
import { subscriberRoutes } from '../subscribers/routes.ts';
import { SubscriberStore } from '../subscribers/store.ts';
import { SubscriberLinks } from '../subscribers/subscriber-links.ts';
import { TurnStore } from '../subscribers/turn-store.ts';
import type { Accounts } from './accounts.ts';
import type { ControllerPorts } from './ports.ts';

interface SubscriberSources {
  accounts: Pick<Accounts, 'subscriberKeys' | 'deps'>;
  pages: PageStore;
  vetting: Pick<UrlVetting, 'urlRefusal'>;
  /** Of links, without a slash at its end. */
  baseUrl(): string;
}

/** Those who subscribe to status pages. */
export async function openSubscribers({ mongo: { db } }: ControllerPorts, sources: SubscriberSources) {
  const { accounts, pages, vetting, baseUrl } = sources;
  const subscribers = new SubscriberStore(db);
  const turns = new TurnStore(db);
  await Promise.all([subscribers, turns].map((store) => store.ensureIndexes()));
  const deps = {
    pages, subscribers, turns, vetting, links: new SubscriberLinks(accounts.subscriberKeys, baseUrl),
    post: accounts.deps.post.post.bind(accounts.deps.post),
  };
  return {
    ofPages: {
      countVerified: (pageId: string) => subscribers.countVerified(pageId),
      deleteOfPage: (tenant: Tenant, pageId: string) => subscribers.deleteAllOfPage(tenant, pageId),
    },
    routes: [...subscriberRoutes(deps), ...publicSubscriberRoutes(deps), ...subscriberPageRoutes(deps)],
  };
}
