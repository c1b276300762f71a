import { z } from 'zod';
import { notFound } from '../../../shared/errors.ts';
import { HTML_CONTENT, JSON_CONTENT } from '../../http/exchange.ts';
import { forKnownTexts } from '../../http/known-texts.ts';
import type { QuickAnswers } from '../../http/quick-answers.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { viewPageError } from './error-html.ts';
import type { PageForm } from './kept-page.ts';
import { LANGUAGES, type Language } from './languages/language.ts';
import { languageOf, languageQuery } from './languages/preferred-language.ts';
import { renderPublicPage } from './public-html.ts';
import type { PublicPages } from './public-pages.ts';
import { publicPageView } from './public-view.ts';
import type { FoundPage } from './read-public-page.ts';

export const publicParams = z.strictObject({ subdomain: z.string().max(63).toLowerCase() });
const common = {
  method: 'GET', tag: 'Public status pages', auth: { access: 'public' }, params: publicParams,
  ignoresQuery: true, errors: ['RESOURCE_NOT_FOUND'],
} as const;

const JSON_PATH = '/api/public/status-pages/:subdomain';
const PAGE_PATH = '/status/:subdomain';
/** What is answered before routing: other addresses of pages are rare. */
const USUAL_ADDRESS = /^\/(status|api\/public\/status-pages)\/([a-z0-9-]{3,63})(?:\?lang=([a-z]{2}))?$/;

/** Addresses whose meaning is remembered, and for each the lists of languages. */
const KNOWN_ADDRESSES = 1000;
const KNOWN_LANGUAGES = 20;

/** Throws RESOURCE_NOT_FOUND for a page that is a draft, archived or deleted. */
export async function readShown(pages: PublicPages, subdomain: string): Promise<FoundPage> {
  const page = await pages.get(subdomain);
  if (page === null) throw notFound('Status page');
  return page;
}

/** A form of a page, the same bytes for all who ask for it. Throws as `readShown`. */
export async function answerWith(
  pages: PublicPages, subdomain: string, name: string, render: (page: FoundPage) => PageForm,
) {
  const packed = await pages.form(subdomain, name, render);
  if (packed === null) throw notFound('Status page');
  return { status: 200 as const, packed };
}

/** Published pages, for everybody. */
export function publicPageRoutes(pages: PublicPages): Route[] {
  return [
    defineRoute({
      ...common, path: JSON_PATH, summary: 'Read a published status page',
      description: 'Send its `ETag` as `If-None-Match` to get 304 without a body if nothing has changed.',
      answers: { 200: z.strictObject({ status_page: publicPageView }) },
      handle: (_ctx, { params: { subdomain } }) => answerWith(pages, subdomain, 'json', asJson),
    }),
    defineRoute({
      ...common, path: PAGE_PATH, summary: 'Published status page, for people',
      query: languageQuery, errorPage: viewPageError, answers: { 200: { contentType: HTML_CONTENT } },
      handle: (ctx, { params: { subdomain }, query }) => {
        const language = languageOf(ctx, query);
        return answerWith(pages, subdomain, language, (page) => asHtml(page, language));
      },
    }),
  ];
}

/** Pages that another reader has just read. */
export function quickPages(pages: PublicPages): QuickAnswers {
  const askedAt = forKnownTexts(KNOWN_ADDRESSES, (url) =>
    forKnownTexts(KNOWN_LANGUAGES, (languages) => askedFor(url, languages)));
  return {
    find: ({ url = '', headers }) => {
      if (!url.startsWith('/status/') && !url.startsWith('/api/public/')) return null;
      const asked = askedAt(url)(headers['accept-language'] ?? '');
      const answer = asked && pages.formAtOnce(asked.subdomain, asked.name);
      return answer && { route: asked.route, answer };
    },
  };
}

/** Which form of which page a request is for, as the routes would say; null: let them say. */
export function askedFor(url: string, languages: string) {
  const [, kind, subdomain, lang] = USUAL_ADDRESS.exec(url) ?? [];
  if (subdomain === undefined) return null;
  if (kind !== 'status') return { subdomain, name: 'json', route: JSON_PATH, render: asJson };
  const asked = { lang: LANGUAGES.find((language) => language === lang) };
  const language = languageOf({ languages }, asked);
  return {
    subdomain, name: language, route: PAGE_PATH, render: (page: FoundPage) => asHtml(page, language),
  };
}

function asJson({ view }: FoundPage): PageForm {
  return {
    body: JSON.stringify({ success: true, data: { status_page: view } }),
    headers: { 'Content-Type': JSON_CONTENT, 'Cache-Control': 'public, max-age=1' },
  };
}

function asHtml({ page, view }: FoundPage, language: Language): PageForm {
  const { html: body, headers } = renderPublicPage(view, page, language);
  return { body, headers: { 'Content-Type': HTML_CONTENT, ...headers } };
}
