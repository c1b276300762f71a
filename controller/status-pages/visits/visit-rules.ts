const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const [DAY_HOURS, WEEK_HOURS, MONTH_HOURS] = [24, 7 * 24, 30 * 24];
/** The oldest of these days is only partly within the last 30 days. */
export const RETAINED_DAYS = 30;

/** A document of `status_page_visits`: the views of a page on one day. */
export interface VisitDoc {
  /** Derived from the page and the day. */
  _id: string;
  page_id: string;
  /** Start of the day in UTC, Unix ms. */
  day: number;
  /** By hour of the day, `0` to `23`; hours without visits are absent. */
  hours: Record<string, number>;
}

/** Visits of the last 24 hours, 7 and 30 days, including the current hour. */
export interface Visits {
  day: number;
  week: number;
  month: number;
}

export function dayAndHourOf(at: number): { day: number; hour: number } {
  const day = Math.floor(at / DAY_MS) * DAY_MS;
  return { day, hour: Math.floor((at - day) / HOUR_MS) };
}

/** Sums the visits up to `now`. */
export function sumVisits(docs: readonly VisitDoc[], now: number): Visits {
  const currentHour = Math.floor(now / HOUR_MS);
  const sum = { day: 0, week: 0, month: 0 };
  for (const { day, hours } of docs) {
    for (const [hour, count] of Object.entries(hours)) {
      const age = currentHour - (day / HOUR_MS + Number(hour));
      if (age < DAY_HOURS) sum.day += count;
      if (age < WEEK_HOURS) sum.week += count;
      if (age < MONTH_HOURS) sum.month += count;
    }
  }
  return sum;
}

const PAGE_URL = /^\/status\/([a-z0-9][a-z0-9-]{1,61}[a-z0-9])(?:\?|$)/;
/** Self-declared bots. Browsers never send an empty User-Agent. */
const BOT_AGENT = /bot\b|crawl|spider|slurp|preview|monitor|uptime|headless|curl|wget|python|java\/|go-http|okhttp|^node$|^$/i;

interface VisitRequest {
  method?: string | undefined;
  url?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
}

/** Whether a User-Agent header belongs to a bot. */
export function isBot(userAgent: string): boolean {
  return BOT_AGENT.test(userAgent);
}

/**
 * The subdomain of the page that a person opens with this request; null for any other request. `isBotAgent`
 * is `isBot` or a memoized version.
 */
export function visitedSubdomain({ method, url = '', headers }: VisitRequest, isBotAgent: typeof isBot): string | null {
  const subdomain = method === 'GET' ? PAGE_URL.exec(url)?.[1] : undefined;
  if (subdomain === undefined || isBotAgent(String(headers['user-agent'] ?? ''))) return null;
  const isPrefetch = /prefetch|prerender/.test(String(headers['sec-purpose'] ?? headers['purpose'] ?? ''));
  const destination = headers['sec-fetch-dest'] ?? 'document';
  return isPrefetch || (destination !== 'document' && destination !== 'iframe') ? null : subdomain;
}
