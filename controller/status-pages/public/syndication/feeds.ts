import { html, type Html } from '../../../pages/html.ts';
import type { PageLocale } from '../languages/language.ts';
import type { PublicPageView, PublicPost } from '../public-view.ts';

export const FEED_FORMATS = {
  atom: 'application/atom+xml; charset=utf-8',
  rss: 'application/rss+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
} as const;
export type FeedFormat = keyof typeof FEED_FORMATS;

interface Entry {
  id: string;
  address: string;
  title: string;
  /** Its updates as plain text of several lines, newest first. */
  text: string;
  publishedAt: string;
  updatedAt: string;
}

interface Feed {
  title: string;
  /** Absolute URL of the page. */
  home: string;
  /** Absolute URL of the feed. */
  address: string;
  language: string;
  entries: Entry[];
  updatedAt: string;
}

/** The posts of a page as a feed, newest first. `baseUrl` has no trailing slash. */
export function renderFeed(
  format: FeedFormat, view: PublicPageView, baseUrl: string, locale: PageLocale,
): string {
  const home = `${baseUrl}/status/${view.subdomain}`;
  const entries = view.incidents.map((post) => entryOf(post, home, locale));
  const feed: Feed = {
    title: `${view.name} · ${locale.texts.status}`, home, address: `${home}/feed.${format}`,
    language: locale.language, entries,
    // Without posts, uses the page's first day, so that the feed doesn't change.
    updatedAt: entries.map(({ updatedAt }) => updatedAt).sort().at(-1) ?? `${view.first_day}T00:00:00.000Z`,
  };
  return RENDERERS[format](feed);
}

function entryOf(post: PublicPost, home: string, { texts, list, language }: PageLocale): Entry {
  const steps = [...post.updates].reverse()
    .map(({ status, message, created_at }) => `${created_at} ${texts.progress[status]}: ${message}`);
  const affected = post.affected.length === 0 ? [] : [`${texts.affected} ${list(post.affected)}`];
  return {
    id: `urn:uuid:${post.id}`, address: `${home}/incidents/${post.id}?lang=${language}`,
    title: `${post.title} (${texts.progress[post.status]})`,
    text: [...affected, ...steps, `${post.published_at} ${post.message}`].map(forXml).join('\n\n'),
    publishedAt: post.published_at,
    updatedAt: post.updates.map(({ created_at }) => created_at).at(-1) ?? post.published_at,
  };
}

/** Removes characters that JSON allows and XML doesn't. */
function forXml(text: string): string {
  return text.replace(/[\uFFFE\uFFFF]/g, '\uFFFD');
}

const XML = '<?xml version="1.0" encoding="utf-8"?>\n';

const RENDERERS: Record<FeedFormat, (feed: Feed) => string> = {
  /** RFC 4287. */
  atom: ({ title, home, address, language, entries, updatedAt }) => XML + html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
<id>${home}</id><title>${forXml(title)}</title><updated>${updatedAt}</updated>
<link rel="self" href="${address}"/><link rel="alternate" type="text/html" href="${home}"/>
<author><name>${forXml(title)}</name></author>
${entries.map((entry) => html`<entry><id>${entry.id}</id><title>${forXml(entry.title)}</title>
<published>${entry.publishedAt}</published><updated>${entry.updatedAt}</updated>
<link rel="alternate" type="text/html" href="${entry.address}"/><content type="text">${entry.text}</content></entry>
`)}</feed>
`.text,
  /** RSS 2.0, with the feed's own URL as its best practices require. */
  rss: ({ title, home, address, language, entries, updatedAt }) => XML + html`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<title>${forXml(title)}</title><link>${home}</link><description>${forXml(title)}</description>
<language>${language}</language><lastBuildDate>${rssDate(updatedAt)}</lastBuildDate>
<atom:link href="${address}" rel="self" type="application/rss+xml"/>
${entries.map((entry) => html`<item><guid isPermaLink="false">${entry.id}</guid><title>${forXml(entry.title)}</title>
<link>${entry.address}</link><pubDate>${rssDate(entry.publishedAt)}</pubDate><description>${asMarkup(entry.text)}</description></item>
`)}</channel></rss>
`.text,
  /** JSON Feed 1.1. */
  json: ({ title, home, address, language, entries }) => JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1', title, home_page_url: home, feed_url: address, language,
    items: entries.map((entry) => ({
      id: entry.id, url: entry.address, title: entry.title, content_text: entry.text,
      date_published: entry.publishedAt, date_modified: entry.updatedAt,
    })),
  }),
};

/** RFC 822. */
function rssDate(instant: string): string {
  return new Date(instant).toUTCString().replace('GMT', '+0000');
}

/** Feed readers treat RSS descriptions as HTML, so the text is escaped twice: as HTML and as XML. */
function asMarkup(text: string): string {
  const lines: Html[] = text.split('\n').map((line) => html`${line}<br>`);
  return html`${lines}`.text;
}
