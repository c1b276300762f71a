import type { MaintenancePhase } from '../notices/notice.ts';
import type { Frequency, Topic } from '../subscriber.ts';

/** What subscribers read in one language, on pages and in mails. `page` is the name of a status page. */
export interface SubscriberTexts {
  pleaseConfirm: string;
  checkInbox(page: string): string;
  /** Title of a page, its button, and subject of the mail that leads there. */
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
  /** Before the link that confirms. */
  confirmBefore: string;
  ignore: string;
  alreadySubscribed: string;
  receivesAlready(page: string): string;
  reason(page: string): string;
  statusPage: string;
  /** How much a digest tells. */
  updates(count: number): string;
  /** Before the title of a maintenance window. */
  maintenance: string;
  /** With times as the clocks of the page show them. */
  phases: Record<MaintenancePhase, (start: string, end: string) => string>;
}
