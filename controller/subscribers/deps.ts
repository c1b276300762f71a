import type { UrlVetting } from '../destinations/ports.ts';
import type { Mail } from '../platform/mail/mailer-port.ts';
import type { UseLimits } from '../platform/mongo/limited-uses-port.ts';
import type { PageDeps } from '../status-pages/deps.ts';
import type { NoticeStore } from './notices/notice-store.ts';
import type { SubscriberStore } from './store.ts';
import type { SubscriberLinks } from './subscriber-links.ts';

export interface SubscriberDeps extends Pick<PageDeps, 'pages'> {
  subscribers: SubscriberStore;
  notices: NoticeStore;
  /** Keep people from being flooded through us. */
  rateLimits: UseLimits;
  vetting: Pick<UrlVetting, 'urlRefusal'>;
  links: SubscriberLinks;
  /** After the response, sends `to` the mail that `compose` resolves to. */
  post(to: string, compose: () => Promise<Mail | null>): void;
  /** Called when there is something to send. */
  triggerSend(): void;
}
