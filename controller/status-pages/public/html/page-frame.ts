import { html, type Html } from '../../../pages/html.ts';
import type { Page } from '../../../pages/layout.ts';
import { safeImages, topLevelBranding } from '../../branding-rules.ts';
import type { PageDoc } from '../../page.ts';
import { FEED_FORMATS } from '../syndication/feeds.ts';
import { ICON_SHAPES } from './icons.ts';
import { LANGUAGES, TEXTS, type PageLocale } from '../languages/language.ts';
import { brandingStyle, brandingStylePath } from '../style/branding-style.ts';
import { LIVE_SCRIPT_PATH } from '../live/live-script.ts';
import { STYLE_PATH } from '../style/page-style.ts';
import type { PublicPageView } from '../public-view.ts';

const FEEDS = [['atom', 'Atom'], ['rss', 'RSS'], ['json', 'JSON Feed']] as const;

export type Appearance = Pick<PageDoc, 'branding' | 'allow_search_indexing'>;

interface FramedPage {
  view: Pick<PublicPageView, 'name' | 'description' | 'subdomain'>;
  appearance: Appearance;
  locale: PageLocale;
  /** Prefix to the page's name in the document title; null on the page itself. */
  title: string | null;
  /** Path below `/status/{subdomain}`, with a leading slash, for links to other languages. */
  path: string;
  content: Html;
  /** Placed before the content, where custom CSS doesn't apply. */
  controls?: Html;
  /** Omits the live script and puts the custom CSS into a template element. */
  isPreview?: boolean;
}

/** A public page around `content`. Needs no script, and loads only its style and its own images. */
export function framePage(framedPage: FramedPage): Page {
  const { view, appearance, locale, title, path, content, controls, isPreview = false } = framedPage;
  const { texts, language } = locale;
  const { headerText = null, footerText = null } = appearance.branding ?? {};
  const { color_scheme } = topLevelBranding(appearance.branding);
  const { logo_url, favicon_url } = safeImages(appearance.branding);
  const style = brandingStyle(appearance.branding);
  const home = `/status/${view.subdomain}`;
  const name = `${view.name} · ${texts.status}`;
  const { text } = html`<!doctype html>
<html lang="${language}" data-theme="${color_scheme}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${appearance.allow_search_indexing ? null : html`<meta name="robots" content="noindex">`}
${view.description === null ? null : html`<meta name="description" content="${view.description}">`}
${favicon_url === null ? null : html`<link rel="icon" href="${favicon_url}">`}
<title>${title === null ? name : `${title} · ${name}`}</title>
${FEEDS.map(([format, name]) => html`<link rel="alternate" type="${FEED_FORMATS[format].split(';', 1)[0] ?? ''}" href="${
  home}/feed.${format}?lang=${language}" title="${name}">
`)}<link rel="stylesheet" href="${STYLE_PATH}">
${title !== null || isPreview ? null : html`<script src="${LIVE_SCRIPT_PATH}" data-events="${home}/events" defer></script>`}
${style === null ? null : isPreview
    ? html`<template id="own-style">${style}</template>`
    : html`<link rel="stylesheet" href="${brandingStylePath(view.subdomain, style)}">`}
</head><body><a class="skip" href="#main">${texts.skip}</a>${ICON_SHAPES}${controls ?? null}
<div class="page"><header>${logo_url === null ? null : html`<img src="${logo_url}" alt="" height="48">`}${
  title === null
    ? html`<h1>${view.name}</h1>${paragraph(view.description)}${paragraph(headerText)}`
    : html`<p class="site">${view.name}</p><p><a href="${home}?lang=${language}">← ${texts.back}</a></p>`
}</header>
<main id="main">${title === null ? null : html`<h1>${title}</h1>`}${content}</main></div>
<footer>${footerText === null ? null : html`<div class="page">${paragraph(footerText)}</div>`}<p>${texts.feeds} ${FEEDS.map(([format, name]) =>
    html`<a href="${home}/feed.${format}?lang=${language}">${name}</a> `)}</p>
${languageLinks(home + path, locale)}</footer></body></html>
`;
  return {
    html: text,
    headers: {
      'Content-Security-Policy':
        `default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src ${imageSources([logo_url, favicon_url])}; ` +
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'Content-Language': language, Vary: 'Accept-Language', 'Cache-Control': 'public, max-age=1',
    },
  };
}

function languageLinks(address: string, { language, texts }: PageLocale): Html {
  return html`<nav aria-label="${texts.languages}"><ul class="languages">${LANGUAGES.map((other) => html`
<li><a href="${address}?lang=${other}" hreflang="${other}" lang="${other}"${
  other === language ? html` aria-current="true"` : null}>${TEXTS[other].language}</a></li>`)}
</ul></nav>`;
}

/** Origins of the page's images; the policy allows no others. */
function imageSources(urls: (string | null)[]): string {
  const origins = new Set(urls.flatMap((url) => (url === null ? [] : [new URL(url).origin])));
  return origins.size === 0 ? "'none'" : [...origins].join(' ');
}

export function paragraph(text: string | null): Html | null {
  return text === null ? null : html`<p class="text">${text}</p>`;
}
