import { z } from 'zod';
import { notFound } from '../../../shared/errors.ts';
import type { Clock } from '../../../shared/time.ts';
import { HTML_CONTENT } from '../../http/exchange.ts';
import { defineRoute, ok, type PublicContext, type Route } from '../../http/route.ts';
import { viewError, type Page } from '../../pages/layout.ts';
import { LANGUAGES, type Language } from './languages/language.ts';
import { preferredLanguage } from './languages/preferred-language.ts';
import { renderPublicPage } from './public-html.ts';
import { PublicPages } from './public-pages.ts';
import { publicPageView } from './public-view.ts';
import { readPublicPage, type PublicDeps } from './read-public-page.ts';

export const publicParams = z.strictObject({ subdomain: z.string().max(63).toLowerCase() });
/** Of pages that people open. An unknown language is as good as none. */
export const languageQuery = z.object({ lang: z.enum(LANGUAGES).optional().catch(undefined) });
const common = {
  method: 'GET', tag: 'Public status pages', auth: { access: 'public' }, params: publicParams,
  ignoresQuery: true, errors: ['RESOURCE_NOT_FOUND'],
} as const;

export type PublicReaders = ReturnType<typeof openPublicPages>;

export function openPublicPages(deps: PublicDeps, clock: Clock) {
  return new PublicPages(clock, async (subdomain) => {
    const found = await readPublicPage(deps, subdomain, clock.now());
    const rendered = new Map<Language, Page>();
    return found && {
      ...found,
      shownIn: (language: Language) => {
        const page = rendered.get(language) ?? renderPublicPage(found.view, found.page, language);
        rendered.set(language, page);
        return page;
      },
    };
  });
}

/** Throws RESOURCE_NOT_FOUND for a page that is a draft, archived or deleted. */
export async function readShown(pages: PublicReaders, subdomain: string) {
  const page = await pages.get(subdomain);
  if (page === null) throw notFound('Status page');
  return page;
}

/** The language of an answer: the one asked for, else the best of those that the reader accepts. */
export function languageOf({ languages }: PublicContext, { lang }: z.infer<typeof languageQuery>): Language {
  return lang ?? preferredLanguage(languages);
}

/** Published pages, for everybody. */
export function publicPageRoutes(pages: PublicReaders): Route[] {
  return [
    defineRoute({
      ...common, path: '/api/public/status-pages/:subdomain', summary: 'Read a published status page',
      answers: { 200: z.strictObject({ status_page: publicPageView }) },
      handle: async (_ctx, { params: { subdomain } }) => {
        return ok({ status_page: (await readShown(pages, subdomain)).view });
      },
    }),
    defineRoute({
      ...common, path: '/status/:subdomain', summary: 'Published status page, for people',
      query: languageQuery, errorPage: viewError, answers: { 200: { contentType: HTML_CONTENT } },
      handle: async (ctx, { params: { subdomain }, query }) => {
        const { html, headers } = (await readShown(pages, subdomain)).shownIn(languageOf(ctx, query));
        return { status: 200 as const, raw: html, headers };
      },
    }),
  ];
}
