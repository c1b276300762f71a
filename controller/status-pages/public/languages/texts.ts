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
  past: string;
  none: string;
  affected: string;
  history: string;
  /** Of all days that a page shows of a component. */
  noTrouble: string;
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
