import type { IncomingMessage } from 'node:http';
import { SECURITY_HEADERS } from '../../http/exchange.ts';
import { PackedAnswer } from '../../http/packed-answer.ts';
import { componentForm, postForm, styleForm } from './detail-routes.ts';
import { FEED_FORMATS, type FeedFormat } from './feeds.ts';
import { packed, type PageForm } from './kept-page.ts';
import type { Language } from './languages/language.ts';
import { languageOf, languageQuery } from './languages/preferred-language.ts';
import { LIVE_SCRIPT, LIVE_SCRIPT_HEADERS, LIVE_SCRIPT_PATH } from './live-script.ts';
import type { PublicPages } from './public-pages.ts';
import { askedFor } from './public-routes.ts';
import { PUBLIC_STYLE, STYLE_HEADERS, STYLE_PATH } from './public-style.ts';
import type { FoundPage } from './read-public-page.ts';
import { badgeForm, embedForm, feedForm } from './spread-routes.ts';

const BELOW_PAGE = /^\/(status|api\/public\/status-pages)\/([a-z0-9-]{3,63})\/([a-z0-9./-]{1,60})(?:\?(.*))?$/;
const BADGE = 'badge.svg';

interface Asked {
  /** Below the page, without a slash before it. */
  path: string;
  language: Language;
  /** Of links, without a slash at its end. */
  baseUrl: string;
}

/** Pages, what they load and what they link to, while there are no routes yet. */
export function earlyPages(pages: PublicPages, baseUrl: () => string) {
  const style = new PackedAnswer(PUBLIC_STYLE, { ...SECURITY_HEADERS, ...STYLE_HEADERS });
  const script = new PackedAnswer(LIVE_SCRIPT, { ...SECURITY_HEADERS, ...LIVE_SCRIPT_HEADERS });
  return async (request: IncomingMessage): Promise<PackedAnswer | null> => {
    const { url = '', headers } = request;
    if (url === STYLE_PATH) return style;
    if (url === LIVE_SCRIPT_PATH) return script;
    const languages = headers['accept-language'] ?? '';
    const asked = askedFor(url, languages);
    if (asked !== null) return pages.form(asked.subdomain, asked.name, asked.render);
    const [, kind, subdomain, path = '', query = ''] = BELOW_PAGE.exec(url) ?? [];
    const isHere = subdomain !== undefined && (kind === 'status') === (path !== BADGE);
    const found = !isHere ? null : await pages.get(subdomain);
    if (found === null) return null;
    const choice = languageQuery.parse(Object.fromEntries(new URLSearchParams(query)));
    const form = formBelow(found, { path, language: languageOf({ languages }, choice), baseUrl: baseUrl() });
    return form && packed(form);
  };
}

/** Without response times, and without posts that the page itself does not show: they are in the database. */
function formBelow(found: FoundPage, { path, language, baseUrl }: Asked): PageForm | null {
  const { view } = found;
  const [folder = '', id] = path.split('/', 2);
  const [, format = ''] = folder.split('.', 2);
  const post = folder === 'incidents' ? view.incidents.find((one) => one.id === id) : undefined;
  const component = folder === 'components' ? view.components.find((one) => one.id === id) : undefined;
  if (post !== undefined) return postForm(found, post, language);
  if (component !== undefined) return componentForm(found, component, null, language);
  if (path === 'embed') return embedForm(found, language);
  if (path === BADGE) return badgeForm(found, language);
  if (path === 'style.css') return styleForm(found);
  const isFeed = path === `feed.${format}` && Object.hasOwn(FEED_FORMATS, format);
  return isFeed ? feedForm(found, format as FeedFormat, language, baseUrl) : null;
}
