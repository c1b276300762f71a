import type { TIMEFRAMES } from '../../page.ts';
import type { PostStatus } from '../../posts/post.ts';
import type { OverallState, PublicComponent } from '../public-view.ts';

/** The texts of a public page in one language. Intl formats dates, numbers and lists. */
export interface Texts {
  /** The language's own name for itself. */
  language: string;
  /** Follows the page's name in the document title. */
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
  /** Upcoming maintenance. */
  scheduled: string;
  pastIncidents: string;
  /** A day without incidents. */
  none: string;
  /** Link to the page of an incident. */
  allUpdates: string;
  affected: string;
  /** A percentage as the uptime of the days in the bars next to it. */
  uptime: (percent: string) => string;
  /** Label of the first bar. */
  daysAgo: string;
  /** Label of the last bar. */
  today: string;
  history: string;
  /** Shown if no day of a component has downtime. */
  noDowntime: string;
  day: string;
  availability: string;
  /** Explains why a day may start at another hour than the reader's. */
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
  /** Precedes an instant while the page may be outdated. */
  notCurrent: string;
  /** Precedes an instant. */
  asOf: string;
  errors: {
    title: string;
    /** The requested page doesn't exist. */
    missing: string;
    /** A link from an email is invalid. */
    link: string;
    email: string;
    /** Any other invalid input. */
    input: string;
    often: string;
    /** A server error. */
    ours: string;
  };
}
