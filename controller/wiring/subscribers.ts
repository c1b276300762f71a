import { BackgroundMailer } from '../accounts/mail/background-mailer.ts';
import type { Tenant } from '../access/tenant.ts';
import type { Mailer } from '../platform/mail/mailer-port.ts';
import { createAddressVetting } from '../platform/outbound/address-vetting.ts';
import { HttpPoster } from '../platform/outbound/poster.ts';
import type { PageDoc } from '../status-pages/page.ts';
import { NoticeSender } from '../subscribers/notices/notice-sender.ts';
import { publicSubscriberRoutes } from '../subscribers/public/public-routes.ts';
import { subscriberPageRoutes } from '../subscribers/public/page-routes.ts';
import { subscriberRoutes } from '../subscribers/routes.ts';
import { SubscriberLinks } from '../subscribers/subscriber-links.ts';
import { announce, type Announcement } from '../subscribers/verbs/notify.ts';
import type { Accounts } from './accounts.ts';
import type { ControllerPorts } from './ports.ts';

/** Mails under way at a stop get this long to end, ms. */
const STOP_TIMEOUT_MS = 2000;

export type Subscribers = ReturnType<typeof openSubscribers>;

interface SubscriberSources {
  accounts: Pick<Accounts, 'subscriberKeys'>;
  mailer: Mailer;
}

/** Those who subscribe to status pages, and what they are told. */
export function openSubscribers(ports: ControllerPorts, sources: SubscriberSources) {
  const { config, stores, signals, clock, log, peers, holder, random, resolve, baseUrl } = ports;
  const { accounts, mailer } = sources;
  const { pages, posts, subscribers, notices } = stores;
  const { subscriberRateLimits: rateLimits, noticeOutbox: outbox } = stores;
  const vetting = createAddressVetting({ resolve, allowPrivate: config.outsiders.allowPrivate, clock });
  const poster = new HttpPoster({ clock, vetting });
  const links = new SubscriberLinks(accounts.subscriberKeys, baseUrl);
  const noticeSender = new NoticeSender({
    pages, posts, subscribers, notices, outbox, mailer, poster, links, clock, log, peers, holder, random,
  });
  const post = new BackgroundMailer({ mailer, mailClass: 'subscriptions', clock, log });
  const triggerSend = () => noticeSender.trigger();
  signals.postPublished.on(triggerSend);
  const deps = {
    pages, subscribers, notices, rateLimits, vetting, links, triggerSend,
    post: post.send.bind(post),
  };
  return {
    noticeSender, post,
    start: () => noticeSender.start(),
    /** Ends the mails that are being sent. */
    stop: async () => {
      await Promise.all([noticeSender.stop(STOP_TIMEOUT_MS), post.close()]);
      await poster.close();
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
