import type { TIMEFRAMES } from '../../page.ts';
import type { PostStatus } from '../../posts/post.ts';
import type { OverallState, PublicComponent } from '../public-view.ts';

/** What a public page says in one language. Dates, numbers and lists are not here: Intl knows them. */
export interface Texts {
  /** The language's name in itself. */
  language: string;
  /** After the page's name in the title of a window. */
  status: string;
  skip: string;
  languages: string;
  overall: Record<OverallState, string>;
  states: Record<PublicComponent['status'], string>;
  progress: Record<PostStatus, string>;
  frames: Record<(typeof TIMEFRAMES)[number], string>;
  systems: string;
  noData: string;
  current: string;
  /** Maintenance to come. */
  scheduled: string;
  pastIncidents: string;
  /** Of a day. */
  none: string;
  /** Leads to the page of an incident. */
  allUpdates: string;
  affected: string;
  /** A percentage as the uptime of the time that the bars next to it show. */
  uptime: (percent: string) => string;
  /** Of the first bar. */
  daysAgo: string;
  /** Of the last bar. */
  today: string;
  history: string;
  /** Of all days that a page shows of a component. */
  noDowntime: string;
  day: string;
  availability: string;
  /** Why a day may begin at another hour than the reader's. */
  utc: string;
  responseTime: string;
  mean: string;
  hourly: string;
  noTimes: string;
  milliseconds: string;
  feeds: string;
  subscribe: string;
  email: string;
  subscribeHint: string;
  send: string;
  back: string;
  /** Before an instant, while what follows may be old. */
  notCurrent: string;
  /** Before an instant. */
  asOf: string;
  errors: {
    title: string;
    /** Of what is asked for. */
    missing: string;
    /** Of a mail. */
    link: string;
    email: string;
    /** Any other mistake in what was sent. */
    input: string;
    often: string;
    /** The reader has done nothing wrong. */
    ours: string;
  };
}
