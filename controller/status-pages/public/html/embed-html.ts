import { html } from '../../../pages/html.ts';
import type { Page } from '../../../pages/layout.ts';
import { topLevelBranding } from '../../branding-rules.ts';
import { icon, ICON_SHAPES } from './icons.ts';
import type { PageLocale } from '../languages/language.ts';
import type { Appearance } from './page-frame.ts';
import { STYLE_PATH } from '../style/page-style.ts';
import type { PublicPageView } from '../public-view.ts';

/** The state of a page in one line, for embedding in other sites. */
export function renderEmbed(
  view: PublicPageView, { branding }: Appearance, { language, texts }: PageLocale,
): Page {
  const { text } = html`<!doctype html>
<html lang="${language}" data-theme="${topLevelBranding(branding).color_scheme}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${view.name} · ${texts.status}</title><link rel="stylesheet" href="${STYLE_PATH}"></head>
<body class="embed">${ICON_SHAPES}<main><h1>${view.name}</h1><p class="${view.overall}">${icon(view.overall)}<span>${texts.overall[view.overall]}</span></p>
<a href="/status/${view.subdomain}?lang=${language}" target="_blank" rel="noopener">${texts.status}</a></main></body></html>
`;
  return {
    html: text,
    headers: {
      'Content-Security-Policy':
        "default-src 'none'; style-src 'self'; form-action 'none'; frame-ancestors *; base-uri 'none'",
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Content-Language': language, Vary: 'Accept-Language', 'Cache-Control': 'public, max-age=1',
    },
  };
}
