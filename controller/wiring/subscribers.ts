import { AccountPost } from '../accounts/mail/account-post.ts';
import type { Tenant } from '../accounts/tenant.ts';
import type { UrlVetting } from '../destinations/ports.ts';
import type { Mailer } from '../platform/mail/mailer-port.ts';
import type { Poster } from '../platform/outbound/poster-port.ts';
import type { PageDeps } from '../status-pages/deps.ts';
import type { PageDoc } from '../status-pages/page.ts';
import type { PageStore } from '../status-pages/store.ts';
import { Mailing } from '../subscribers/notices/mailing.ts';
import { NoticeStore } from '../subscribers/notices/notice-store.ts';
import { OutboxStore } from '../subscribers/notices/outbox-store.ts';
import { publicSubscriberRoutes } from '../subscribers/public/public-routes.ts';
import { subscriberPageRoutes } from '../subscribers/public/page-routes.ts';
import { subscriberRoutes } from '../subscribers/routes.ts';
import { SubscriberStore } from '../subscribers/store.ts';
import { SubscriberLinks } from '../subscribers/subscriber-links.ts';
import { TurnStore } from '../subscribers/turn-store.ts';
import { announce, type Announcement } from '../subscribers/verbs/notify.ts';
import type { Accounts } from './accounts.ts';
import type { ControllerPorts } from './ports.ts';

/** Mails under way at a stop get this long to end, ms. */
const STOP_WITHIN_MS = 2000;

export type Subscribers = Awaited<ReturnType<typeof openSubscribers>>;

interface SubscriberSources {
  accounts: Pick<Accounts, 'subscriberKeys'>;
  pages: PageStore;
  posts: PageDeps['posts'];
  vetting: Pick<UrlVetting, 'urlRefusal'>;
  mailer: Mailer;
  poster: Poster;
  /** Of links, without a slash at its end. */
  baseUrl(): string;
}

/** Those who subscribe to status pages, and what they are told. */
export async function openSubscribers(ports: ControllerPorts, sources: SubscriberSources) {
  const { mongo: { db }, clock, log, company, holder, random } = ports;
  const { accounts, pages, posts, vetting, mailer, poster, baseUrl } = sources;
  const [subscribers, turns] = [new SubscriberStore(db), new TurnStore(db)];
  const [notices, outbox] = [new NoticeStore(db), new OutboxStore(db)];
  await Promise.all([subscribers, turns, notices, outbox].map((store) => store.ensureIndexes()));
  const links = new SubscriberLinks(accounts.subscriberKeys, baseUrl);
  const mailing = new Mailing({
    pages, posts, subscribers, notices, outbox, mailer, poster, links, clock, log, company, holder, random,
  });
  const post = new AccountPost({ mailer, lane: 'subscriptions', clock, log });
  const look = () => mailing.look();
  const deps = {
    pages, subscribers, notices, turns, vetting, links, look,
    post: post.post.bind(post),
  };
  return {
    mailing, post,
    /** Ends the mails that are being sent. */
    stop: async () => {
      await Promise.all([mailing.stop(STOP_WITHIN_MS), post.close()]);
    },
    /** Tells the subscribers of pages of their maintenance; may be repeated. */
    announce: (of: PageDoc[], announcement: Announcement) => announce(deps, of, announcement, clock.now()),
    ofPages: {
      countVerified: (pageId: string) => subscribers.countVerified(pageId),
      deleteOfPage: async (tenant: Tenant, pageId: string) => {
        await Promise.all([notices, outbox].map((store) => store.deleteOfPage(tenant, pageId)));
        await subscribers.deleteAllOfPage(tenant, pageId);
      },
    },
    routes: [...subscriberRoutes(deps), ...publicSubscriberRoutes(deps), ...subscriberPageRoutes(deps)],
  };
}
