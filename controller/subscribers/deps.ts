import type { UrlVetting } from '../destinations/ports.ts';
import type { Mail } from '../platform/mail/mailer-port.ts';
import type { PageDeps } from '../status-pages/deps.ts';
import type { NoticeStore } from './notices/notice-store.ts';
import type { SubscriberStore } from './store.ts';
import type { SubscriberLinks } from './subscriber-links.ts';
import type { RateLimitStore } from './rate-limit-store.ts';

export interface SubscriberDeps extends Pick<PageDeps, 'pages'> {
  subscribers: SubscriberStore;
  notices: NoticeStore;
  rateLimits: RateLimitStore;
  vetting: Pick<UrlVetting, 'urlRefusal'>;
  links: SubscriberLinks;
  /** Sends `to` what `compose` resolves to, after the answer. */
  post(to: string, compose: () => Promise<Mail | null>): void;
  /** There is something to tell. */
  triggerSend(): void;
}
