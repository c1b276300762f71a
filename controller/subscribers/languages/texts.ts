import type { MaintenancePhase } from '../notice.ts';
import type { Frequency, Topic } from '../subscriber.ts';

/** Texts for subscribers in one language, on pages and in mails. `page` is the name of a status page. */
export interface SubscriberTexts {
  pleaseConfirm: string;
  checkInbox(page: string): string;
  /** Title of a page, its button, and the subject of the mail that links to it. */
  confirm: string;
  confirmHint: string;
  confirmed: string;
  receives(email: string, page: string): string;
  receivesNothing(email: string, page: string): string;
  choices: string;
  topics: Record<Topic, string>;
  howOften: string;
  frequencies: Record<Frequency, string>;
  webhook: string;
  webhookHint: string;
  save: string;
  saved: string;
  unsubscribe: string;
  unsubscribed: string;
  notSubscribed: string;
  confirmationIntro(page: string): string;
  /** Precedes the confirmation link. */
  confirmBefore: string;
  ignore: string;
  alreadySubscribed: string;
  receivesAlready(page: string): string;
  reason(page: string): string;
  statusPage: string;
  /** Number of updates in a digest. */
  updates(count: number): string;
  /** Precedes the title of a maintenance window. */
  maintenance: string;
  /** Times are in the page's time zone. */
  phases: Record<MaintenancePhase, (start: string, end: string) => string>;
}
